"""Replay a game from its leaves, and compare every leaf with the one that the replay expects.

The book is matched and settled by the code that ran the game. Decks are derived from the revealed
seed and the contributions, and each action must match what was logged while its cards were still
hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from casino import betting, fairness
from casino.audit.check import ENDS, NOTE, Decide, Finding, GameLeaf
from casino.audit.checks.bots import check_bots, is_exposed
from casino.audit.checks.settlement import check_payments
from casino.chips import format_chips
from casino.ecarte import (
    CHALLENGER,
    DEALING,
    HOUSE,
    SEATS,
    Deal,
    Record,
    concession,
    format_card,
    multiplier,
    replay_steps,
    token,
)
from casino.errors import CasinoError
from casino.events import factories
from casino.events import types as events
from casino.events.game_record import FinishedGame, book_of, finished_game, record_of, settings_of
from casino.events.types import SIDES, GameOpened, TermsSet
from casino.ledger.accounts import escrow_postings
from casino.ledger.entries import MAX_INT, UNNUMBERED, Entry, Leaf, canonical, split_entry

_ASIDE: Final = ("seat", "cut_late")  # leaves that may appear anywhere in a game, or after it
_INCOMPLETE: Final = "a leaf is missing, or lacks a required value"
_FORGED: Final = (KeyError, TypeError, ValueError, IndexError)  # how forged leaves break a replay


class GameMismatch(Exception):
    """Raised when a leaf contradicts the replay of its game."""

    def __init__(self, row: GameLeaf, text: str, check: str = "games") -> None:
        super().__init__(text)
        number = getattr(row.leaf, "entry", None)
        self.finding = Finding(check, text, row.n, row.leaf.game, number)


class LeafCursor:
    """A cursor over a game's leaves that compares each with the expected one."""

    def __init__(self, game: str, rows: Sequence[GameLeaf]) -> None:
        self.game = game
        self.rows = rows
        self.at = 0

    @property
    def kind(self) -> str:
        """The type of the next leaf, or "" after the last one."""
        return self.rows[self.at].leaf.kind if self.at < len(self.rows) else ""

    @property
    def current(self) -> GameLeaf:
        """The next leaf, or the last leaf once all have been taken."""
        return self.rows[self.at if self.at < len(self.rows) else -1]

    def take(self, kind: str) -> GameLeaf:
        """Return the next leaf; raise `GameMismatch` unless it is of type `kind`."""
        row = self.current
        if self.kind != kind:
            raise GameMismatch(row, f"expected {kind}, not {self.kind or 'the end'}")
        self.at += 1
        return row

    def expect(self, event: Leaf) -> GameLeaf:
        """Return the next leaf; raise `GameMismatch` unless it equals `event`, ignoring times."""
        row = self.take(event.kind)
        expected = replace(event, at=row.leaf.at)
        # Most leaves are equal, and comparing them is faster than encoding.
        if expected != row.leaf and canonical(expected) != canonical(row.leaf):
            differing = (
                f"{name} is {_shown(actual)}, not {_shown(must)}"
                for name in sorted(expected.__struct_fields__)
                if (actual := getattr(row.leaf, name)) != (must := getattr(expected, name))
            )
            raise GameMismatch(row, f"{event.kind}: {', '.join(differing)}"[:300])
        return row

    def expect_entry(self, move: betting.MoneyMove, reason: str = "") -> None:
        """Check that the next leaves are the entry for a money move, unless the move is empty."""
        if not move.postings:
            return
        # Not with `escrow_entry`: its checks took 15 % of the time of a replay.
        entry = Entry(
            entry=UNNUMBERED,
            game=self.game,
            move=move.kind,
            postings=tuple(sorted(escrow_postings(self.game, move.postings))),
            reason=reason or None,
        )
        for expected in split_entry(entry):
            row = self.take("entry")
            actual: Entry = row.leaf
            if actual != replace(expected, at=actual.at, entry=actual.entry):
                check = "settlement" if expected.move == "settle" else "games"
                raise GameMismatch(row, _difference(actual, expected)[:300], check)


