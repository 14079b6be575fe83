"""Each game told by its leaves, checked from the commitment to the last cent.

The game is told again and must come out leaf for leaf: the book is kept, matched and settled
with the code that played, the decks are made from the revealed seed and the cut, the record is
replayed, and every action must be the one that was logged while its cards were still hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import asdict, replace

from casino import fairness, gallery
from casino.audit.bots import Decide, check_bots
from casino.audit.findings import NOTE, Finding
from casino.audit.sums import check_sides, check_sums, moved
from casino.bank.leaves import GREATEST, Entry, Leaf, canonical
from casino.bank.ledger import escrow_entry
from casino.ecarte.cards import text as card_text
from casino.ecarte.game import first_dealer
from casino.ecarte.laws import Laws
from casino.ecarte.record import SEATS, Record, read_record
from casino.ecarte.replay import steps
from casino.ecarte.rules import HOUSE, Seat, multiplier, other
from casino.ecarte.state import DEALING, Deal
from casino.errors import CasinoError
from casino.events import made
from casino.events.kinds import SIDES, BetAccepted, BettingClosed, GameOpened, PackDealt, TurnedUp

ENDS: Final = ("game_over", "game_void")
NO_COVER: Final = gallery.Cover()


class Row(NamedTuple):
    """A leaf of a game: its number, the leaf of whatever type, and its bytes."""

    n: int
    leaf: Any
    body: bytes


class Wrong(Exception):
    """What a game's leaves say is not what they must say."""

    def __init__(self, row: Row, text: str, check: str = "games") -> None:
        super().__init__(text)
        self.row = row
        self.text = text
        self.check = check


class Telling:
    """The leaves of a game, taken one after the other and compared with what must come."""

    def __init__(self, game: str, rows: Sequence[Row]) -> None:
        self.game = game
        self.rows = rows
        self.at = 0

    @property
    def kind(self) -> str:
        """The type of the next leaf; nothing at the end."""
        return self.rows[self.at].leaf.kind if self.at < len(self.rows) else ""

    @property
    def here(self) -> Row:
        """The next leaf, or the last if there is none."""
        return self.rows[self.at if self.at < len(self.rows) else -1]

    def take(self, kind: str) -> Row:
        """The next leaf, which must be of a type."""
        at = self.at
        if at == len(self.rows) or (row := self.rows[at]).leaf.kind != kind:
            raise Wrong(self.here, f"{kind} must come here, not {self.kind or 'the end'}")
        self.at = at + 1
        return row

    def expect(self, event: Leaf) -> Row:
        """The next leaf, which must say exactly what an event says."""
        row = self.take(event.kind)
        due = replace(event, at=row.leaf.at)
        if canonical(due) != row.body:
            differing = (
                f"{name} is {_shown(said)}, not {_shown(must)}"
                for name in sorted(due.__struct_fields__)
                if (said := getattr(row.leaf, name)) != (must := getattr(due, name))
            )
            raise Wrong(row, f"{event.kind}: {', '.join(differing)}"[:300])
        return row

    def expect_entry(self, move: gallery.Move, reason: str = "") -> None:
        """The entry of a move, to the cent; a move of nothing has none."""
        if not move.postings:
            return
        due = escrow_entry(self.game, *move, reason)
        row = self.take("entry")
        said: Entry = row.leaf
        if said != replace(due, at=said.at, entry=said.entry):
            differing = sorted(set(said.postings) ^ set(due.postings))
            text = f"{said.move}, {due.move} is due; postings that differ: {differing}"
            raise Wrong(row, text[:300], "settlement" if due.move == "settle" else "games")


def check_game(game: str, rows: Sequence[Row], decide: Decide | None = None) -> list[Finding]:
    """Everything wrong with a game, as far as it can be told; an unfinished one is noted."""
    telling = Telling(game, [row for row in rows if row.leaf.kind != "seat"])
    findings = list(_defaults(game, rows))
    try:
        findings += _tell(telling, decide)
    except Wrong as wrong:
        number = getattr(wrong.row.leaf, "entry", None)
        findings.append(Finding(wrong.check, wrong.text, wrong.row.n, game, number))
    except CasinoError as error:
        findings.append(Finding("games", str(error), telling.here.n, game))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        text = f"a leaf lacks what it must have: {type(error).__name__} {error}"
        findings.append(Finding("games", text, telling.here.n, game))
    return findings + _second_way(game, rows)


