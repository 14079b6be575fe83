"""Transactions and commit groups, which collect the effects of commands before they are stored.

A `Transaction` collects the leaves, entries and secrets of one command, and is then added to a
`CommitGroup` or discarded. One COMMIT stores a group. This module uses neither SQL nor a clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from casino.errors import InvariantError, RefusalReason, Refused
from casino.ledger import entries as leaves
from casino.ledger.accounts import LAST_MOVES, Account, Balances, escrow, spending_account
from casino.ledger.entries import AnswersGiven, Entry, Leaf
from casino.ledger.tlog import Frontier, Hash, SigningKey, sign_checkpoint

Answer: TypeAlias = dict[str, Any]
NodeRow: TypeAlias = tuple[int, int, Hash]  # level, index, hash
# Subject, name and value of a secret, stored outside the log, so that none of its readers sees it;
# without a name, all secrets of the subject are deleted.
SecretRow: TypeAlias = tuple[str, str | None, bytes | None]

ID_REUSED: Final = RefusalReason(
    "id_reused", "id_reused", "the id {id} was used for another command: make a new one"
)


class CommandIdentity(NamedTuple):
    """The id that a client chose for a command, and a hash of the command's content."""

    id: str
    content: bytes


class CommandReply(NamedTuple):
    """The stored response to a command (L5); `leaf` is the first leaf that the command wrote."""

    id: str
    content: bytes
    leaf: int | None
    answer: bytes

    def reply(self, content: bytes) -> Answer:
        """Return the stored response; raise `Refused` for a stored refusal or different content."""
        if content != self.content:
            raise Refused(ID_REUSED, id=self.id)
        answer: Answer = msgspec.json.decode(self.answer)
        if "reason" in answer and "code" in answer:
            raise Refused.from_json(answer)
        return answer


def answers_hash(answers: Iterable[CommandReply]) -> str:
    """Return the hash over responses sorted by id, for their `answers` leaf (L21)."""
    rows = [(name, content.hex(), leaf, answer.hex()) for name, content, leaf, answer in answers]
    return sha256(msgspec.json.encode(rows)).hexdigest()


class StoredCheckpoint(NamedTuple):
    """A stored checkpoint, with its size and signed note."""

    size: int
    note: str


class Rows(msgspec.Struct):
    """The rows that one COMMIT makes durable.

    `balances` are the new balances of the accounts that changed. `replies` come with the number of
    the `answers` leaf that binds them (L21). `subjects` maps name and first leaf to the last leaf,
    for those that begin or end, and for each late leaf. `checkpoints` are added to the stored ones;
    `newest` replaces the previous signature.
    """

    first: int
    leaves: list[bytes] = []
    nodes: list[NodeRow] = []
    balances: Mapping[Account, int] = {}
    replies: list[tuple[int, CommandReply]] = []
    subjects: dict[tuple[str, int], int | None] = {}
    secrets: list[SecretRow] = []
    checkpoints: list[StoredCheckpoint] = []
    newest: StoredCheckpoint | None = None

    @property
    def size(self) -> int:
        """The size of the log with these rows."""
        return self.first + len(self.leaves)


class LogState(msgspec.Struct):
    """The writer's state in memory between groups, loaded from the store at startup."""

    tree: Frontier
    entries: int
    open: dict[str, int]
    at: int
    covered: int
    checkpoint_at: int