def _difference(actual: Entry, expected: Entry) -> str:
    moved, must = dict(actual.postings), dict(expected.postings)
    differing = [
        f"{account} gets {format_chips(cents)}, not {format_chips(due_cents)}"
        for account in sorted(moved.keys() | must.keys())
        if (cents := moved.get(account, 0)) != (due_cents := must.get(account, 0))
    ]
    if actual.reason != expected.reason:
        differing.append(f"its reason is {actual.reason}, not {expected.reason}")
    move = actual.move if actual.move == expected.move else f"{actual.move}, not {expected.move}"
    return f"{move}: {'; '.join(differing)}"


def check_game(
    game: str, rows: Sequence[GameLeaf], terms: Iterable[TermsSet], decide: Decide | None = None
) -> list[Finding]:
    """Return the findings about one game, including a note if it is unfinished.

    `terms` are the table's settings logged so far. Without `decide`, bots are not checked.
    """
    kinds: dict[str, list[GameLeaf]] = {}
    for row in rows:
        kinds.setdefault(row.leaf.kind, []).append(row)
    cursor = LeafCursor(game, [row for row in rows if row.leaf.kind not in _ASIDE])
    findings = list(_defaults(game, rows[0].leaf, kinds.get("seat", ())))
    rules = None
    try:
        rules = settings_of(terms, cursor.take("game_opened").leaf)
        gone = next((row.n for row in kinds.get("seat", ()) if row.leaf.what == "defaulted"), None)
        findings += _tell(cursor, rules, gone, decide)
    except GameMismatch as wrong:
        findings.append(wrong.finding)
    except CasinoError as error:
        findings.append(Finding("games", str(error), cursor.current.n, game))
    except _FORGED:
        findings.append(Finding("games", _INCOMPLETE, cursor.current.n, game))
    if rules is not None and "game_over" in kinds:
        try:
            findings += check_payments(game, kinds, rules)
        except _FORGED:
            findings.append(Finding("sums", _INCOMPLETE, kinds["game_over"][-1].n, game))
    return findings


def _defaults(game: str, opened: Any, gone: Iterable[GameLeaf]) -> Iterator[Finding]:
    for index, row in enumerate(gone):
        is_person = isinstance(opened, GameOpened) and opened.bots.challenger is None
        is_his = is_person and row.leaf.player == opened.players.challenger
        if index or not is_his or row.leaf.what != "defaulted":
            yield Finding("games", f"{row.leaf.player} cannot have given up this game", row.n, game)


def _tell(
    cursor: LeafCursor, rules: TermsSet, gone: int | None, decide: Decide | None
) -> Iterator[Finding]:
    """Replay a game and yield findings; `gone` is the leaf at which the challenger left, if any."""
    game, opened = cursor.game, cursor.rows[0].leaf
    book, seals = _betting(cursor, opened, rules)
    end = next((row for row in cursor.rows if row.leaf.kind in ENDS), None)
    closing, held = _closing(cursor, opened, book, seals)
    played = finished_game((row.leaf for row in cursor.rows), [rules])
    if end is None or played is None:
        text = "its seed is not revealed yet"
        yield Finding("unfinished", text, cursor.rows[0].n, game, severity=NOTE)
        return
    record = _record(played, end)
    seed = bytes.fromhex(end.leaf.server_seed)
    if decide is not None:
        yield from check_bots(game, end.n, record, opened.bots, decide)
        if opened.played_by:
            name = opened.players.challenger
            text = f"a program played for {name}, and its decisions cannot be checked"
            yield Finding("bots", text, cursor.rows[0].n, game, severity=NOTE)
    _check_slips(end, record, seed, rules.slip_permille)
    yield from _check_given_up(cursor, rules, end, gone)
    score = (0, 0)
    before: Deal | None = None
    number = 0
    for event, deal in _course(game, record, seed):
        row = cursor.expect(event)
        if isinstance(event, events.PackDealt):
            number = event.deal
        elif gone is not None and row.n > gone and before is not None and event.kind == "action":
            action = deal.history[-1]
            if is_exposed(action) or before.actor(action) != CHALLENGER:
                expected = action
            else:
                expected = concession(before)
            if action != expected:
                text = f"deal {number}: the challenger gave this game up and concedes it, but"
                text = f"{text} {token(action)} is played, not {token(expected)}"
                yield Finding("games", text, row.n, game)
                gone = None  # report only the first
        before, score = deal, deal.score
    if end.leaf.kind == "game_void":
        cursor.expect(
            factories.game_void(game, end.leaf.reason, seed, record.deals, end.leaf.fault)
        )
        stands = closing.stands if closing else betting.as_entered(book)
        kept = closing.book if closing else book
        cursor.expect_entry(betting.void(kept, stands, held), end.leaf.reason)
    elif closing is None or record.laws.target not in score:
        raise GameMismatch(end, "the game is not over")
    else:
        winner = score.index(record.laws.target)
        times = multiplier(score[1 - winner])
        cursor.expect(factories.game_over(game, seed, record.deals, score, winner, times))
        cursor.expect_entry(betting.settle(closing, winner, times).move)
    if cursor.kind:
        raise GameMismatch(cursor.current, "the game is over, but this leaf follows")


