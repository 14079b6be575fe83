"""What the web sends is the same, byte for byte, whatever the cards are that a reader may not see.

A person plays a game. Its deals are made again with everything hidden from a seat, or from the
gallery, dealt redealt: who said what and which cards were played stays. Both are told to open
casinos, one each, and what every reader is sent there is compared.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from casino.ecarte import CHALLENGER, GALLERY, OVER, Deal, Seat, deal_cards, parse_token
from casino.events.types import BettingClosed, GameOpened, PackDealt
from casino.table.domain.commands import PlayAction, TakeSeat
from casino.table.domain.handlers import play as playing
from casino.table.domain.state import Decision, TableState, Transition
from casino.table.public.private_view import hand_message
from casino.table.runtime.casino import START_MS, TURN_MS, SimulatedClock
from tests.ecarte.reshuffle import find_another
from tests.table.casino_harness import CasinoHarness, plan
from tests.web.raw_socket import RawSocket
from tests.web.server import FAST, Server, cookie_of, fetch, open_server

TABLES = {"t1": {**FAST, "betting_ms": 5, "challenger": "nobody", "number": 0}}
PAGES = ("/api/tables/t1", "/api/tables", "/table/t1", "/")
TOLD = re.compile(r'42(?!\["chance"|\["event",{"type":"checkpoint")|43')
TRIES = 400

Sent = dict[str, list[str]]


def deals_of(committed: Iterable[Transition]) -> Iterator[tuple[list[Transition], Deal]]:
    start: Transition | None = None
    opened: list[Transition] = []
    for one in committed:
        if isinstance(one.event, GameOpened):
            opened = [one]
        elif isinstance(one.event, BettingClosed):
            opened.append(one)
        start = one if isinstance(one.event, PackDealt) else start
        running = one.after.running
        if start is not None and running and running.deal and running.deal.phase == OVER:
            yield [*opened, start], running.deal
            start = None


def events_of_deal(opened: list[Transition], deal: Deal) -> list[Transition]:
    """Return the events of a deal with these cards, until its hands are shown."""
    start = opened[-1]
    running = start.after.running
    assert running is not None
    first = deal_cards(deal.laws, deal.dealer, deal.deck, deal.score_before)
    decision = Decision(start.after._replace(running=running._replace(deal=first)))
    course = [start._replace(after=decision.state)]
    playing.show_turn_up(decision)
    for action in deal.history:
        playing.apply_action(decision, action)
    course += decision.steps
    return opened[:-1] + [one for one in course if _phase(one.after) != OVER]


def _phase(state: TableState) -> int:
    assert state.running is not None
    assert state.running.deal is not None
    return state.running.deal.phase


class Casino:
    """A running casino that publishes the events it is given."""

    def __init__(self, server: Server, clock: SimulatedClock) -> None:
        self._server = server
        self._clock = clock
        self.pages: list[str] = []
        headers = {name: [self._cookie(name)] for name in ("ann", "ben")}
        self.readers = {
            "the player": RawSocket(server.url, header=headers["ann"]),
            "his second tab": RawSocket(server.url, header=headers["ann"]),
            "the gallery": RawSocket(server.url, header=headers["ben"]),
            "a stranger": RawSocket(server.url),
        }
        self._ask()

    def tell(self, committed_event: Transition) -> None:
        self._clock.now += TURN_MS
        states = self._server.casino.backend.states
        self._server.casino.publisher.on_event(committed_event)
        while states["t1"] is not committed_event.after:
            self.readers["a stranger"].listen(0.001)
        self._ask()
        for page in PAGES:
            page = fetch(self._server.url, page).text.replace(self._server.url, "")
            self.pages.append(page)

    def sent(self) -> Sent:
        """Return what each reader was sent, without handshakes and pings: events, then replies.

        The private view of a version may be sent twice. Odds and checkpoints are sent at any time,
        so they are left out; the odds of each version are fetched as a page.
        """
        found = {"anybody who asks": self.pages}
        for name, raw in self.readers.items():
            told = dict.fromkeys(without_chance(text) for text in raw.frames if TOLD.match(text))
            found[name] = sorted(told, key=lambda text: text[:6])
            raw.socket.shutdown()  # type: ignore[no-untyped-call]
        return found

    def _ask(self) -> None:
        """Have every reader join the table, and wait for the player's private view."""
        for name, raw in self.readers.items():
            answer = raw.ask("join", {"table": "t1"})
            assert answer["ok"]
            if name in ("the player", "his second tab"):
                self._await_own(raw, answer["version"])

    def _await_own(self, raw: RawSocket, version: int) -> None:
        """Request the player's private view until that of a version has arrived."""
        own = re.compile(rf'42\["you",.*"version":{version}\b')
        if not any(map(own.match, raw.frames)):
            backend = self._server.casino.backend
            backend.bridge.post(self._server.site.broadcaster.mark_dirty, "t1", "ann")
            while not own.match(raw.receive()):
                pass

    def _cookie(self, name: str) -> str:
        visitor = self._server.visitor(name)
        visitor.close()
        return f"Cookie: {cookie_of(visitor)}"


