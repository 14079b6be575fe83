"""Construct events from the results of rules, betting and dealing.

Events of a running game are public, so none may reveal a hidden card. Decks are
derived from the committed seed, which is revealed after the game. An exchange is published as a
number of cards and a commitment to them, keyed by that seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

import msgspec

from casino.betting import Bet, BettingRules, Book, Closing, Cover, parse_betting_rules
from casino.ecarte import (
    ANNULLED,
    CHALLENGER,
    HOUSE,
    OVER,
    Deal,
    DealRecord,
    Laws,
    Seat,
    can_show_all,
    cards_in,
    format_cards,
    laws_json,
    parse_laws,
)
from casino.ecarte.actions import (
    CLAIM,
    EXCHANGE,
    EXPOSE,
    LEAD_OUT,
    Action,
    exchanged_number,
    hidden_exchange,
    token,
)
from casino.events.types import (
    SIDES,
    ActionTaken,
    BetAccepted,
    BettingClosed,
    BettingLaws,
    BookLocked,
    BotName,
    Bots,
    CoverLimits,
    GameLaws,
    GameOpened,
    GameOver,
    GameVoid,
    HandsShown,
    LimitSet,
    OwnLimits,
    PlayedBy,
    Players,
    Score,
)
from casino.fairness import exchange_commitment

EXCHANGED: Final = "X"  # prefix of an exchange's token, before the cards


def game_opened(
    game: str,
    table: str,
    position: tuple[int, int],
    commitment: str,
    house: str,
    challenger: str,
    bots: Mapping[str, BotName],
    loser_deals: Seat | None = None,
    cover_cents: int = 0,
    played_by: PlayedBy | None = None,
) -> GameOpened:
    """Return the event that opens a game; `bots` maps seats to the bots that play them.

    `position` is the number of the seed chain and the number of the seed in the chain.
    """
    chain, number = position
    return GameOpened(
        bots=Bots(**bots),
        chain=chain,
        commitment=commitment,
        cover_cents=cover_cents,
        game=game,
        loser_deals=None if loser_deals is None else SIDES[loser_deals],
        number=number,
        played_by=played_by,
        players=Players(challenger=challenger, house=house),
        table=table,
    )


def bet_accepted(game: str, bet: Bet, seal: str | None = None) -> BetAccepted:
    """Return the event of an accepted bet; `seal` commits to the bettor's contribution."""
    return BetAccepted(
        game=game,
        order=bet.order,
        player=bet.bettor,
        seal=seal,
        side=SIDES[bet.side],
        unit_cents=bet.unit_cents,
    )


def book_locked(game: str, book: Book, seals: int, cover: Cover) -> BookLocked:
    """Return the event that ends betting, with the maximum cover of the principals."""
    return BookLocked(
        bets=len(book.bets), cover=CoverLimits(**cover._asdict()), game=game, seals=seals
    )


def betting_closed(
    game: str, cut_hex: str, withheld: Iterable[int], closing: Closing, first_dealer: Seat
) -> BettingClosed:
    """Return the event that closes a book; `withheld` lists the commitments not revealed."""
    return BettingClosed(
        cut=cut_hex,
        first_dealer=SIDES[first_dealer],
        game=game,
        matched_cents=closing.matched_cents,
        withheld=tuple(withheld),
    )


def action_taken(game: str, deal: int, before: Deal, action: Action, key: bytes) -> ActionTaken:
    """Return the event of a legal action; `key` is the game's seed, which hides an exchange."""
    action_token = token(action)
    if EXPOSE <= action < LEAD_OUT:
        # The card was dealt to the house if its bit is set in the house's hand.
        owner = SIDES[not before.hands[HOUSE] >> (action - EXPOSE) & 1]
        return ActionTaken(action=action_token, game=game, of=owner)
    if action == CLAIM:
        revoked = tuple(SIDES[n] for n in (HOUSE, CHALLENGER) if before.irregular.revoked[n])
        return ActionTaken(action=action_token, game=game, revoked=revoked)
    if not action & EXCHANGE:
        return ActionTaken(action=action_token, game=game)
    return ActionTaken(
        action=token(hidden_exchange(exchanged_number(action))),
        game=game,
        seal=exchange_commitment(key, game, deal, len(before.history) + 1, action_token),
    )


def hands_shown(game: str, deal: Deal) -> HandsShown | None:
    """Return the event that shows a finished deal's unplayed cards, or None if there are none."""
    if deal.phase not in (OVER, ANNULLED) or not any(deal.hands) or not can_show_all(deal):
        return None
    house, challenger = (format_cards(cards_in(hand)) for hand in deal.hands)
    return HandsShown(challenger=challenger, game=game, house=house)


def game_over(
    game: str,
    server_seed: bytes,
    deals: Iterable[DealRecord],
    score: tuple[int, int],
    winner: Seat,
    stake: int,
) -> GameOver:
    """Return the event of a won game; `stake` is 1, 2 or 3 for single, double or triple."""
    return GameOver(
        exchanges=exchanged_cards(deals),
        game=game,
        score=Score(house=score[HOUSE], challenger=score[CHALLENGER]),
        server_seed=server_seed.hex(),
        stake=stake,
        winner=SIDES[winner],
    )


def game_void(
    game: str,
    reason: str,
    server_seed: bytes,
    deals: Iterable[DealRecord],
    fault: str | None = None,
) -> GameVoid:
    """Return the event of a void game; `server_seed` is empty if the seed was lost."""
    return GameVoid(
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


def limit_set(player: str, limits: Mapping[str, int], from_ms: int) -> LimitSet:
    """Return the event of a player's own limits, which apply from `from_ms`."""
    return LimitSet(from_ms=from_ms, limits=OwnLimits(**limits), player=player)


def laws_to_event(laws: Laws) -> GameLaws:
    """Convert `Laws` to the `GameLaws` of an event."""
    return msgspec.convert(laws_json(laws), GameLaws)


@lru_cache(maxsize=64)
def laws_from_event(laws: GameLaws) -> Laws:
    """Convert the `GameLaws` of an event to `Laws`."""
    return parse_laws(msgspec.structs.asdict(laws))


def betting_rules_from_event(laws: BettingLaws) -> BettingRules:
    """Convert the `BettingLaws` of an event to `BettingRules`."""
    return parse_betting_rules(msgspec.structs.asdict(laws))


def cover_from_event(cover: CoverLimits) -> Cover:
    """Convert the `CoverLimits` of an event to a `Cover`."""
    return Cover(cover.house_cents, cover.challenger_cents)