def _check_given_up(
    cursor: LeafCursor, rules: TermsSet, end: GameLeaf, gone: int | None
) -> Iterator[Finding]:
    """Check that an abandoned game is void if and only if the settings say so (G14)."""
    is_void = rules.abandon == "void"
    if end.leaf.kind == "game_void" and end.leaf.reason in (events.LEFT, events.OUT_OF_TIME):
        why = "under the terms it is conceded" if gone is not None else "no one gave it up"
        if gone is None or not is_void:
            text = f"the game is void because it was given up, but {why}"
            yield Finding("games", text, end.n, cursor.game)
    if gone is not None and is_void:
        row = next(row for row in (*cursor.rows, end) if row.n > gone or row is end)
        if row.leaf.kind != "game_void":
            text = "the challenger gave this game up, which makes it void under the terms"
            yield Finding("games", f"{text}, but it continues", row.n, cursor.game)


def _add_seal(seals: dict[str, str], row: GameLeaf) -> None:
    """Add a leaf's commitment, if any; raise `GameMismatch` if it was not acceptable."""
    player, seal = row.leaf.player, row.leaf.seal
    if seal is None:
        return
    if player in seals:
        raise GameMismatch(row, f"{player} seals a second text", "cuts")
    if not fairness.is_hash(seal) or len(seals) == fairness.MAX_CUTS:
        raise GameMismatch(row, "this seal must be refused", "cuts")
    seals[player] = seal


def _betting(
    cursor: LeafCursor, opened: GameOpened, rules: TermsSet
) -> tuple[betting.Book, dict[str, str]]:
    """Return the book, and the hash that each player has sealed, in the order of the log."""
    book = book_of(rules, opened.players.challenger)
    cursor.expect_entry(betting.hold_stakes(book, MAX_INT, MAX_INT))
    seals, bettors = dict[str, str](), set[str]()
    while cursor.kind in ("bet", "cut"):
        if cursor.kind == "cut":
            row = cursor.take("cut")
            if row.leaf.player != opened.players.challenger or opened.bots.challenger:
                raise GameMismatch(row, "only a human challenger seals without a bet", "cuts")
            _add_seal(seals, row)
            continue
        accepted: events.BetAccepted = cursor.current.leaf
        if accepted.seal is not None and accepted.player in bettors:
            raise GameMismatch(cursor.current, "only a bettor's first bet has a seal", "cuts")
        entered = betting.enter_bet(
            book, accepted.player, SEATS.index(accepted.side), accepted.unit_cents, MAX_INT
        )
        book = entered.book
        bettors.add(accepted.player)
        expected = factories.bet_accepted(cursor.game, entered.bet, accepted.seal)
        _add_seal(seals, cursor.expect(expected))
        cursor.expect_entry(entered.hold)
    if cursor.kind == "entry":
        raise GameMismatch(cursor.current, "an entry without its bet")
    return book, seals


