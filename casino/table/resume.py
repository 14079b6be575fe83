"""Where every table stands, read from the log: at the start, and after a fault of the disk.

The log tells the last game of a table; if it is unfinished, its facts are folded again, with the
cards that the bank kept secret, into the very state they made before. If those are lost, the
book alone is folded, and the croupier voids the game.
"""

from __future__ import annotations

from typing import Final

from casino import fairness
from casino.bank.eventlog import EventLog, StoredLeaf
from casino.ecarte.record import SEATS
from casino.errors import CasinoError, InvariantBroken
from casino.gallery import Cover
from casino.limits import DAY_MS
from casino.table.limits import Tally, Wish
from casino.table.state import TableRules, TableState, game_id
from casino.table.story import ENDS, SEED, Told, loads, told_again

EVENTS_A_LEAF: Final = 4
"""No leaf is told in more events, so that versions never go back after a restart."""

_BOOK: Final = ("game_opened", "bet", "cut", "betting_closed")
_UNTELLABLE: Final = (CasinoError, KeyError, ValueError, AssertionError)


def load_table(log: EventLog, rules: TableRules) -> TableState:
    """A table as the log says it stands; the queue for its seat begins anew."""
    version = EVENTS_A_LEAF * log.size()
    number = last_number(log, rules.name)
    leaves = _leaves(log, rules.name, number)
    running = bool(leaves) and all(leaf.kind not in ENDS for leaf in leaves)
    finished = number - 1 if running else number
    state = TableState(rules, version, version, number=finished)
    if finished:
        state = _after_game(log, state, _leaves(log, rules.name, finished))
    return _within_game(log, state, leaves) if running else state


def _leaves(log: EventLog, table: str, number: int) -> list[StoredLeaf]:
    """The leaves of a table's game."""
    return list(log.of_game(game_id(table, number)))


def last_number(log: EventLog, table: str) -> int:
    """The number of a table's last game; its games are numbered from 1 without a gap."""

    def is_there(number: int) -> bool:
        return next(log.of_game(game_id(table, number)), None) is not None

    most = 1
    while is_there(most):
        most *= 2
    least, most = divmod(most, 2)[0], most - 1
    while least < most:
        middle = (least + most + 1) >> 1
        least, most = (middle, most) if is_there(middle) else (least, middle - 1)
    return least


def load_wishes(log: EventLog) -> dict[str, tuple[Wish, ...]]:
    """The limits that players have set themselves."""
    wishes: dict[str, tuple[Wish, ...]] = {}
    for stored in log.limits():
        leaf = loads(stored.body)
        for key, value in leaf["limits"].items():
            wish = Wish(leaf["at"], leaf["from"], key, value)
            wishes[leaf["player"]] = (*wishes.get(leaf["player"], ()), wish)
    return wishes


def load_tallies(log: EventLog, now: int) -> dict[str, Tally]:
    """What moved on every wallet today."""
    day, _ = divmod(now, DAY_MS)
    tallies: dict[str, Tally] = {}
    for player, move, cents in log.wallet_moves(log.first_at(day * DAY_MS)):
        tallies[player] = tallies.get(player, Tally()).moved(now, move, cents)
    return tallies


def _after_game(log: EventLog, state: TableState, leaves: list[StoredLeaf]) -> TableState:
    """A table after a game: a person who has not left since keeps the seat."""
    opened = leaves[0]
    ended = next(leaf for leaf in leaves if leaf.kind in ENDS)
    leaf = loads(opened.body)
    player = leaf["players"]["challenger"]
    if "challenger" not in leaf["bots"] and not _has_left(log, state.rules.name, player, opened.n):
        state = state._replace(holder=player)
    if ended.kind != "settled":
        return state
    return state._replace(last=(player, SEATS.index(loads(ended.body)["winner"])))


def _has_left(log: EventLog, table: str, player: str, since: int) -> bool:
    """Whether a player's last word at a table, since a leaf, is that he left it."""
    left = False
    for stored in log.of_player(player):
        if stored.kind == "seat" and stored.n > since:
            leaf = loads(stored.body)
            left = leaf["what"] == "left" if leaf["table"] == table else left
    return left


def _within_game(log: EventLog, state: TableState, leaves: list[StoredLeaf]) -> TableState:
    """A table in the middle of a game."""
    rules, version = state.rules, state.version
    game = game_id(rules.name, state.number + 1)
    told = Told(
        tuple(loads(leaf.body) for leaf in leaves),
        log.secrets(game),
        Cover(rules.house_cover_cents, 0),
    )
    try:
        state = told_again(told, state) if _has_seed(told) else _book_alone(told, state)
    except _UNTELLABLE:
        try:
            state = _book_alone(told, state)
        except _UNTELLABLE as error:
            raise InvariantBroken(f"{game} cannot be taken up where it stood: {error}") from error
    return state._replace(version=version, since=version)


def _has_seed(told: Told) -> bool:
    """Whether the seed is there that the game was committed to."""
    commitment: str = told.leaves[0]["commitment"]
    return fairness.commitment_of(told.secrets.get(SEED, b"")) == commitment


def _book_alone(told: Told, state: TableState) -> TableState:
    """A game whose secrets are lost: its book is known, so that everybody can be paid back."""
    leaves = tuple(leaf for leaf in told.leaves if leaf["type"] in _BOOK)
    secrets = {**told.secrets, SEED: told.secrets[SEED] if _has_seed(told) else b""}
    state = told_again(told._replace(leaves=leaves, secrets=secrets), state)
    assert state.running is not None
    return state._replace(running=state.running._replace(lost=leaves[0]["commitment"]))
