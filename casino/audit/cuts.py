"""The cut across games: chains of seeds, texts that came late, and what silence moved."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from casino import fairness, gallery
from casino.audit import silence
from casino.audit.bots import Decide
from casino.audit.findings import NOTE, WARNING, Finding
from casino.audit.games import Cut, Row
from casino.audit.sources import ExportSource, FileSource
from casino.ecarte.record import SEATS
from casino.errors import BadCut
from casino.events import made
from casino.events.kinds import GameOpened, SeedChain
from casino.events.reading import read_if_sound
from casino.limits import DAY_MS

_LATE: Final = "cut_late"


class Place(NamedTuple):
    """Where a table is: its chain, and the last game that was opened on it."""

    chain: SeedChain
    number: int
    commitment: str


class Chains:
    """The chains of all tables, leaf by leaf: each commitment is the seed before it."""

    def __init__(self) -> None:
        self.places: dict[str, Place] = {}

    def take(self, n: int, leaf: GameOpened | SeedChain) -> Iterator[Finding]:
        """What is wrong with the next chain, or with the next game's place in its chain."""
        if isinstance(leaf, SeedChain):
            yield from self._begin(n, leaf)
            return
        place = self.places.get(leaf.table)
        if place is None:
            yield Finding("chains", "the table has no chain of seeds", n, leaf.game)
            return
        text = _wrong_place(place, leaf)
        if text:
            yield Finding("chains", text, n, leaf.game)
        self.places[leaf.table] = Place(place.chain, leaf.number, leaf.commitment)

    def _begin(self, n: int, leaf: SeedChain) -> Iterator[Finding]:
        """A chain follows the one before it; one that was given up says why."""
        before = self.places.get(leaf.table)
        due = 1 if before is None else before.chain.chain + 1
        if leaf.chain != due or leaf.length < 1 or not fairness.is_hash(leaf.anchor):
            yield Finding("chains", f"chain {due} of {leaf.table} must begin here", n)
        if before is not None and before.number < before.chain.length:
            used = f"after {before.number} of {before.chain.length} games"
            said = f"chain {before.chain.chain} of {leaf.table} was given up {used}"
            if leaf.reason:
                yield Finding("chains", f"{said}: {leaf.reason}", n, severity=NOTE)
            else:
                yield Finding("chains", f"{said} without a reason", n)
        self.places[leaf.table] = Place(leaf, 0, leaf.anchor)


def _wrong_place(place: Place, leaf: GameOpened) -> str:
    """What is wrong with a game's place in its table's chain, or nothing."""
    chain, number, before = place
    if (leaf.chain, leaf.number) != (chain.chain, number + 1) or leaf.number > chain.length:
        return f"the game has seed {leaf.number} of chain {leaf.chain}, not the next one"
    if not fairness.is_hash(leaf.commitment):
        return "the commitment is no hash"
    led = leaf.commitment if number == 0 else sha256(bytes.fromhex(leaf.commitment)).hexdigest()
    return "" if led == before else "the commitment does not follow the chain of seeds"


class _Told(NamedTuple):
    """A finished game whose cut lacked texts."""

    rows: Sequence[Row]
    cut: Cut
    closed: Row
    late: Sequence[Row]


def check_late(source: FileSource | ExportSource, late: Iterable[Row]) -> Iterator[Finding]:
    """A text that came late is one that was withheld, fits its seal, and came within a day."""
    games = sorted({row.leaf.game for row in late})
    for game, told in _games(source, games):
        missing = set(told.closed.leaf.withheld) if told else set()
        for row in told.late if told else ():
            text = _wrong_late(told, row, missing)
            if text:
                yield Finding("cuts", text, row.n, game)
            missing.discard(row.leaf.number)
        if told is None:
            yield Finding("cuts", "a text came late to a game that never closed", game=game)


def _wrong_late(told: _Told | None, row: Row, missing: set[int]) -> str:
    """What is wrong with a text that came late, or nothing."""
    assert told is not None
    leaf = row.leaf
    if leaf.number not in missing:
        return f"text {leaf.number} was not withheld, or came late twice"
    if not told.closed.leaf.at <= leaf.at <= told.closed.leaf.at + DAY_MS or row.n < told.closed.n:
        return f"text {leaf.number} came more than a day after the closing"
    player, seal = told.cut.seals[leaf.number - 1]
    try:
        fits = fairness.seal_of(leaf.game, player, fairness.check_text(leaf.text)) == seal
    except BadCut:
        fits = False
    return "" if fits else f"the late text does not fit the seal of {player}"


