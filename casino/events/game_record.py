"""Reconstruct a finished game's record, bets and payments from its events.

Events omit data that can be derived. The laws are in the table's settings; decks follow from the
seed and the contributions, and payments from the bets, the covers and the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import asdict

from casino import betting, fairness
from casino.betting import Bet, BetSizeLimits, Book, Closing, Settlement
from casino.ecarte import HOUSE, SEATS, DealRecord, Laws, Record, Seat, first_dealer
from casino.errors import FileError
from casino.events import factories, types
from casino.events.factories import EXCHANGED


class FinishedGame(NamedTuple):
    """Events of a finished game; `texts` maps commitment numbers to revealed contributions.

    `actions` counts those taken until the challenger gave the game up; later ones concede it.
    """

    opened: types.GameOpened
    terms: types.TermsSet
    bets: Sequence[types.BetAccepted]
    seals: Sequence[types.BetAccepted | types.CutSealed]
    texts: Mapping[int, str]
    locked: types.BookLocked | None
    closed: types.BettingClosed | None
    deals: Sequence[tuple[Seat, Sequence[str]]]
    actions: int
    end: types.GameOver | types.GameVoid

    @property
    def laws(self) -> Laws:
        """Laws of the game, from its table's settings."""
        return factories.laws_from_event(self.terms.laws)

    @property
    def cuts(self) -> list[list[str]]:
        """Player and text of each revealed contribution, ordered by number."""
        return [[self.seals[n - 1].player, text] for n, text in sorted(self.texts.items())]

    @property
    def withheld(self) -> list[str]:
        """Players who did not reveal their contribution in time."""
        numbered = enumerate(self.seals, 1)
        return [seal.player for number, seal in numbered if number not in self.texts]

    @property
    def book(self) -> Book:
        """The book with all bets of the game, before matching."""
        return book_of(self.terms, self.opened.players.challenger, self.bets)


def settings_of(terms: Iterable[types.Event], opened: types.GameOpened) -> types.TermsSet:
    """Return the latest settings in `terms` that apply to a game; raise `FileError` if none do."""
    number = int(opened.game.rpartition("-")[2])
    own = [t for t in terms if isinstance(t, types.TermsSet) and t.table == opened.table]
    begun = [leaf for leaf in own if leaf.from_game <= number]
    if not begun:
        raise FileError(f"no terms are set for {opened.game}")
    return begun[-1]


def finished_game(
    events: Iterable[types.Event], terms: Iterable[types.Event]
) -> FinishedGame | None:
    """Collect the events of a game, or return None if it has not ended."""
    by_type: defaultdict[type, list[Any]] = defaultdict(list)
    # A commitment's number is its position in `seals`, so their order must be that of the log.
    seals: list[types.BetAccepted | types.CutSealed] = []
    deals: list[tuple[Seat, list[str]]] = []
    actions, is_given_up = 0, False
    for event in events:
        by_type[type(event)].append(event)
        if isinstance(event, types.ActionTaken):
            deals[-1][1].append(event.action)
            actions += not is_given_up
        elif isinstance(event, types.SeatChanged):
            is_given_up = is_given_up or event.what == "defaulted"
        elif isinstance(event, types.PackDealt):
            deals.append((types.SIDES.index(event.dealer), []))
        elif isinstance(event, types.BetAccepted | types.CutSealed) and event.seal is not None:
            seals.append(event)
    opened = by_type[types.GameOpened][0]
    ends = by_type[types.GameOver] or by_type[types.GameVoid]
    if not ends:
        return None
    return FinishedGame(
        opened=opened,
        terms=settings_of(terms, opened),
        bets=by_type[types.BetAccepted],
        seals=seals,
        texts={cut.number: cut.text for cut in by_type[types.CutOpened]},
        locked=next(iter(by_type[types.BookLocked]), None),
        closed=next(iter(by_type[types.BettingClosed]), None),
        deals=deals,
        actions=actions,
        end=ends[0],
    )


def book_of(terms: types.TermsSet, challenger: str, bets: Iterable[types.BetAccepted] = ()) -> Book:
    """Build a game's book from its table's settings and the accepted bets."""
    laws = factories.betting_rules_from_event(terms.gallery)
    limits = BetSizeLimits(**asdict(terms.limits))
    book = Book(challenger, terms.stake_cents, laws, limits)
    for bet in bets:
        side = types.SIDES.index(bet.side)
        book = betting.with_bet(book, Bet(bet.order, bet.player, side, bet.unit_cents))
    return book


def record_of(game: FinishedGame) -> Record:
    """Return the game's record, without deals if the seed was lost."""
    opened, end = game.opened, game.end
    cut = fairness.combine(text for _, text in game.cuts)
    proof: dict[str, Any] = {
        "chain": opened.chain,
        "commitment": opened.commitment,
        "cut": cut,
        "cuts": game.cuts,
        "number": opened.number,
        "withheld": game.withheld,
    }
    loser = None if opened.loser_deals is None else types.SIDES.index(opened.loser_deals)
    deals: tuple[DealRecord, ...] = ()
    by_cut = HOUSE
    if end.server_seed is not None:
        seed = bytes.fromhex(end.server_seed)
        proof["server_seed"] = end.server_seed
        by_cut = fairness.first_dealer(seed, opened.game, cut)
        deals = _deals(game, seed, cut)
    result: dict[str, Any] | None = None
    if isinstance(end, types.GameOver):
        result = {"score": asdict(end.score), "winner": end.winner, "stake": end.stake}
    return Record(
        laws=game.laws,
        first_dealer=first_dealer(game.laws, by_cut, loser),
        deals=deals,
        game=opened.game,
        players=asdict(opened.players),
        result=result,
        fairness=proof,
    )


def _deals(game: FinishedGame, seed: bytes, cut: str) -> tuple[DealRecord, ...]:
    cards = iter(game.end.exchanges)
    deals = []
    for number, (dealer, tokens) in enumerate(game.deals, 1):
        deck = fairness.deck(seed, game.opened.game, cut, number)
        # The log hides exchanged cards until the game's last event, which lists them in order.
        known = (
            EXCHANGED + next(cards, action_token[1:])
            if action_token[0] == EXCHANGED
            else action_token
            for action_token in tokens
        )
        deals.append(DealRecord(dealer, deck, " ".join(known)))
    return tuple(deals)


def closing_of(game: FinishedGame) -> Closing | None:
    """Recompute the closing of the book, or return None if it never closed."""
    if game.locked is None or game.closed is None:
        return None
    book, cover = game.book, factories.cover_from_event(game.locked.cover)
    held = betting.lock(book, cover, [seal.player for seal in game.seals]).held
    return betting.close(book, cover, game.withheld, held)


def settlement_of(game: FinishedGame) -> Settlement | None:
    """Recompute the payments of stakes and bets, or return None for a void game."""
    closing = closing_of(game)
    if closing is None or not isinstance(game.end, types.GameOver):
        return None
    return betting.settle(closing, SEATS.index(game.end.winner), game.end.stake)