class CommitGroup:
    """Commands that are committed together, as rows to be stored.

    `asked` are the log sizes at which commands request a checkpoint. The newest signature, which
    covers all leaves, is published if `stays` is set. `after` is the state after the group.
    """

    def __init__(
        self, state: LogState, balances: Balances, known: Mapping[str, CommandReply]
    ) -> None:
        self.before = state
        self.after = copy(state)
        self.known = known
        self.balances = balances
        self.rows = Rows(first=state.tree.size, balances=balances.changed)
        self.asked: list[int] = []
        self.answered: dict[str, CommandReply] = {}
        self.stays = False

    def adopt(
        self, transaction: Transaction, command: CommandIdentity | None, answer: Answer
    ) -> None:
        """Add a finished transaction and the response to its command to the group."""
        rows, after = self.rows, self.after
        first = rows.size if transaction.leaves else None
        after.at = transaction.now
        self.balances.changed.update(transaction.balances.changed)
        rows.leaves += transaction.leaves
        after.entries += len(transaction.posted)
        after.open = transaction.open
        rows.subjects |= transaction.subjects
        rows.secrets += transaction.secrets
        if transaction.wants_checkpoint:
            self.asked.append(rows.size)
        self.add_answer(command, first, answer)

    def add_answer(self, command: CommandIdentity | None, leaf: int | None, answer: Answer) -> None:
        """Record the response to a command, unless the command has no id."""
        if command is not None:
            encoded = msgspec.json.encode(answer)
            self.answered[command.id] = CommandReply(command.id, command.content, leaf, encoded)

    def finish(self, key: SigningKey, *, publish: bool) -> None:
        """Append the `answers` leaf (L21), add all leaves to the tree, and sign it (L15).

        The signature is published and kept after a finished game, once a minute while there is
        activity, and on close; any other signature is replaced by the next. The last requested
        checkpoint covers all leaves; earlier ones are signed, too (L7).
        """
        rows = self.rows
        if self.answered:
            in_order = sorted(self.answered.values())
            rows.replies = [(rows.size, reply) for reply in self.answered.values()]
            leaf = AnswersGiven(at=self.after.at, hash=answers_hash(in_order))
            rows.leaves.append(leaves.encode(leaf))
        # Extend a copy: if the COMMIT fails, the stored log is compared with the original tree.
        tree = self.after.tree = self.before.tree.copy()
        # `leaf_hash` inlined: the writer thread spends its time here.
        hashes = [sha256(b"\0" + body).digest() for body in rows.leaves]
        begun = done = tree.size
        for size in self.asked[:-1]:
            if done < size < rows.size:
                rows.nodes += tree.extend(hashes[done - begun : size - begun])
                note = sign_checkpoint(key, size, tree.root())
                rows.checkpoints.append(StoredCheckpoint(size, note))
                done = size
        rows.nodes += tree.extend(hashes[done - begun :])
        if tree.size == self.before.covered:
            return
        self.stays = publish or bool(self.asked)
        if rows.leaves or self.stays:
            note = sign_checkpoint(key, tree.size, tree.root())
            rows.newest = StoredCheckpoint(tree.size, note)
            if self.stays:
                rows.checkpoints.append(rows.newest)
                self.after.covered, self.after.checkpoint_at = tree.size, self.after.at

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to store."""
        return not (self.rows.leaves or self.rows.secrets or self.stays)


class Transaction:
    """The effects of one command on leaves, entries, secrets and balances."""

    def __init__(self, group: CommitGroup, now: int) -> None:
        self.now = max(now, group.after.at)  # no earlier than the last leaf (L20)
        self.balances = Balances(group.balances.of)
        # Whether a signature covering this command is to be published and kept (L7).
        self.wants_checkpoint = False
        self.leaves: list[bytes] = []
        self.posted: list[Entry] = []
        self.open = dict(group.after.open)
        self.subjects: dict[tuple[str, int], int | None] = {}
        self.secrets: list[SecretRow] = []
        self._named: set[str] = set()
        self._first_leaf = group.rows.size
        self._first_entry = group.after.entries + 1

    @property
    def next_leaf(self) -> int:
        """The number of the next leaf to be appended."""
        return self._first_leaf + len(self.leaves)

    def balance(self, account: Account) -> int:
        """Return an account's balance in cents, including this command's changes."""
        return self.balances.of(account)

    def funds(self, player: str) -> int:
        """Return a player's cents, including those at risk in open subjects."""
        at_risk_cents = sum(self.balance(escrow(subject, player)) for subject in self.open)
        return self.balance(spending_account(player)) + at_risk_cents

    def log(self, leaf: Leaf) -> int:
        """Append a leaf, stamped with the transaction's time, and return its number."""
        number, subject = self.next_leaf, leaf.subject
        stamped = leaf if leaf.at == self.now else replace(leaf, at=self.now)
        self.leaves.append(leaves.encode(stamped))
        if subject is not None:
            if subject not in self.open:
                self.subjects[subject, number] = number if leaf.late else None
                if not leaf.late:
                    self.open[subject] = number
            self._named.add(subject)
        return number

    def post(self, entry: Entry) -> int:
        """Apply an entry and log it; return the number of the entry."""
        if entry.move in LAST_MOVES and entry.subject not in self.open:
            raise InvariantError(f"{entry.subject} has already been decided, or never began")
        self.balances.post(entry)
        number = self._first_entry + len(self.posted)
        numbered = replace(entry, entry=number, at=self.now)
        for part in leaves.split_entry(numbered):
            self.log(part)
        self.posted.append(numbered)
        return number

    def end_subject(self, subject: str) -> None:
        """End a subject: delete its secrets and request a checkpoint (L7)."""
        if subject not in self.open or subject not in self._named:
            raise InvariantError(f"{subject} is already over, or never began")
        self.subjects[subject, self.open.pop(subject)] = self.next_leaf - 1
        self.secrets.append((subject, None, None))
        self.wants_checkpoint = True