def check_silence(
    source: FileSource | ExportSource, games: Iterable[str], decide: Decide
) -> Iterator[Finding]:
    """Who was silent how often, which texts nobody ever saw, and what silence moved."""
    shut: Counter[str] = Counter()
    never: Counter[str] = Counter()
    found: list[silence.Moved] = []
    for game, told in _games(source, sorted(games)):
        if told is None:
            continue
        came = {row.leaf.number for row in told.late}
        for number in told.closed.leaf.withheld:
            player = told.cut.seals[number - 1][0]
            shut[player] += 1
            never[player] += number not in came
        played = _played(game, told)
        moved = played and silence.moved(played, decide)
        if moved:
            found.append(moved)
            yield Finding("silence", _said(moved), told.closed.n, game, severity=NOTE)
    for player, times in sorted(shut.items()):
        text = f"{player} left {times} sealed texts shut, {never[player]} of them were never seen"
        yield Finding("silence", text, severity=NOTE)
    for account, cents in silence.totals(found).items():
        text = f"silence moved {cents:+} cents to {account} in {len(found)} games"
        if silence.is_beyond_chance(found, account):
            yield Finding("silence", f"{text}, which chance does not explain", severity=WARNING)
        else:
            yield Finding("silence", text, severity=NOTE)


def _said(moved: silence.Moved) -> str:
    """What a silence did to a game, in words."""
    names = ", ".join(moved.silent)
    cents = ", ".join(f"{name} {cents:+}" for name, cents in moved.cents.items()) or "nothing"
    was, would = SEATS[moved.winner], SEATS[moved.would_have_won]
    return f"{names} was silent: {was} won, {would} would have; moved in cents: {cents}"


def _played(game: str, told: _Told) -> silence.Played | None:
    """What a game's other decks hang on, where bots sat in both seats and it was won."""
    leaves = {row.leaf.kind: row.leaf for row in told.rows}
    opened, over, locked = (leaves.get(k) for k in ("game_opened", "game_over", "book_locked"))
    if opened is None or over is None or locked is None or opened.bots.challenger is None:
        return None
    book = made.book_of(opened)
    for row in told.rows:
        if row.leaf.kind == "bet":
            bet, side = row.leaf, SEATS.index(row.leaf.side)
            book = gallery.with_bet(book, gallery.Bet(bet.order, bet.player, side, bet.unit_cents))
    texts = {number: (text, True) for number, text in told.cut.opened.items()}
    texts |= {row.leaf.number: (row.leaf.text, False) for row in told.late}
    seals = told.cut.seals
    return silence.Played(
        game=game,
        server_seed=bytes.fromhex(over.record.fairness.server_seed),
        laws=made.laws_of(opened.laws),
        loser_deals=None if opened.loser_deals is None else SEATS.index(opened.loser_deals),
        bots=(opened.bots.house, opened.bots.challenger),
        slip_permille=opened.slip_permille or 0,
        book=book,
        cover=made.cover_of(locked.cover),
        texts=[silence.Text(n, seals[n - 1][0], *texts[n]) for n in sorted(texts)],
        never_opened=[seals[n - 1][0] for n in told.cut.shut if n not in texts],
    )


def _games(
    source: FileSource | ExportSource, games: Sequence[str]
) -> Iterator[tuple[str, _Told | None]]:
    """Some games as their leaves tell them, with their late texts."""
    found: defaultdict[str, list[Row]] = defaultdict(list)
    wanted = set(games)
    for rows in map(source.rows, games) if isinstance(source, FileSource) else [source.rows()]:
        for n, body in rows if wanted else ():
            leaf = read_if_sound(body)
            if leaf is not None and (name := leaf.subject) in wanted and name is not None:
                found[name].append(Row(n, leaf, body))
    for game in games:
        yield game, _told(found[game])


def _told(rows: Sequence[Row]) -> _Told | None:
    """A game whose book has closed, as far as its leaves make sense."""
    cut, closed, late = Cut(), None, []
    for row in rows:
        leaf: Any = row.leaf
        if leaf.kind in ("bet", "cut") and leaf.seal is not None:
            cut.seals.append((leaf.player, leaf.seal))
        elif leaf.kind == "cut_opened":
            cut.opened[leaf.number] = leaf.text
        elif leaf.kind == "betting_closed":
            closed = row
        elif leaf.kind == _LATE:
            late.append(row)
    if closed is None or max(closed.leaf.withheld, default=0) > len(cut.seals):
        return None
    return _Told(rows, cut, closed, late)
