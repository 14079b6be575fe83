"""Construct events from the results of play, betting and dealing.

Events of a running game are public, so none may reveal a hidden card. Decks are
derived from the committed seed, which is revealed after the game. An exchange is published as a
number of cards and a commitment to them, keyed by that seed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from msgspec.structs import asdict

from casino import ecarte
from casino.betting import Bet, BettingRules, Book, Closing, Cover, parse_betting_rules
from casino.ecarte import CHALLENGER, HOUSE, Deal, DealRecord, Laws, Seat, actions
from casino.ecarte.actions import Action
from casino.events import types as events
from casino.fairness import exchange_commitment

EXCHANGED: Final = "X"  # prefix of an exchange's token, before the cards


def bet_accepted(game: str, bet: Bet, seal: str | None = None) -> events.BetAccepted:
    """Return the event for an accepted bet; `seal` commits to the bettor's contribution."""
    return events.BetAccepted(
        game=game,
        order=bet.order,
        player=bet.bettor,
        seal=seal,
        side=events.SIDES[bet.side],
        unit_cents=bet.unit_cents,
    )


def book_locked(game: str, book: Book, seals: int, cover: Cover) -> events.BookLocked:
    """Return the event that ends betting, with the maximum cover of the principals."""
    return events.BookLocked(
        bets=len(book.bets), cover=events.CoverLimits(**cover._asdict()), game=game, seals=seals
    )


def betting_closed(
    game: str, cut_hex: str, withheld: Iterable[int], closing: Closing, first_dealer: Seat
) -> events.BettingClosed:
    """Return the event that closes a book; `withheld` lists the commitments not revealed."""
    return events.BettingClosed(
        cut=cut_hex,
        first_dealer=events.SIDES[first_dealer],
        game=game,
        matched_cents=closing.matched_cents,
        withheld=tuple(withheld),
    )


def action_taken(
    game: str, deal: int, before: Deal, action: Action, key: bytes
) -> events.ActionTaken:
    """Return the event for a legal action; `key` is the game's seed, which hides an exchange."""
    action_token = actions.token(action)
    if actions.EXPOSE <= action < actions.LEAD_OUT:
        # The card was dealt to the house if its bit is set in the house's hand.
        owner = events.SIDES[not before.hands[HOUSE] >> (action - actions.EXPOSE) & 1]
        return events.ActionTaken(action=action_token, game=game, of=owner)
    if action == actions.CLAIM:
        revoked = tuple(events.SIDES[n] for n in (HOUSE, CHALLENGER) if before.irregular.revoked[n])
        return events.ActionTaken(action=action_token, game=game, revoked=revoked)
    if not action & actions.EXCHANGE:
        return events.ActionTaken(action=action_token, game=game)
    return events.ActionTaken(
        action=actions.token(actions.hidden_exchange(actions.exchanged_number(action))),
        game=game,
        seal=exchange_commitment(key, game, deal, len(before.history) + 1, action_token),
    )


def hands_shown(game: str, deal: Deal) -> events.HandsShown | None:
    """Return the event that shows a finished deal's unplayed cards, or None if there are none."""
    if not ecarte.is_over(deal) or not any(deal.hands) or not ecarte.can_show_all(deal):
        return None
    house, challenger = (ecarte.format_cards(ecarte.cards_in(hand)) for hand in deal.hands)
    return events.HandsShown(challenger=challenger, game=game, house=house)


def game_over(
    game: str,
    server_seed: bytes,
    deals: Iterable[DealRecord],
    score: tuple[int, int],
    winner: Seat,
    stake: int,
) -> events.GameOver:
    """Return the event for a won game; `stake` is 1, 2 or 3 for single, double or triple."""
    return events.GameOver(
        exchanges=exchanged_cards(deals),
        game=game,
        score=events.Score(house=score[HOUSE], challenger=score[CHALLENGER]),
        server_seed=server_seed.hex(),
        stake=stake,
        winner=events.SIDES[winner],
    )


def game_void(
    game: str,
    reason: str,
    server_seed: bytes,
    deals: Iterable[DealRecord],
    fault: str | None = None,
) -> events.GameVoid:
    """Return the event for a void game; `server_seed` is empty if the seed was lost."""
    return events.GameVoid(
        exchanges=exchanged_cards(deals),
        fault=fault,
        game=game,
        reason=reason,
        server_seed=server_seed.hex() or None,
    )


def exchanged_cards(deals: Iterable[DealRecord]) -> tuple[str, ...]:
    """Return the cards of every exchange, which are public once the game has ended."""
    tokens = (action_token for deal in deals for action_token in deal.actions.split())
    return tuple(action_token[1:] for action_token in tokens if action_token.startswith(EXCHANGED))


@lru_cache(maxsize=64)
def laws_from_event(laws: events.GameLaws) -> Laws:
    """Convert an event's `GameLaws` to `Laws`."""
    return ecarte.parse_laws(asdict(laws))


def betting_rules_from_event(laws: events.BettingLaws) -> BettingRules:
    """Convert an event's `BettingLaws` to `BettingRules`."""
    return parse_betting_rules(asdict(laws))


def cover_from_event(cover: events.CoverLimits) -> Cover:
    """Convert an event's `CoverLimits` to a `Cover`."""
    return Cover(cover.house_cents, cover.challenger_cents)