def without_chance(frame: str) -> str:
    """Return a frame without the odds that a reply may contain."""
    start = frame.index("[")
    said = json.loads(frame[start:])
    if frame.startswith("43"):
        said[0].pop("chance", None)
    return frame[:start] + json.dumps(said)


def publish_to_readers(path: Path, committed: Iterable[Transition]) -> Sent:
    clock = SimulatedClock(START_MS)
    with open_server(path, TABLES, clock, lambda: START_MS) as server:
        casino = Casino(server, clock)
        for committed_event in committed:
            casino.tell(committed_event)
        return casino.sent()


@pytest.fixture(scope="module")
def deals(
    tmp_path_factory: pytest.TempPathFactory, quick_run: bool
) -> list[tuple[list[Transition], Deal]]:
    """The deals of games in which ann takes the second of her choices each turn."""
    harness = CasinoHarness(tmp_path_factory.mktemp("played") / "a.db", [plan(challenger="")])
    recorder = harness.record()
    harness.chips("ann")
    harness.submit(TakeSeat("t1", "ann"))
    while harness.house.finished < (1 if quick_run else 3):
        running = harness.state.running
        if running is not None and running.waits_for_person:
            legal = hand_message(harness.state, CHALLENGER)["legal"]
            action = parse_token(legal[min(1, len(legal) - 1)])
            harness.submit(PlayAction("t1", harness.state.turn, "ann", action))
        else:
            harness.advance()
    harness.house.close()
    return list(deals_of(recorder.heard))


def courses(
    deals: list[tuple[list[Transition], Deal]], viewer: Seat | None
) -> tuple[list[Transition], int]:
    chance, course, redealt = random.Random(5), [], 0
    for start, deal in deals:
        other = (None if viewer is None else find_another(deal, viewer, chance, TRIES)) or deal
        redealt += other.deck != deal.deck
        course += events_of_deal(start, other)
    return course, redealt


def test_messages_do_not_depend_on_hidden_cards(
    deals: list[tuple[list[Transition], Deal]], tmp_path: Path
) -> None:
    real = publish_to_readers(tmp_path / "a.db", courses(deals, None)[0])
    course, redealt = courses(deals, GALLERY)
    assert 2 * redealt > len(deals)
    for_gallery = publish_to_readers(tmp_path / "b.db", course)
    for reader in ("the gallery", "a stranger", "anybody who asks"):
        assert len(real[reader]) > 20
        assert for_gallery[reader] == real[reader]
    assert for_gallery["the player"] != real["the player"]
    course, redealt = courses(deals, CHALLENGER)
    assert 2 * redealt > len(deals)
    assert publish_to_readers(tmp_path / "c.db", course) == real