def _closing(
    cursor: LeafCursor, opened: GameOpened, book: betting.Book, seals: Mapping[str, str]
) -> tuple[betting.Closing | None, betting.Cover]:
    """Return the closing, if the book was closed, and the covers that are held if it was not."""
    if cursor.kind != "book_locked":
        return None, betting.NO_COVER
    cover = factories.cover_from_event(cursor.current.leaf.cover)
    if cover.challenger_cents > opened.cover_cents:
        text = f"the challenger covers {cover.challenger_cents} cents, but offered"
        raise GameMismatch(cursor.current, f"{text} {opened.cover_cents}", "cover")
    locked = betting.lock(book, cover, set(seals))
    cursor.expect(factories.book_locked(cursor.game, book, len(seals), cover))
    cursor.expect_entry(locked.hold)
    texts: dict[int, str] = {}
    while cursor.kind == "cut_opened":
        row = cursor.take("cut_opened")
        number, text = row.leaf.number, row.leaf.text
        if not 1 <= number <= len(seals) or number in texts:
            raise GameMismatch(row, f"text {number} cannot be opened here", "cuts")
        player, seal = [*seals.items()][number - 1]
        sealed = fairness.commitment_to(cursor.game, player, fairness.check_contribution(text))
        if sealed != seal:
            raise GameMismatch(row, f"the text does not match the seal of {player}", "cuts")
        texts[number] = text
    if cursor.kind != "betting_closed":
        # Without commitments nothing can be withheld, so the book closes and no cover is held.
        return None, locked.held
    withheld = {n: player for n, player in enumerate(seals, 1) if n not in texts}
    combined = fairness.combine(text for _, text in sorted(texts.items()))
    closing = betting.close(book, cover, [*withheld.values()], locked.held)
    # The first dealer follows from the seed, so it is checked when the seed is revealed.
    first = SIDES.index(cursor.current.leaf.first_dealer)
    cursor.expect(factories.betting_closed(cursor.game, combined, [*withheld], closing, first))
    for move in closing.moves:
        cursor.expect_entry(move)
    return closing, betting.NO_COVER


def _record(game: FinishedGame, end: GameLeaf) -> Record:
    seed = game.end.server_seed
    if seed is None:
        raise GameMismatch(end, "the seed is not revealed")
    if not fairness.is_hash(seed):
        raise GameMismatch(end, "the seed is not 64 digits of 0-9 a-f")
    if fairness.commitment_of(bytes.fromhex(seed)) != game.opened.commitment:
        raise GameMismatch(end, "the revealed seed does not match the commitment")
    record = record_of(game)
    if game.closed is not None and SIDES.index(game.closed.first_dealer) != record.first_dealer:
        raise GameMismatch(end, "the closed book names the wrong first dealer")
    return record


def _check_slips(end: GameLeaf, record: Record, seed: bytes, permille: int) -> None:
    """Check that exactly the cards determined by the seed were exposed in dealing (R8.1)."""
    assert record.game is not None
    for number, deal in enumerate(record.deals, 1):
        slips = deal.dealer == HOUSE
        card_index = fairness.exposed_card(seed, record.game, number, permille) if slips else None
        expected = "" if card_index is None else f"E{format_card(deal.deck[card_index])}"
        first = deal.actions.partition(" ")[0]
        if (first if first.startswith("E") else "") != expected:
            text = (
                f"deal {number}: {expected or 'no card'} must be exposed, not {first or 'nothing'}"
            )
            raise GameMismatch(end, text)


def _course(game: str, record: Record, seed: bytes) -> Iterator[tuple[Leaf, Deal]]:
    before: Deal | None = None
    for number, action, deal in replay_steps(record):
        if action is None and deal.phase == DEALING:
            yield events.PackDealt(deal=number, dealer=SIDES[deal.dealer], game=game), deal
        elif action is None:
            yield events.TurnedUp(card=format_card(deal.turn_up), game=game), deal
        else:
            assert before is not None
            yield factories.action_taken(game, number, before, action, seed), deal
        hands = factories.hands_shown(game, deal)
        if hands is not None:
            yield hands, deal
        before = deal


def _shown(value: object) -> str:
    return "missing" if value is None else str(value)
