"""Reconstruct a finished game's record, bets and payments from its events.

Events omit data that can be derived. The laws are in the table's settings; decks follow from the
seed and the contributions, and payments from the bets, the covers and the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from msgspec.structs import asdict

from casino import betting, fairness
from casino.betting import NO_COVER, Bet, BetSizeLimits, Book, Closing, Settlement
from casino.ecarte import HOUSE, SEATS, DealRecord, Laws, Record, Seat, first_dealer
from casino.errors import FileError
from casino.events import factories
from casino.events.types import (
    SIDES,
    ActionTaken,
    BetAccepted,
    BettingClosed,
    BookLocked,
    CutOpened,
    CutSealed,
    Event,
    GameOpened,
    GameOver,
    GameVoid,
    PackDealt,
    TermsSet,
    UnitLimits,
)


class FinishedGame(NamedTuple):
    """Events of a finished game; `texts` maps commitment numbers to contributions."""

    opened: GameOpened
    terms: TermsSet
    bets: tuple[BetAccepted, ...]
    seals: tuple[BetAccepted | CutSealed, ...]
    texts: Mapping[int, str]
    locked: BookLocked | None
    closed: BettingClosed | None
    deals: tuple[tuple[Seat, tuple[str, ...]], ...]
    end: GameOver | GameVoid

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


def settings_of(terms: Iterable[Event], opened: GameOpened) -> TermsSet:
    """Return the latest settings in `terms` that apply to a game; raise `FileError` if none do."""
    number = int(opened.game.rpartition("-")[2])
    current = None
    for terms_set in terms:
        if (
            isinstance(terms_set, TermsSet)
            and terms_set.table == opened.table
            and terms_set.from_game <= number
        ):
            current = terms_set
    if current is None:
        raise FileError(f"no terms are set for {opened.game}")
    return current


def finished_game(events: Iterable[Event], terms: Iterable[Event]) -> FinishedGame | None:
    """Collect the events of a game, or return None if it has not ended."""
    bets: list[BetAccepted] = []
    seals: list[BetAccepted | CutSealed] = []
    texts: dict[int, str] = {}
    deals: list[tuple[Seat, list[str]]] = []
    by_type: dict[type, Any] = {}
    for event in events:
        if isinstance(event, ActionTaken):
            deals[-1][1].append(event.action)
        elif isinstance(event, PackDealt):
            deals.append((SIDES.index(event.dealer), []))
        elif isinstance(event, CutOpened):
            texts[event.number] = event.text
        # A commitment's number is its position in `seals`, so their order must be that of the log.
        elif isinstance(event, BetAccepted):
            bets.append(event)
            seals += [event] if event.seal is not None else []
        elif isinstance(event, CutSealed):
            seals.append(event)
        else:
            by_type[type(event)] = event
    opened: GameOpened = by_type[GameOpened]
    end = by_type.get(GameOver) or by_type.get(GameVoid)
    if end is None:
        return None
    return FinishedGame(
        opened,
        settings_of(terms, opened),
        tuple(bets),
        tuple(seals),
        texts,
        by_type.get(BookLocked),
        by_type.get(BettingClosed),
        tuple((dealer, tuple(tokens)) for dealer, tokens in deals),
        end,
    )


def book_of(terms: TermsSet, challenger: str, bets: Iterable[BetAccepted] = ()) -> Book:
    """Build a game's book from its table's settings and the accepted bets."""
    laws, limits = factories.betting_rules_from_event(terms.gallery), _limits_of(terms.limits)
    book = Book(challenger, terms.stake_cents, laws, limits)
    for bet in bets:
        side = SIDES.index(bet.side)
        book = betting.with_bet(book, Bet(bet.order, bet.player, side, bet.unit_cents))
    return book


@lru_cache(maxsize=64)
def _limits_of(limits: UnitLimits) -> BetSizeLimits:
    return BetSizeLimits(**asdict(limits))


def record_of(game: FinishedGame) -> Record:
    """Return the game's record, which has no deals if the seed was lost."""
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
    loser = None if opened.loser_deals is None else SIDES.index(opened.loser_deals)
    deals: tuple[DealRecord, ...] = ()
    by_cut = HOUSE
    if end.server_seed is not None:
        seed = bytes.fromhex(end.server_seed)
        proof["server_seed"] = end.server_seed
        by_cut = fairness.first_dealer(seed, opened.game, cut)
        deals = _deals(game, seed, cut)
    return Record(
        laws=game.laws,
        first_dealer=first_dealer(game.laws, by_cut, loser),
        deals=deals,
        game=opened.game,
        players=asdict(opened.players),
        result=_result(end),
        fairness=proof,
    )


def _deals(game: FinishedGame, seed: bytes, cut: str) -> tuple[DealRecord, ...]:
    cards = iter(game.end.exchanges)
    deals = []
    for number, (dealer, tokens) in enumerate(game.deals, 1):
        deck = fairness.deck(seed, game.opened.game, cut, number)
        # The log hides exchanged cards until the game's last event, which lists them in order.
        known = (
            _EXCHANGED + next(cards, action_token[1:])
            if action_token[0] == _EXCHANGED
            else action_token
            for action_token in tokens
        )
        deals.append(DealRecord(dealer, deck, " ".join(known)))
    return tuple(deals)


_EXCHANGED: Final = factories.EXCHANGED


def _result(end: GameOver | GameVoid) -> dict[str, Any] | None:
    if isinstance(end, GameVoid):
        return None
    return {"score": asdict(end.score), "winner": end.winner, "stake": end.stake}


def closing_of(game: FinishedGame) -> Closing | None:
    """Recompute the closing of the book, or return None if it never closed."""
    if game.locked is None or game.closed is None:
        return None
    book, cover = game.book, factories.cover_from_event(game.locked.cover)
    sealed = [seal.player for seal in game.seals]
    held = betting.lock(book, cover, sealed).cover if sealed else NO_COVER
    return betting.close(book, cover, game.withheld, held)


def settlement_of(game: FinishedGame) -> Settlement | None:
    """Recompute the payments of stakes and bets, or return None for a void game."""
    closing = closing_of(game)
    if closing is None or not isinstance(game.end, GameOver):
        return None
    return betting.settle(closing, SEATS.index(game.end.winner), game.end.stake)
