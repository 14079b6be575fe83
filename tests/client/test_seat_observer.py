"""A remote bot sees exactly what a bot in the casino sees.

`tests/web/test_hidden_cards.py` shows that no message to the seat depends on a hidden card.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from casino.client.seat_observer import SeatObserver
from casino.ecarte import (
    ACCEPT,
    CHALLENGER,
    CLAIM,
    CONCEDE,
    GALLERY,
    HOUSE,
    NO_CARD,
    Action,
    Deal,
    Laws,
    View,
    legal_for,
    view,
)  # fmt: skip
from casino.ecarte.actions import EXCHANGE
from casino.ecarte.observation.view import deck_positions
from casino.table.domain.commands import PlayAction, TakeSeat
from casino.table.domain.handlers.play import refused_card
from casino.table.domain.state import current_deal
from casino.table.public.messages import messages, snapshot
from casino.table.public.private_view import private_view
from casino.table.public.state import PublicTable, apply_event
from tests.table.casino_harness import CasinoHarness, plan

CLAIMS = Laws(target=7, play="ordinary", enforcement="claims", packets=(2, 3))


class Careless:
    """A bot that revokes where the laws let it."""

    def choose(self, _: View, legal_actions: Any, rng: Any) -> Any:
        return legal_actions[rng.randrange(len(legal_actions) - (CONCEDE in legal_actions))]


class RandomGames(CasinoHarness):
    """Games that ann plays at random, while a bot follows the messages sent to her."""

    def __init__(self, path: Path, laws: Laws) -> None:
        house = f"{__name__}:Careless"
        super().__init__(path, [plan(challenger="", house=house, laws=laws, slip_permille=300)])
        self.recorder, self.seat, self.version = self.record(), SeatObserver(), 0
        self.table = PublicTable(self.plans[0].rules)
        self.chips("ann")

    def decisions(self, number: int) -> Iterator[dict[str, Any]]:
        """Yield ann's private view at each decision; then she acts."""
        random = Random(5)
        for _ in range(number):
            while self.state.running is None or not self.state.running.waits_for_person:
                if self.state.holder != "ann":
                    self.submit(TakeSeat("t1", "ann", remote_bot=True))
                self.advance()
            self.tell()
            yield {**private_view(self.state, self.table, "ann"), "version": self.version}
            legal = [a for a in legal_at_table(current_deal(self.state)) if a != CONCEDE]
            self.seat.chosen = ACCEPT if ACCEPT in legal else random.choice(legal)
            act = PlayAction("t1", self.state.turn, "ann", self.seat.chosen)
            self.submit(act)

    def tell(self) -> None:
        heard, self.recorder.heard = self.recorder.heard, []
        for happening in heard:
            before, self.table = self.table, apply_event(self.table, happening.event)
            for message in messages(before, happening.event, self.table):
                self.version += 1
                self.seat.apply({**message, "version": self.version})


def legal_at_table(deal: Deal) -> tuple[Action, ...]:
    """Return the challenger's legal actions, less a second revoke after a claim (R8.5)."""
    return tuple(a for a in legal_for(deal, CHALLENGER) if refused_card(deal, a) is None)


def in_order(seen: View) -> View:
    """Return a view with the cards that a seat received together in order."""
    deck, (house, mine) = list(seen.deck), (
        deck_positions(seen.laws, seen.dealer, seen.history, seat) for seat in (HOUSE, CHALLENGER)
    )  # fmt: skip
    groups, first = [house[:5]], 0
    drawn = [(a ^ EXCHANGE).bit_count() for a in seen.history if a & EXCHANGE and a != EXCHANGE]
    for number in (5, *drawn):
        groups.append(mine[first : first + number])
        first += number
    for group in groups:
        cards = sorted((deck[at] for at in group), key=lambda card: (card == NO_CARD, card))
        for at, card in zip(group, cards, strict=True):
            deck[at] = card
    return seen._replace(deck=tuple(deck))


@pytest.mark.parametrize("laws", [Laws(), CLAIMS], ids=lambda laws: laws.enforcement)
def test_view_from_messages_equals_the_seats_view(tmp_path: Path, laws: Laws) -> None:
    night, seen = RandomGames(tmp_path / "casino.db", laws), set[str]()
    for you in night.decisions(160):
        deal = current_deal(night.state)
        real, legal = view(deal, CHALLENGER), legal_at_table(deal)
        decision = night.seat.decision(you)
        assert decision is not None
        assert (in_order(decision[0]), decision[1]) == (in_order(real), legal)
        # A bot that joins in the middle of a deal lacks only the discards.
        late = SeatObserver()
        late.apply({**snapshot(night.table), "type": "snapshot", "version": night.version})
        joined = late.decision(you)
        assert joined is not None
        joined_view = joined[0]._replace(deck=(), offenders=real.offenders)
        history = view(deal, GALLERY).history
        assert joined_view == real._replace(deck=(), history=history)
        seen |= {name for name, value in real._asdict().items() if value}
        seen |= {"claim"} if CLAIM in legal else set()
    night.house.close()
    assert {"exposed", "exchanged", "led"} <= seen
    assert (laws == CLAIMS) == ({"offenders", "claim"} <= seen)