def _defaults(game: str, rows: Sequence[Row]) -> Iterator[Finding]:
    """A game is given up once at most, and by the person who challenges the house in it."""
    opened = rows[0].leaf
    gone = [row for row in rows if row.leaf.kind == "seat"]
    for place, row in enumerate(gone):
        is_person = isinstance(opened, GameOpened) and opened.bots.challenger is None
        is_his = is_person and row.leaf.player == opened.players.challenger
        if place or not is_his or row.leaf.what != "defaulted":
            yield Finding("games", f"{row.leaf.player} cannot have given up this game", row.n, game)


def _tell(telling: Telling, decide: Decide | None) -> Iterator[Finding]:
    """Tell a game from its opening to its end."""
    game = telling.game
    opened: GameOpened = telling.take("game_opened").leaf
    book, contributions = _betting(telling, opened)
    end = next((row for row in telling.rows if row.leaf.kind in ENDS), None)
    if end is None or telling.kind != end.leaf.kind:
        stands, closing = _closing(telling, book, contributions) if telling.kind else ((), None)
        if end is None:
            text = "the game is unfinished: its commitment is not opened yet"
            yield Finding("unfinished", text, telling.rows[0].n, game, severity=NOTE)
            return
    else:
        stands, closing = gallery.as_entered(book), None
    closed = next((row.leaf for row in telling.rows if row.leaf.kind == "betting_closed"), None)
    record = _record(game, opened, closed, end, fairness.cut_of(contributions))
    assert record.fairness is not None
    if decide is not None:
        yield from check_bots(game, end.n, record, opened.bots, decide)
    score = (0, 0)
    for event, deal in _course(game, record, bytes.fromhex(record.fairness["server_seed"])):
        telling.expect(event)
        score = deal.score
    target = record.laws.target
    if end.leaf.kind == "game_void":
        telling.expect(made.game_void(game, end.leaf.reason, record, end.leaf.fault))
        kept = closing.book if closing else book
        telling.expect_entry(gallery.void(kept, stands), end.leaf.reason)
    elif closing is None or target not in score:
        raise Wrong(end, "the game is not over")
    else:
        winner = score.index(target)
        times = multiplier(score[other(winner)])
        _check_result(end, record, score, winner, times)
        telling.expect(made.game_over(game, record))
        settlement = gallery.settle(closing, winner, times)
        telling.expect(made.settled(game, winner, times, settlement))
        telling.expect_entry(settlement.move)
    if telling.kind:
        raise Wrong(telling.here, "the game is over, but this leaf follows")


def _betting(telling: Telling, opened: GameOpened) -> tuple[gallery.Book, list[str]]:
    """The book as it was kept, and the contributions to the cut."""
    book = gallery.Book(
        opened.players.challenger,
        opened.stake_cents,
        made.betting_laws_of(opened.gallery),
        gallery.Limits(**asdict(opened.limits)),
    )
    telling.expect_entry(gallery.hold_stakes(book, GREATEST, GREATEST))
    contributions = []
    while telling.kind in ("bet", "cut"):
        if telling.kind == "cut":
            contributions.append(telling.take("cut").leaf.text)
            continue
        said: BetAccepted = telling.here.leaf
        entered = gallery.enter_bet(
            book, said.player, SEATS.index(said.side), said.unit_cents, GREATEST
        )
        book = entered.book
        telling.expect(made.bet_accepted(telling.game, entered.bet))
        telling.expect_entry(entered.hold)
    return book, contributions


