"""Compute a command's effects before anything is stored.

A `Transaction` gathers one command's leaves, entries and secrets, and is adopted by its
`CommitGroup` or discarded; a group is what one COMMIT makes durable. There is no SQL here and no
clock: the group receives the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeAlias

import orjson
from msgspec.structs import replace

from casino.errors import InvariantError, RefusalReason, Refused
from casino.ledger import entries as leaves
from casino.ledger.accounts import LAST_MOVES, Account, Balances, escrow, spending_account
from casino.ledger.entries import AnswersGiven, Entry, Leaf
from casino.ledger.tlog.merkle import Frontier, Hash

Answer: TypeAlias = dict[str, Any]
NodeRow: TypeAlias = tuple[int, int, Hash]  # level, index, hash
PostingRow: TypeAlias = tuple[int, str, int]  # number of the entry, account, cents


ID_REUSED: Final = RefusalReason(
    "id_reused", "id_reused", "the id {id} was used for another command: make a new one"
)

FORGET: Final = None  # the value of a secret to be deleted


class CommandIdentity(NamedTuple):
    """A command's identity: its client's id, and a hash of its content."""

    id: str
    content: bytes

    @classmethod
    def of(cls, name: str, content: bytes) -> CommandIdentity:
        """Return the identity of a command with some content."""
        return cls(name, sha256(content).digest()[:16])


class CommandReply(NamedTuple):
    """The stored reply to a command, possibly a refusal (L5); `leaf` is the first it wrote."""

    id: str
    content: bytes
    leaf: int | None
    answer: bytes

    def reply(self, content: bytes) -> Answer:
        """Return the stored answer; raise if the content differs under the same id."""
        if content != self.content:
            raise Refused(ID_REUSED, id=self.id)
        answer: Answer = orjson.loads(self.answer)
        if "reason" in answer and "code" in answer:
            raise Refused.from_json(answer)
        return answer


def answers_hash(answers: Iterable[CommandReply]) -> str:
    """Return the hash that binds answers, ordered by id, to their leaf (L21)."""
    rows = [
        [answer.id, answer.content.hex(), answer.leaf, answer.answer.hex()] for answer in answers
    ]
    return sha256(orjson.dumps(rows)).hexdigest()


class CommandRow(NamedTuple):
    """An answered command as it is stored; `bound` is the leaf that binds its answer (L21)."""

    id: str
    content: bytes
    leaf: int | None
    bound: int
    answer: bytes


class SignedHead(NamedTuple):
    """The signature over all leaves, and the seal of the balances at that point."""

    size: int
    note: str
    balances: bytes


class Rows(NamedTuple):
    """The rows that one COMMIT makes durable: all a store needs to know of a group.

    `checkpoints` stay, with sizes and notes; `newest` replaces the signature before it. Subjects
    that both begin and end in the group are in neither `begun` nor `ended`.
    """

    first: int
    leaves: Sequence[bytes]
    nodes: Sequence[NodeRow]
    postings: Sequence[PostingRow]
    entries: Sequence[tuple[int, int]]
    commands: Sequence[CommandRow]
    begun: Sequence[str]
    ended: Sequence[str]
    secrets: Sequence[tuple[str, str | None, bytes | None]]
    checkpoints: Sequence[tuple[int, str]]
    newest: SignedHead | None

    @property
    def size(self) -> int:
        """The number of leaves including these."""
        return self.first + len(self.leaves)


class LogState(NamedTuple):
    """What the writer keeps in memory between groups, all of it read from the file at startup."""

    tree: Frontier
    entries: int
    open: frozenset[str]
    at: int
    covered: int
    checkpoint_at: int
    balances_sum: int


class CommitGroup:
    """The commands that are committed together, as rows to be stored.

    `note` is the signature over all leaves including the group's; it is published if `stays`. Where
    several of its commands ask for a checkpoint, `between` has the earlier ones.
    """

    def __init__(
        self, state: LogState, balances: Balances, known: Mapping[str, CommandReply]
    ) -> None:
        self.before = state
        self.known = known
        self.tree = state.tree
        self.size = state.tree.size
        self.balances = balances
        self.at = state.at
        self.entries = state.entries
        self.asked: list[int] = []
        self.leaves: list[bytes] = []
        self.nodes: list[NodeRow] = []
        self.entry_rows: list[tuple[int, int]] = []
        self.postings: list[PostingRow] = []
        self.open = set(state.open)
        self.secrets: list[tuple[str, str | None, bytes | None]] = []
        self.answered: dict[str, CommandReply] = {}
        self.bound = 0
        self.roots: list[tuple[int, Hash]] = []
        self.between: list[tuple[int, str]] = []
        self.note = ""
        self.stays = False
        self.sealed_balances = b""
        self.balances_sum = state.balances_sum

    def begin(self, now: int, command: CommandIdentity | None) -> Transaction:
        """Begin a transaction for the next command; time never goes back in the log."""
        return Transaction(self, max(now, self.at), command)

    def adopt(self, transaction: Transaction, answer: Answer) -> None:
        """Add a finished transaction to the group."""
        first = self.size if transaction.leaves else None
        self.at = transaction.now
        self.balances.changed.update(transaction.balances.changed)
        self.leaves += transaction.leaves
        self.size += len(transaction.leaves)
        self.entries += len(transaction.entry_rows)
        self.entry_rows += transaction.entry_rows
        self.postings += transaction.postings
        self.open |= transaction.begun
        self.open -= transaction.ended
        self.secrets += transaction.secrets
        if transaction.wants_checkpoint:
            self.asked.append(self.size)
        self.add_answer(transaction.command, first, answer)

    def add_answer(self, command: CommandIdentity | None, leaf: int | None, answer: Answer) -> None:
        """Record a command's answer; without an id none is kept."""
        if command is not None:
            encoded = orjson.dumps(answer)
            self.answered[command.id] = CommandReply(command.id, command.content, leaf, encoded)

    def finish(self) -> None:
        """Finish the group: bind the answers by a leaf (L21), append all leaves to the tree.

        The last checkpoint asked for covers all of them; earlier ones have their own roots (L7).
        """
        if self.answered:
            in_order = sorted(self.answered.values())
            self.bound = self.size
            leaf = AnswersGiven(at=self.at, hash=answers_hash(in_order))
            self.leaves.append(leaves.encode(leaf))
            self.size += 1
        self.tree = self.before.tree.copy()
        # This is `leaf_hash`, written out: the writer's thread spends its time here.
        hashes = [sha256(b"\0" + body).digest() for body in self.leaves]
        begun = done = self.tree.size
        for size in self.asked[:-1]:
            if done < size < self.size:
                self.nodes += self.tree.extend(hashes[done - begun : size - begun])
                self.roots.append((size, self.tree.root()))
                done = size
        self.nodes += self.tree.extend(hashes[done - begun :])

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to store."""
        return not (self.leaves or self.secrets or self.stays)

    def rows(self) -> Rows:
        """Return the rows to store."""
        size = self.tree.size
        return Rows(
            first=size - len(self.leaves),
            leaves=self.leaves,
            nodes=self.nodes,
            postings=self.postings,
            entries=self.entry_rows,
            commands=[
                CommandRow(answer.id, answer.content, answer.leaf, self.bound, answer.answer)
                for answer in self.answered.values()
            ],
            begun=sorted(self.open - self.before.open),
            ended=sorted(self.before.open - self.open),
            secrets=self.secrets,
            checkpoints=[*self.between, (size, self.note)] if self.note and self.stays else (),
            newest=SignedHead(size, self.note, self.sealed_balances) if self.note else None,
        )

    def next_state(self) -> LogState:
        """Return the state once the group is stored."""
        covered = self.tree.size if self.stays else self.before.covered
        at = self.at if self.stays else self.before.checkpoint_at
        kept = frozenset(self.open)
        return LogState(self.tree, self.entries, kept, self.at, covered, at, self.balances_sum)


class Transaction:
    """A command's work: read balances, log leaves, post entries, keep secrets."""

    def __init__(self, group: CommitGroup, now: int, command: CommandIdentity | None) -> None:
        self.now = now
        self.command = command
        self.balances = Balances(group.balances.of)
        self.wants_checkpoint = False
        self.leaves: list[bytes] = []
        self.entry_rows: list[tuple[int, int]] = []
        self.postings: list[PostingRow] = []
        self.posted: list[Entry] = []
        self.begun: set[str] = set()
        self.ended: set[str] = set()
        self.secrets: list[tuple[str, str | None, bytes | None]] = []
        self._named: set[str] = set()
        self._open = group.open
        self._first_leaf = group.size
        self._first_entry = group.entries + 1

    @property
    def next_leaf(self) -> int:
        """The number that the next leaf will have."""
        return self._first_leaf + len(self.leaves)

    def balance(self, account: Account) -> int:
        """Return an account's balance after this command's own changes."""
        return self.balances.of(account)

    def funds(self, player: str) -> int:
        """Return a player's chips, including those at risk in open subjects."""
        subjects = (self._open - self.ended) | self.begun
        at_risk_cents = sum(self.balance(escrow(subject, player)) for subject in subjects)
        return self.balance(spending_account(player)) + at_risk_cents

    def log(self, leaf: Leaf) -> int:
        """Append a leaf stamped with the time; return its number."""
        return self._append(leaf if leaf.at == self.now else replace(leaf, at=self.now))

    def post(self, entry: Entry) -> int:
        """Apply an entry and log it; return its number."""
        if entry.move in LAST_MOVES and not self._is_open(entry.subject):
            raise InvariantError(f"{entry.subject} is decided already, or never began")
        self.balances.post(entry)
        number = self._first_entry + len(self.entry_rows)
        numbered = replace(entry, entry=number, at=self.now)
        first, *_ = [self._append(part) for part in leaves.split_entry(numbered)]
        self.entry_rows.append((number, first))
        self.posted.append(numbered)
        self.postings += [(number, account, cents) for account, cents in entry.postings]
        return number

    def _append(self, leaf: Leaf) -> int:
        number = self.next_leaf
        self.leaves.append(leaves.encode(leaf))
        subject = leaf.subject
        if subject is not None:
            if not (leaf.late or self._is_open(subject)):
                self.begun.add(subject)
                self.ended.discard(subject)
            self._named.add(subject)
        return number

    def _is_open(self, subject: str | None) -> bool:
        return subject in self.begun or (subject in self._open and subject not in self.ended)

    def keep_secret(self, subject: str, name: str, value: bytes) -> None:
        """Keep something a running game must hide where no reader of the log sees it."""
        self.secrets.append((subject, name, value))

    def forget_secrets(self, subject: str) -> None:
        """Delete the secrets of something that is no part of the log, such as an offer."""
        self.secrets.append((subject, None, FORGET))

    def end_subject(self, subject: str) -> None:
        """End a subject with its last leaf: its secrets are deleted, the signature stays (L7)."""
        if not self._is_open(subject) or subject not in self._named:
            raise InvariantError(f"{subject} is over already, or never began")
        self.begun.discard(subject)
        self.ended.add(subject)
        self.secrets.append((subject, None, FORGET))
        self.wants_checkpoint = True

    def request_checkpoint(self) -> None:
        """Have the signature over this command published and kept."""
        self.wants_checkpoint = True
