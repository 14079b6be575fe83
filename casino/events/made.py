"""Events made from what the rules, the gallery and the dealing come to.

A running game's leaves are public, so none may show a card that somebody must not see: decks
follow from the committed seed and are told when the game is over; an exchange says how many
cards, and hides which under a seal keyed by that seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

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
from casino.ecarte.cards import members, texts
from casino.ecarte.deal import actor
from casino.ecarte.laws import Laws, laws_json, parse_laws
from casino.ecarte.record import Record, record_json
from casino.ecarte.rules import CHALLENGER, HOUSE, NOBODY, Seat
from casino.ecarte.state import ANNULLED, OVER, Deal
from casino.ecarte.view import may_show_all
from casino.events.kinds import (
    SIDES,
    ActionTaken,
    BetAccepted,
    BettingClosed,
    BookLocked,
    GameOpened,
    GameOver,
    GameRecord,
    GameSettled,
    GameVoid,
    HandsShown,
    LimitSet,
    OutcomeRow,
)
from casino.events.parts import (
    BettingLaws,
    BotName,
    Bots,
    CoverLimits,
    GameLaws,
    OwnLimits,
    Players,
    UnitLimits,
)
from casino.fairness import exchange_seal
from casino.gallery import (
    Bet,
    Book,
    Closing,
    Cover,
    GalleryLaws,
    Limits,
    Outcome,
    Settlement,
    parse_gallery_laws,
)


def game_opened(
    game: str,
    table: str,
    place: tuple[int, int],
    commitment: str,
    laws: Laws,
    book: Book,
    house: str,
    bots: Mapping[str, BotName],
    loser_deals: Seat | None = None,
    cover_cents: int = 0,
    slip_permille: int = 0,
) -> GameOpened:
    """A game begins; `bots` are those of the seats that no person plays.

    `place` is the chain of the game's seed, and which seed of it.
    """
    chain, number = place
    return GameOpened(
        bots=Bots(**bots),
        chain=chain,
        commitment=commitment,
        cover_cents=cover_cents,
        gallery=BettingLaws(**book.laws._asdict()),
        game=game,
        laws=laws_part(laws),
        limits=UnitLimits(**book.limits._asdict()),
        loser_deals=None if loser_deals is None else SIDES[loser_deals],
        number=number,
        players=Players(challenger=book.challenger, house=house),
        slip_permille=slip_permille or None,
        stake_cents=book.stake_cents,
        table=table,
    )


def bet_accepted(game: str, bet: Bet, seal: str | None = None) -> BetAccepted:
    """A bet, with the seal on its bettor's text."""
    return BetAccepted(
        game=game,
        order=bet.order,
        player=bet.bettor,
        seal=seal,
        side=SIDES[bet.side],
        unit_cents=bet.unit_cents,
    )


def book_locked(game: str, book: Book, seals: int, cover: Cover) -> BookLocked:
    """The book is locked, with the cover that its principals owe at most."""
    return BookLocked(
        bets=len(book.bets), cover=CoverLimits(**cover._asdict()), game=game, seals=seals
    )


def betting_closed(
    game: str,
    cut_hex: str,
    opened: Iterable[int],
    withheld: Iterable[int],
    closing: Closing,
    first_dealer: Seat,
) -> BettingClosed:
    """The book closes: the cut, by the numbers of its texts, who deals first, how bets stand."""
    return BettingClosed(
        cut=cut_hex,
        first_dealer=SIDES[first_dealer],
        game=game,
        matched_cents=closing.matched_cents,
        opened=tuple(opened),
        returned=closing.returned,
        stands=tuple(
            (bet.order, bet.bettor, SIDES[bet.side], bet.unit_cents, matched_cents)
            for bet, matched_cents in closing.stands
        ),
        withheld=tuple(withheld),
    )