def _closing(
    telling: Telling, book: gallery.Book, contributions: Sequence[str]
) -> tuple[Sequence[gallery.Stand], gallery.Closing]:
    """The book closed, the sides made equal, what is cut given back."""
    said = telling.here.leaf
    cover = gallery.Cover(**asdict(said.cover)) if telling.kind == "betting_closed" else NO_COVER
    closing = gallery.close(book, cover)
    cut = fairness.cut_of(contributions)
    # Whether this seat had to deal follows from the seed, which is revealed at the end.
    first = SIDES.index(said.first_dealer) if telling.kind == "betting_closed" else HOUSE
    telling.expect(made.betting_closed(telling.game, cut, cover, closing, first))
    for move in closing.moves:
        telling.expect_entry(move)
    return closing.stands, closing


def _record(
    game: str, opened: GameOpened, closed: BettingClosed | None, end: Row, cut: str
) -> Record:
    """The record that ends a game, its decks those of the seed committed to and of the cut."""
    record = read_record(canonical(end.leaf.record))
    laws = made.laws_of(opened.laws)
    if record.game != game or record.laws != laws or record.players != asdict(opened.players):
        raise Wrong(end, "the record is not of this game, its laws and its players")
    said = record.fairness or {}
    if said.get("commitment") != opened.commitment:
        raise Wrong(end, "the seed revealed is not the one committed to")
    if said.get("cut") != cut:
        raise Wrong(end, "the cut is not that of the contributions")
    fairness.verify(record)
    seed = bytes.fromhex(said["server_seed"])
    due = _first_dealer(laws, opened, seed, game, cut)
    if record.deals and record.first_dealer != due:
        raise Wrong(end, "the wrong seat dealt first")
    if closed is not None and SIDES.index(closed.first_dealer) != due:
        raise Wrong(end, "the book closed with the wrong seat to deal first")
    return record


def _first_dealer(laws: Laws, opened: GameOpened, seed: bytes, game: str, cut: str) -> Seat:
    """Who had to deal first (R2.1): by the laws, by the last game's loss, or by the cut."""
    loser = None if opened.loser_deals is None else SEATS.index(opened.loser_deals)
    return first_dealer(laws, fairness.first_dealer(seed, game, cut), loser)


def _course(game: str, record: Record, seed: bytes) -> Iterator[tuple[Leaf, Deal]]:
    """The leaves that the play of a record must have made, each with the deal after it."""
    before: Deal | None = None
    for number, what, deal in steps(record):
        if what is None and deal.phase == DEALING:
            yield PackDealt(deal=number, dealer=SIDES[deal.dealer], game=game), deal
        elif what is None:
            yield TurnedUp(card=card_text(deal.turn_up), deal=number, game=game), deal
        else:
            assert before is not None
            yield made.action_taken(game, number, before, what, seed), deal
        hands = made.hands_shown(game, number, deal)
        if hands is not None:
            yield hands, deal
        before = deal


def _check_result(
    end: Row, record: Record, score: tuple[int, int], winner: Seat, times: int
) -> None:
    """The result stated must be the one replayed."""
    due = {
        "score": dict(zip(SEATS, score, strict=True)),
        "winner": SEATS[winner],
        "stake": times,
    }
    if record.result != due:
        raise Wrong(end, f"the result is {due}, not {record.result}")


def _second_way(game: str, rows: Iterable[Row]) -> list[Finding]:
    """The game's money by plain sums (check 5)."""
    found: dict[str, Row] = {}
    entries: list[Entry] = []
    for row in rows:
        found[row.leaf.kind] = row
        if row.leaf.kind == "entry":
            entries.append(row.leaf)
    end = found.get("settled") or found.get("game_void")
    try:
        if end is None:
            return []
        money = moved(game, entries)
        findings = check_sums(game, end.n, money)
        if "settled" in found:
            stands = found["betting_closed"].leaf.stands
            opened, settled = found["game_opened"].leaf, end.leaf
            findings += check_sides(game, end.n, money, stands, opened, settled)
        return findings
    except (KeyError, TypeError, ValueError) as error:
        assert end is not None
        return [Finding("sums", f"a leaf lacks what it must have: {error}", end.n, game)]


def _shown(value: object) -> str:
    """A value as a finding shows it."""
    return "missing" if value is None else str(value)
