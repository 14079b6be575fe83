"""The challenger's view of a live deal, built from the messages sent to the player in the seat.

The deal comes from `observer`, with the player's own cards added. Messages do not reveal the order
in which cards were dealt or drawn, so the view's deck contains them in sorted order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from casino import ecarte
from casino.client.table_view import Message
from casino.ecarte import CHALLENGER, HOUSE, SEATS, Card, CardSet, Deal, Seat, View
from casino.ecarte.actions import (
    CLAIM,
    DEALING,
    EXCHANGE,
    Action,
    exchanged_number,
    hidden_exchange,
)
from casino.ecarte.observation import observer
from casino.ecarte.observation.observer import FIRST_UNKNOWN
from casino.ecarte.observation.view import deck_positions, is_revoke_proved

_MOVES: Final = ("snapshot", "dealt", "turned_up", "action")
_DOUBTFUL: Final = 0b11111 << FIRST_UNKNOWN + len(ecarte.PACK)  # a hand of cards at unknown places


class SeatObserver:
    """Follows a table for its challenger; `changed_at` is the table's version at the last move.

    The caller must set `chosen` to each action of the seat, because messages hide exchanged cards.
    """

    def __init__(self) -> None:
        self.changed_at = 0
        self.chosen: Action = EXCHANGE
        self._laws = ecarte.Laws()
        self._deal: Deal | None = None

    def apply(self, message: Message) -> None:
        """Apply a message about the table."""
        deal = self._deal
        if message["type"] in _MOVES:
            self.changed_at = message["version"]
        match message["type"]:
            case "snapshot" | "game_opened":
                self._laws = ecarte.parse_laws(message["laws"])
                now = message.get("deal")
                self._deal = self._joined(now) if now and now["turn"] else None
            case "dealt":
                score = message["deal"]["score"]
                self._deal = self._new_deal(message["deal"], (score["house"], score["challenger"]))
            case "turned_up" if deal is not None:
                self._deal = observer.with_turn_up(deal, ecarte.card(message["card"]))
            case "action" if deal is not None:
                revoked = [SEATS.index(seat) for seat in message.get("revoked", ())]
                self._deal = self._after(deal, message["action"], message["turn"], revoked)

    def decision(self, you: Message) -> tuple[View, tuple[Action, ...]] | None:
        """Return the view and the legal actions if the seat is to act, else None.

        `you` is the player's private state after the messages so far.
        """
        if self._deal is None or self._deal.turn != CHALLENGER or not you["legal"]:
            return None
        self._deal = _with_hand(self._deal, ecarte.card_set(map(ecarte.card, you["hand"])))
        seen = _shown(ecarte.view(self._deal, CHALLENGER))
        legal = tuple(map(ecarte.parse_token, you["legal"]))
        # People must notice a revoke themselves; bots are offered the claim at every table.
        is_proved = seen.laws.enforcement == "claims" and is_revoke_proved(seen)
        return seen, (*legal, CLAIM) if is_proved else legal

    def _new_deal(self, now: Message, score: tuple[int, int]) -> Deal:
        """Return a new deal, in which each unknown card is named after its place in the deck."""
        deal = observer.new_public_deal(self._laws, SEATS.index(now["dealer"]), score)
        places = (deck_positions(self._laws, deal.dealer, (), seat) for seat in (HOUSE, CHALLENGER))
        house, challenger = (ecarte.card_set(deal.deck[at] for at in dealt) for dealt in places)
        return deal._replace(hands=(house, challenger), kept=(house, challenger))

    def _joined(self, now: Message) -> Deal:
        """Return a deal joined after its beginning; the seat's own discards stay hidden."""
        # A replay from 0–0 shows how much the kings have scored since the deal began.
        house, challenger = self._replay(now, (0, 0)).score
        score = now["score"]
        return self._replay(now, (score["house"] - house, score["challenger"] - challenger))

    def _replay(self, now: Message, score: tuple[int, int]) -> Deal:
        deal, actions = self._new_deal(now, score), now["actions"]
        # An exposed card was the elder's if it gave them a choice.
        turn = now["dealer"] if now["turn_up"] else now["turn"]
        turn = SEATS[deal.elder] if "O" in actions else turn
        for move in actions:
            if deal.phase is DEALING and move[0] != "E":
                deal = observer.with_turn_up(deal, ecarte.card(now["turn_up"]))
            deal = self._after(deal, move, turn, [CHALLENGER])
        is_shown = now["turn_up"] and deal.phase is DEALING
        return observer.with_turn_up(deal, ecarte.card(now["turn_up"])) if is_shown else deal

    def _after(self, deal: Deal, move: str, turn: str | None, revoked: Iterable[Seat]) -> Deal:
        if move[0] == "X" and deal.turn == CHALLENGER:
            house, hand = deal.hands
            discards = self.chosen ^ EXCHANGE
            if not discards & ~hand and 2 * discards.bit_count() + 1 == len(move):
                return ecarte.apply(deal, self.chosen)
            # Chosen by another process: the cards of the hand are in doubt.
            deal = deal._replace(hands=(house, _DOUBTFUL))
        of = HOUSE if turn is None else SEATS.index(turn)
        if move[0] == "E" and of == HOUSE:
            first, *_ = deck_positions(deal.laws, deal.dealer, (), HOUSE)
            deal = _with_deck(deal, {first: ecarte.card(move[1:])})
        return observer.apply_public(deal, move, of, tuple(revoked))


def _with_hand(deal: Deal, held: CardSet) -> Deal:
    """Return the deal with the challenger's unknown cards replaced by those in `held`."""
    (house, hand), (kept_house, kept) = deal.hands, deal.kept
    places = [at for at in range(len(deal.deck)) if hand >> FIRST_UNKNOWN + at & 1]
    learned = ecarte.cards_in(held & ~hand)
    if len(places) == len(learned):
        deal = _with_deck(deal, dict(zip(places, learned, strict=True)))
    return deal._replace(hands=(house, held), kept=(kept_house, kept & ~hand | held))


def _with_deck(deal: Deal, known: dict[int, Card]) -> Deal:
    deck = tuple(known.get(at, unknown) for at, unknown in enumerate(deal.deck))
    return deal._replace(start=deal.start._replace(deck=deck))


def _shown(seen: View) -> View:
    """Return the view without names of unknown cards, which remain if the player came late."""
    return seen._replace(
        deck=tuple(at if at < FIRST_UNKNOWN else ecarte.NO_CARD for at in seen.deck),
        history=tuple(
            hidden_exchange(exchanged_number(action)) if action >> FIRST_UNKNOWN else action
            for action in seen.history
        ),
    )
