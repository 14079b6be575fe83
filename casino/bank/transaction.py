"""What a command does, worked out before anything is stored.

A `Transaction` gathers one command's leaves, entries and secrets and is then adopted by its
`Group` or forgotten without a trace; a group is what one COMMIT makes durable. There is no SQL
here and no clock: the group is told the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeAlias

import orjson
from msgspec.structs import replace

from casino.bank import leaves
from casino.bank.leaves import Entry, Leaf
from casino.bank.ledger import Account, Balances
from casino.bank.merkle import Frontier, leaf_hash
from casino.errors import Reason, Refused

Answer: TypeAlias = dict[str, Any]

ID_REUSED: Final = Reason(
    "id_reused", "id_reused", "the id {id} was used for another command: make a new one"
)

FORGET: Final = None
"""The value of a secret that is to be deleted."""


class Command(NamedTuple):
    """A command's identity: the id its client made, and a hash of what it asks."""

    id: str
    content: bytes


class Answered(NamedTuple):
    """A row of the commands answered, refusals among them (L5)."""

    id: str
    content: bytes
    leaf: int | None
    answer: bytes

    def seal(self) -> bytes:
        """A hash over the row, so that the audit sees a changed one."""
        place = b"" if self.leaf is None else str(self.leaf).encode()
        return sha256(b"\0".join((self.id.encode(), self.content, place, self.answer))).digest()

    def reply(self, content: bytes) -> Answer:
        """The first answer again; for other content under the same id there is none."""
        if content != self.content:
            raise Refused(ID_REUSED, id=self.id)
        answer: Answer = orjson.loads(self.answer)
        if "reason" in answer and "code" in answer:
            raise Refused.from_json(answer)
        return answer


class State(NamedTuple):
    """What the writer keeps in mind between groups, all of it read from the file at the start."""

    tree: Frontier
    entries: int
    nodes: int
    commands: int
    at: int
    covered: int
    checkpoint_at: int


class Group:
    """The commands that are committed together, as the rows to be stored."""

    def __init__(self, state: State, balances: Balances, known: Mapping[str, Answered]) -> None:
        self.before = state
        self.known = known
        self.tree = state.tree.copy()
        self.balances = balances
        self.at = state.at
        self.entries = state.entries
        self.nodes = state.nodes
        self.wants_checkpoint = False
        self.leaf_rows: list[tuple[int, str, str | None, str | None, bytes]] = []
        self.node_rows: list[tuple[int, int, int, bytes]] = []
        self.entry_rows: list[tuple[int, int, str, str | None, int | None]] = []
        self.posting_rows: list[tuple[int, str, int]] = []
        self.secrets: list[tuple[str, str | None, bytes | None]] = []
        self.answered: dict[str, Answered] = {}
        self.note: str | None = None

    def begin(self, now: int, command: Command | None) -> Transaction:
        """A transaction for the next command; time never goes back in the log."""
        return Transaction(self, max(now, self.at), command)

    def adopt(self, transaction: Transaction, answer: Answer) -> None:
        """Make a finished transaction part of the group."""
        first = self.tree.size if transaction.leaf_rows else None
        self.at = transaction.now
        self.balances.changed.update(transaction.balances.changed)
        for row in transaction.leaf_rows:
            for node in self.tree.append(leaf_hash(row[4])):
                self.node_rows.append((self.nodes, *node))
                self.nodes += 1
        self.leaf_rows += transaction.leaf_rows
        self.entries += len(transaction.entry_rows)
        self.entry_rows += transaction.entry_rows
        self.posting_rows += transaction.posting_rows
        self.secrets += transaction.secrets
        self.wants_checkpoint |= transaction.wants_checkpoint
        self.answer(transaction.command, first, answer)

    def answer(self, command: Command | None, leaf: int | None, answer: Answer) -> None:
        """Note the answer a command got; one without an id is not asked twice."""
        if command is not None:
            encoded = orjson.dumps(answer)
            self.answered[command.id] = Answered(command.id, command.content, leaf, encoded)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to store."""
        return not (self.leaf_rows or self.answered or self.secrets or self.note)

    def after(self) -> State:
        """The state once the group is stored."""
        covered = self.before.covered if self.note is None else self.tree.size
        at = self.before.checkpoint_at if self.note is None else self.at
        commands = self.before.commands + len(self.answered)
        return State(self.tree, self.entries, self.nodes, commands, self.at, covered, at)


class Transaction:
    """What a command's work may do: read balances, log leaves, post entries, keep secrets."""

    def __init__(self, group: Group, now: int, command: Command | None) -> None:
        self.now = now
        self.command = command
        self.balances = Balances(group.balances.of)
        self.wants_checkpoint = False
        self.leaf_rows: list[tuple[int, str, str | None, str | None, bytes]] = []
        self.entry_rows: list[tuple[int, int, str, str | None, int | None]] = []
        self.posting_rows: list[tuple[int, str, int]] = []
        self.secrets: list[tuple[str, str | None, bytes | None]] = []
        self._first_leaf = group.tree.size
        self._first_entry = group.entries + 1

    @property
    def next_leaf(self) -> int:
        """The number that the next leaf will have."""
        return self._first_leaf + len(self.leaf_rows)

    def balance(self, account: Account) -> int:
        """The balance of an account, as this command has left it so far."""
        return self.balances.of(account)

    def log(self, leaf: Leaf) -> int:
        """Append a leaf, stamped with the time and the command; its number."""
        number = self.next_leaf
        asked = self.command.id if self.command is not None else None
        stamped = replace(leaf, at=self.now, command=asked)
        body = leaves.encode(stamped)
        self.leaf_rows.append((number, *leaf.columns, body))
        return number

    def post(self, entry: Entry) -> int:
        """Move what an entry moves, and log it under the next number; that number."""
        self.balances.post(entry)
        number = self._first_entry + len(self.entry_rows)
        leaf = self.log(replace(entry, entry=number))
        self.entry_rows.append((number, leaf, entry.move, entry.game, entry.corrects))
        self.posting_rows += [(number, account, cents) for account, cents in entry.postings]
        return number

    def keep_secret(self, game: str, name: str, value: bytes) -> None:
        """Keep something a running game must hide, where no reader of the log sees it."""
        self.secrets.append((game, name, value))

    def forget_secrets(self, game: str) -> None:
        """Forget a game's secrets: it is over, and the log says them all."""
        self.secrets.append((game, None, FORGET))

    def ask_checkpoint(self) -> None:
        """Have the log signed with this command in it (L7: after every settled game)."""
        self.wants_checkpoint = True
