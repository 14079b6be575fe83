"""A bot elsewhere sees what its seat may see: no more, and no less than a bot in the casino."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from casino.client.seat_observer import SeatObserver
from casino.ecarte import (
    ACCEPT,
    CHALLENGER,
    CONCEDE,
    GALLERY,
    HOUSE,
    Action,
    Laws,
    View,
    legal_for,
    view,
)
from casino.ecarte.actions import EXCHANGE
from casino.ecarte.observation.view import deck_positions
from casino.table.domain.commands import PlayAction, TakeSeat
from casino.table.domain.handlers.play import waits_for_person
from casino.table.domain.state import TableState, current_deal
from casino.table.public.messages import messages, snapshot
from casino.table.public.private_view import private_view
from casino.table.public.state import PublicTable, apply_event
from casino.table.runtime.service import CommittedEvent
from tests.table.following import Ear
from tests.table.nights import Evening, plan
from tests.web.test_reshuffled import courses, deals_of

Told = dict[str, Any]
NAME = "tests.client.test_seat_observer:Careless"


class Careless:
    """Revokes, and leads out of turn, where the laws let it."""

    def choose(self, view: View, legal_actions: Any, rng: Any) -> Action:
        action: Action = legal_actions[rng.randrange(len(legal_actions))]
        return legal_actions[0] if action == CONCEDE else action


class Line:
    """What the challenger is sent about the events of a table."""

    def __init__(self, table: PublicTable) -> None:
        self.table = table
        self.version = 0

    def tell(self, events: Iterable[CommittedEvent]) -> Iterator[Told]:
        for each in events:
            before, self.table = self.table, apply_event(self.table, each.event)
            for message in messages(before, each.event, self.table):
                self.version += 1
                yield {**message, "table": "t1", "version": self.version}

    def you(self, state: TableState) -> Told:
        return {**private_view(state, self.table, "ann"), "version": self.version}

    def snapshot(self) -> Told:
        return {**snapshot(self.table), "type": "snapshot", "version": self.version}


class Night(Evening):
    """Games that ann plays at random, while a bot elsewhere follows them."""

    def __init__(self, path: Path, **rules: Any) -> None:
        super().__init__(path, [plan(challenger="", house=NAME, **rules)])
        self.ear, self.seat = Ear(), SeatObserver()
        self.line = Line(PublicTable(self.plans[0].rules))
        self.house.service.listeners.append(self.ear)
        self.random = Random(5)
        self.chips("ann")
        self.read = 0

    def decisions(self, number: int) -> Iterator[TableState]:
        """Yield the state at each of ann's decisions, told to the seat; then she decides."""
        for _ in range(number):
            while self.state.running is None or not waits_for_person(self.state.running):
                if self.state.holder != "ann":
                    take = TakeSeat("t1", "ann", remote_bot=True)
                    self.house.service.submit(take).result()
                self.go()
            for message in self.line.tell(self.ear.heard[self.read :]):
                self.seat.apply(message)
            self.read = len(self.ear.heard)
            yield self.state
            legal = [a for a in legal_for(current_deal(self.state), CHALLENGER) if a != CONCEDE]
            action = ACCEPT if ACCEPT in legal else self.random.choice(legal)
            self.seat.choose(action)
            act = PlayAction("t1", self.state.turn, "ann", action)
            self.house.service.submit(act).result()


def in_order(seen: View) -> View:
    """Return a view with the known cards of each packet first, from the lowest."""
    deck = list(seen.deck)
    packets = [deck_positions(seen.laws, seen.dealer, (), seat) for seat in (HOUSE, CHALLENGER)]
    dealt, mine = len(packets[0]), deck_positions(seen.laws, seen.dealer, seen.history, CHALLENGER)
    drawn = iter(mine[dealt:])
    own = [a for a in seen.history if a & EXCHANGE and a != EXCHANGE]
    packets += [tuple(next(drawn) for _ in range((a ^ EXCHANGE).bit_count())) for a in own]
    for packet in packets:
        cards = sorted((deck[at] for at in packet), key=lambda card: (card < 0 or card > 31, card))
        for at, card in zip(packet, cards, strict=True):
            deck[at] = card
    return seen._replace(deck=tuple(deck))


@pytest.mark.parametrize(
    "laws",
    [Laws(), Laws(target=7, play="ordinary", enforcement="claims", packets=(2, 3))],
    ids=lambda laws: laws.enforcement,
)
def test_the_view_from_messages_is_the_seats_own_view(tmp_path: Path, laws: Laws) -> None:
    night = Night(tmp_path / "casino.db", laws=laws, slip_permille=300)
    kinds = set[str]()
    for state in night.decisions(160):
        deal = current_deal(state)
        real, legal = view(deal, CHALLENGER), tuple(legal_for(deal, CHALLENGER))
        you = night.line.you(state)
        decision = night.seat.decision(you)
        assert decision is not None
        assert (in_order(decision[0]), decision[1]) == (in_order(real), legal)
        # A process that starts in the middle of a deal lacks its own discards alone.
        late = SeatObserver()
        late.apply(night.line.snapshot())
        joined = late.decision(you)
        assert joined is not None
        public = view(deal, GALLERY).history
        assert joined[0]._replace(deck=(), offenders=real.offenders) == real._replace(
            deck=(), history=public
        )
        kinds |= {name for name, value in real._asdict().items() if value}
        kinds |= {"claim"} if 41 in legal else set()
    night.house.close()
    assert {"exposed", "exchanged", "led"} <= kinds
    assert (laws.enforcement == "claims") == ({"offenders", "claim"} <= kinds)


def test_its_messages_and_views_do_not_hang_on_hidden_cards(tmp_path: Path) -> None:
    night = Night(tmp_path / "casino.db")
    for _ in night.decisions(60):
        pass
    night.house.close()
    deals = list(deals_of(night.ear.heard))
    real, _ = courses(deals, None)
    other, reshuffled = courses(deals, CHALLENGER)
    assert 2 * reshuffled > len(deals) > 8
    assert all_told(other) == all_told(real)


def all_told(course: list[CommittedEvent]) -> list[str]:
    line, seat, lines = Line(PublicTable(course[0].before.rules)), SeatObserver(), []
    for each in course:
        for message in line.tell([each]):
            seat.apply(message)
            lines.append(json.dumps(message))
        you = line.you(each.after)
        lines += [json.dumps(you), repr(seat.decision(you))]
    return lines
