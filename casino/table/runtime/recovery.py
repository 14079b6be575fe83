"""Load the tables' state from the log, at startup and after a disk fault.

An unfinished game is rebuilt from its events and its encrypted secrets. If the secrets are lost,
only the book is rebuilt, and the table runner voids the game. A game that was running when a
restored backup was made is voided as well, but the former master secret still yields its cards,
which are revealed as for any other void game.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import asdict

from casino import fairness
from casino.ecarte import legal_actions, token
from casino.errors import CasinoError, InvariantError
from casino.events import types
from casino.events.types import Event, GameOpened, SeatChanged, decode
from casino.fairness import exchange_commitment
from casino.ledger.entries import WALLET, Entry, as_entry
from casino.ledger.log_reader import LogReader
from casino.ledger.storage.base import StoredLeaf
from casino.player_limits import DAY_MS, DayTally, LimitChange
from casino.table.domain.settings import TableSettings, from_event
from casino.table.domain.state import (
    NO_SECRETS,
    SEED,
    Secrets,
    TableState,
    current_deal,
    evolve,
    exchange_secret_name,
    game_id,
    offer_name,
    running_game,
)
from casino.table.public.feed import TableTransfer
from casino.table.public.state import PublicTable, apply_event
from casino.table.runtime.seed_chains import SeedKeeper

MESSAGES_A_LEAF: Final = 4  # a maximum, so that versions do not go back at a reload

GAME_ENDS: Final = ("game_over", "game_void")
_BOOK: Final = ("game_opened", "bet", "cut", "book_locked", "cut_opened", "betting_closed")
_PAST: Final = (*_BOOK, "cut_late", *GAME_ENDS)
_REMEMBERED: Final = 100  # number of past games searched for withheld contributions

_BROKEN: Final = (CasinoError, KeyError, ValueError, AssertionError)


def load_table(log: LogReader, rules: TableSettings, seeds: SeedKeeper) -> TableState:
    """Load a table's state from the log; a new table gets the settings `rules`."""
    number, finished, leaves = _last_game(log, rules.name)
    state, kept = TableState(rules), log.secrets()
    for event in _past(log, rules.name, finished):
        secrets = NO_SECRETS
        if isinstance(event, SeatChanged):
            offer = offer_name(rules.name, event.player)
            secrets = seeds.decrypt(offer, kept.get(offer, {}))
        state = evolve(state, event, secrets)
    state = _within_game(log, state, leaves, seeds) if finished < number else state
    # A leaf raises the turn by one at most, so no turn number is used again.
    return state._replace(turn=log.size())


def load_newest_terms(log: LogReader) -> dict[str, types.TermsSet]:
    """Load the newest settings of every table ever recorded in the log."""
    terms = map(decode, (stored.body for stored in log.of_kinds(["terms"])))
    return {event.table: event for event in terms if isinstance(event, types.TermsSet)}


def load_hosted(
    log: LogReader, newest: Iterable[types.TermsSet], known: Collection[str]
) -> dict[str, TableSettings]:
    """Return the hosted tables that are open, in `known`, or in an unfinished game or poule."""
    wanted = {*known, *(game.rpartition("-")[0] for game in log.open_subjects())}
    return {
        terms.table: from_event(terms)
        for terms in newest
        if terms.hosted is not None and (terms.hosted.closed is None or terms.table in wanted)
    }


def load_transfer(log: LogReader, rules: TableSettings, now: int) -> TableTransfer:
    """Load a table's public state, including its running game, from the log.

    A countdown begins again at `now`, as the table's runner gives the whole time once more.
    """
    number, finished, leaves = _last_game(log, rules.name)
    # Settings for a game that has not opened yet are left for later.
    table = PublicTable(rules, number=max(0, finished - 1))
    for event in _past(log, rules.name, finished, GAME_ENDS):
        table = apply_event(table, event)
    events = (decode(leaf.body) for leaf in leaves if finished < number)
    return TableTransfer(table._replace(number=finished, since=now), tuple(events))


def _last_game(log: LogReader, table: str) -> tuple[int, int, list[StoredLeaf]]:
    """Return a table's last and last finished game numbers, and the leaves of its last game."""
    number = last_game_number(log, table)
    leaves = list(log.of_subject(game_id(table, number)))
    is_running = bool(leaves) and all(leaf.kind not in GAME_ENDS for leaf in leaves)
    return number, number - is_running, leaves