def action_taken(game: str, deal: int, before: Deal, what: Action, key: bytes) -> ActionTaken:
    """A legal action in a deal; `key` is the server's seed, under which an exchange is sealed."""
    said, number = token(what), len(before.history) + 1
    seat = actor(before, what)
    name = None if seat == NOBODY else SIDES[seat]
    if EXPOSE <= what < LEAD_OUT:
        owner = SIDES[not before.hands[HOUSE] >> (what - EXPOSE) & 1]
        return ActionTaken(action=said, deal=deal, game=game, number=number, of=owner, seat=name)
    if what == CLAIM:
        revoked = tuple(SIDES[n] for n in (HOUSE, CHALLENGER) if before.irregular.revoked[n])
        return ActionTaken(
            action=said, deal=deal, game=game, number=number, revoked=revoked, seat=name
        )
    if not what & EXCHANGE:
        return ActionTaken(action=said, deal=deal, game=game, number=number, seat=name)
    return ActionTaken(
        action=token(hidden_exchange(exchanged_number(what))),
        deal=deal,
        game=game,
        number=number,
        seal=exchange_seal(key, game, deal, number, said),
        seat=name,
    )


def hands_shown(game: str, number: int, deal: Deal) -> HandsShown | None:
    """The cards left unplayed when a deal is over and nothing more can happen in it, if any."""
    if deal.phase not in (OVER, ANNULLED) or not any(deal.hands) or not may_show_all(deal):
        return None
    house, challenger = (texts(members(hand)) for hand in deal.hands)
    return HandsShown(challenger=challenger, deal=number, game=game, house=house)


def game_over(game: str, record: Record) -> GameOver:
    """A game is won."""
    return GameOver(game=game, record=_record(record))


def settled(game: str, winner: Seat, multiplier: int, settlement: Settlement) -> GameSettled:
    """What the principals and every bet came to."""
    return GameSettled(
        bets=_outcomes(settlement.bets),
        game=game,
        multiplier=multiplier,
        principals=_outcomes(settlement.principals),
        winner=SIDES[winner],
    )


def game_void(game: str, reason: str, record: Record, fault: str | None = None) -> GameVoid:
    """A game does not count."""
    return GameVoid(game=game, reason=reason, fault=fault, record=_record(record))


def limit_set(player: str, limits: Mapping[str, int], from_ms: int) -> LimitSet:
    """A player's own limits, and from when they hold."""
    return LimitSet(from_ms=from_ms, limits=OwnLimits(**limits), player=player)


def laws_part(laws: Laws) -> GameLaws:
    """Laws as a leaf states them."""
    return msgspec.convert(laws_json(laws), GameLaws)


def laws_of(laws: GameLaws) -> Laws:
    """The laws that a leaf states."""
    return parse_laws(msgspec.structs.asdict(laws))


def betting_laws_of(laws: BettingLaws) -> GalleryLaws:
    """The laws of betting that a leaf states."""
    return parse_gallery_laws(msgspec.structs.asdict(laws))


def book_of(opened: GameOpened) -> Book:
    """The empty book of a game that opens."""
    return Book(
        opened.players.challenger,
        opened.stake_cents,
        betting_laws_of(opened.gallery),
        Limits(**msgspec.structs.asdict(opened.limits)),
    )


def cover_of(cover: CoverLimits) -> Cover:
    """The cover that a leaf states."""
    return Cover(cover.house_cents, cover.challenger_cents)


def record_fields(record: Record) -> dict[str, Any]:
    """A record as the JSON values of its leaf: one that is not over has no result."""
    fields = record_json(record)
    if fields.get("result", {}).get("winner", "") is None:
        del fields["result"]
    return fields


def _record(record: Record) -> GameRecord:
    """A record as a leaf holds it."""
    return msgspec.convert(record_fields(record), GameRecord)


def _outcomes(outcomes: Iterable[Outcome]) -> tuple[OutcomeRow, ...]:
    """Outcomes as rows."""
    return tuple(
        (bet.order, bet.bettor, SIDES[bet.side], matched, held, gain, fee)
        for bet, matched, held, gain, fee in outcomes
    )