def _past(log: LogReader, table: str, finished: int, kinds: Sequence[str] = ()) -> Iterator[Event]:
    """Yield a table's events between games, and of its last finished games those before the deals.

    The games are those of a running poule, and those whose withheld contributions still count. Of
    their events, `kinds` selects some.
    """
    poules = (name for name in log.open_subjects() if types.is_poule(name))
    poule = next((name for name in poules if name.rpartition("-")[0] == table), "")
    first = max(1, finished - _REMEMBERED + 1)
    leaves = list(log.of_subject(poule))
    if poule:
        first = min(first, int(poule.rpartition("-p")[2]))  # the number of its first game
    for kind in ("terms", "seat", "seed_chain"):
        leaves += log.of_table(table, kind)
    for number in range(first, finished + 1):
        game = log.of_subject(game_id(table, number), kinds)
        leaves += (leaf for leaf in game if leaf.kind in _PAST)
    for leaf in sorted(leaves, key=lambda leaf: leaf.n):
        event = decode(leaf.body)
        # A default names its game, and is applied with that game's events.
        if not isinstance(event, SeatChanged) or event.game is None:
            yield event


def last_game_number(log: LogReader, table: str) -> int:
    """Return the number of a table's last game, or 0; numbers have no gaps, so bisection works."""

    def is_there(number: int) -> bool:
        return bool(log.spans(game_id(table, number)))

    missing = 1
    while is_there(missing):
        missing *= 2
    first = missing // 2 + 1  # which may be missing
    return bisect_left(range(missing), True, first, key=lambda n: not is_there(n)) - 1


def load_limit_changes(log: LogReader) -> dict[str, tuple[LimitChange, ...]]:
    """Load the history of every player's own limits."""
    wishes: dict[str, tuple[LimitChange, ...]] = {}
    for stored in log.of_kinds(["limit"]):
        leaf = decode(stored.body)
        assert isinstance(leaf, types.LimitSet)
        for key, value in asdict(leaf.limits).items():
            if value is not None:
                wish = LimitChange(leaf.at, leaf.from_ms, key, value)
                wishes[leaf.player] = (*wishes.get(leaf.player, ()), wish)
    return wishes


def load_tallies(log: LogReader, now: int) -> dict[str, DayTally]:
    """Load the current day's totals for every wallet."""
    day, _ = divmod(now, DAY_MS)
    tallies: dict[str, DayTally] = {}
    today = log.entry_leaves(log.first_at(day * DAY_MS))
    add_to_tallies(tallies, (as_entry(leaf.body) for leaf in today), now)
    return tallies


def add_to_tallies(tallies: dict[str, DayTally], entries: Iterable[Entry], now: int) -> None:
    """Add the postings of entries to the tallies of the wallets."""
    for entry in entries:
        for account, cents in entry.postings:
            if account.startswith(WALLET):
                player = account[len(WALLET) :]
                tally = tallies.get(player, DayTally())
                tallies[player] = tally.after_entry(now, entry.move, cents)


def _within_game(
    log: LogReader, state: TableState, leaves: list[StoredLeaf], seeds: SeedKeeper
) -> TableState:
    game = game_id(state.rules.name, state.number + 1)
    events = [decode(leaf.body) for leaf in leaves]
    opened = events[0]
    assert isinstance(opened, GameOpened)
    seed = b""
    # Ways to rebuild the game, the most complete first: from which events, and whether it is lost.
    # If its secrets are lost, the book is enough to refund the bets.
    ways = [([event for event in events if event.kind in _BOOK], True)]
    if state.chain is not None:
        position = state.rules.name, state.chain, opened.number
        if _committed(opened, mine := seeds.seed(*position)):
            seed, ways = mine, [(events, False), (events, True), *ways]
        elif _committed(opened, former := seeds.former_seed(*position)):
            seed, ways = former, [(events, True), *ways]
    secrets = {**seeds.decrypt(game, log.secrets().get(game, {})), SEED: seed}
    fault: Exception | None = None
    for known, is_lost in ways:
        try:
            return _rebuilt(state, known, secrets, is_lost)
        except _BROKEN as error:
            fault = error
    raise InvariantError(f"{game} cannot be taken up where it stood: {fault}") from fault


def _committed(opened: GameOpened, seed: bytes) -> bool:
    return fairness.commitment_of(seed) == opened.commitment


def _rebuilt(
    state: TableState, events: Iterable[Event], secrets: Secrets, is_lost: bool
) -> TableState:
    """Rebuild a running game; of a lost one, the seed reveals the cards of every exchange."""
    for event in events:
        if is_lost and isinstance(event, types.ActionTaken) and event.seal is not None:
            secrets = {**secrets, **_find_exchange(state, event.seal)}
        state = evolve(state, event, secrets)
    return state._replace(running=running_game(state)._replace(lost=is_lost))


def _find_exchange(state: TableState, seal: str) -> Secrets:
    """Find the exchange behind a commitment by trying all legal actions."""
    running, deal = running_game(state), current_deal(state)
    number = len(deal.history) + 1
    sealed_for = running.server_seed, running.id, running.number, number
    for action_token in map(token, legal_actions(deal)):
        if exchange_commitment(*sealed_for, action_token) == seal:
            return {exchange_secret_name(running.number, number): action_token.encode()}
    raise InvariantError(f"{running.id}: no exchange is sealed so")
