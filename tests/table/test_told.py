"""What leaves the clerk: nobody is told a card that he may not see."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from casino.ecarte.actions import EXCHANGE, TAKE_BACK, exchange, parse_token
from casino.ecarte.before_play import deal_cards
from casino.ecarte.cards import Card, members
from casino.ecarte.laws import Laws
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, Seat
from casino.ecarte.state import DEALING, OVER, Deal
from casino.ecarte.view import GALLERY, view
from casino.errors import Refused
from casino.events.kinds import SIDES, ActionTaken, PackDealt, SeedChain, TurnedUp
from casino.table.clerk import Happening, Listener
from casino.table.commands import Act, CloseBook, TakeSeat
from casino.table.evolve import Step
from casino.table.playing import acted, turned_up
from casino.table.state import TableState
from casino.table.told import snapshot, tell, you
from tests.table.nights import Evening, plan

CLAIMS = Laws(enforcement="claims", first_dealer="house")


class Ear(Listener):
    """Keeps all that happens."""

    def __init__(self) -> None:
        self.heard: list[Happening] = []

    def happened(self, happening: Happening) -> None:
        """Keep it."""
        self.heard.append(happening)


def play(path: Path, games: int = 2, **rules: Any) -> list[Happening]:
    """All that happens in a few games."""
    evening, ear = Evening(path, [plan(spectators=3, **rules)]), Ear()
    evening.house.clerk.listeners.append(ear)
    while evening.state.number <= games:
        evening.go()
    evening.house.close()
    return ear.heard


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> list[Happening]:
    """Two games, with cards exposed now and then."""
    path = tmp_path_factory.mktemp("told") / "casino.db"
    return play(path, 3, slip_permille=300, laws=Laws(enforcement="claims"))


def test_the_bets_of_an_open_book_are_those_that_were_made(heard: list[Happening]) -> None:
    """Who comes in while bets are taken sees each bet told so far; no cover takes an order yet."""
    made: list[tuple[int, str]] = []
    covered = 0
    for one in heard:
        events = tell(*one)
        if any(event["type"] == "game_opened" for event in events):
            made.clear()
        made += [(e["order"], e["player"]) for e in events if e["type"] == "bet_accepted"]
        seen = snapshot(one.after)
        if "closed" in seen and not seen["closed"]:
            assert [(bet["order"], bet["player"]) for bet in seen["bets"]] == made
            assert sum(bet["matched_cents"] for bet in seen["bets"]) <= 2 * seen["matched_cents"]
            covered += seen["matched_cents"] > min(seen["totals_cents"])
    assert covered


def test_the_first_bettor_knows_what_the_principals_would_cover(heard: list[Happening]) -> None:
    """A game opens with the cover that its book tells after each bet."""
    cover = None
    for event in (event for one in heard for event in tell(*one)):
        if event["type"] == "game_opened":
            cover = event["cover"]
        elif event["type"] == "book":
            assert event["cover"] == cover
    assert cover == {"house_cents": 50_000, "challenger_cents": 0}


def test_who_comes_between_two_games_is_told_which_bot_plays_if_nobody_else_does(
    heard: list[Happening], tmp_path: Path
) -> None:
    """The same before, between and after games, and nobody where no bot challenges."""
    tables = [one.after for one in heard]
    assert {table.running is None for table in tables} == {True, False}
    assert {snapshot(table)["challenger"] for table in tables} == {"novice"}
    evening = Evening(tmp_path / "casino.db", [plan(challenger="")])
    assert snapshot(evening.state)["challenger"] == ""
    evening.house.close()


def test_versions_grow_by_one_with_every_event(heard: list[Happening]) -> None:
    """Who has heard every event has every number, for whichever seat."""
    for viewer in (GALLERY, HOUSE, CHALLENGER):
        versions = [event["version"] for one in heard for event in tell(*one, viewer)]
        assert versions == list(range(versions[0], versions[0] + len(versions)))


def test_every_type_of_event_is_told(heard: list[Happening]) -> None:
    """All the types that the interface names come up, those of seats and voids aside."""
    told = {event["type"] for one in heard for event in tell(*one, GALLERY)}
    assert told == {
        "game_opened", "bet_accepted", "book", "betting_closed", "dealt", "turned_up", "action",
        "trick", "points", "deal_over", "game_over", "settled", "book_locked",
    }  # fmt: skip


def shuffled(deal: Deal, viewer: Seat, random: Random) -> dict[Card, Card]:
    """A permutation of the cards that a viewer has never seen, in the middle of a deal."""
    seen = {one for one in view(deal, viewer).deck if one != NO_CARD}
    seen |= {one for one in deal.history if 0 <= one < 32}
    hidden = [one for one in range(32) if one not in seen]
    drawn = hidden[:]
    random.shuffle(drawn)
    return dict(zip(hidden, drawn, strict=True))


def again(start: TableState, deal: Deal, swap: dict[Card, Card]) -> list[tuple[TableState, Step]]:
    """The course of a deal with its hidden cards swapped; it ends where that is impossible."""
    assert start.running is not None
    first = start.running.deal
    assert first is not None
    deck = tuple(swap.get(one, one) for one in first.deck)
    state = start._replace(
        running=start.running._replace(deal=deal_cards(first.laws, first.dealer, deck, first.began))
    )
    course: list[tuple[TableState, Step]] = []
    for action in deal.history:
        assert state.running is not None
        now = state.running.deal
        assert now is not None
        if now.phase == DEALING and not 64 <= action < 96:
            state = turned_up(state)[-1].after
        what = action
        if action & EXCHANGE:
            what = exchange(sum(1 << swap.get(one, one) for one in members(action ^ EXCHANGE)))
        try:
            step = acted(state, what)[0]
        except Refused:  # with other cards this could not have been played
            return course
        course.append((state, step))
        state = step.after
    return course


def test_nobody_is_told_a_hidden_card(tmp_path: Path) -> None:
    """With the cards that a viewer cannot see shuffled, every event has the same bytes."""
    random, compared = Random(3), 0
    heard = [one for one in play(tmp_path / "a.db", 4) if one.after.running is not None]
    starts = [one.after for one in heard if isinstance(one.event, PackDealt)]
    moves = [one.after.running for one in heard if isinstance(one.event, ActionTaken | TurnedUp)]
    deals = [running.deal for running in moves if running is not None]
    ends = [deal for deal in deals if deal is not None and deal.phase == OVER]
    for start, end in zip(starts, ends, strict=False):
        for viewer in (GALLERY, HOUSE, CHALLENGER):
            swap = shuffled(end, viewer, random)
            plain, other = again(start, end, {}), again(start, end, swap)
            for (state, step), (state2, step2) in zip(plain, other, strict=False):
                after, after2 = step.after, step2.after
                fact, fact2 = step.event, step2.event
                if after.running and after.running.deal and after.running.deal.phase == OVER:
                    break
                assert _bytes(tell(state, fact, after, viewer)) == _bytes(
                    tell(state2, fact2, after2, viewer)
                )
                assert _bytes(snapshot(after, viewer)) == _bytes(snapshot(after2, viewer))
                if viewer != GALLERY:
                    assert _bytes(you(after, viewer)) == _bytes(you(after2, viewer))
                compared += 1
    assert compared > 100


def _bytes(told: object) -> bytes:
    """An event as it goes over the wire."""
    return orjson.dumps(told, option=orjson.OPT_SORT_KEYS)


def test_no_secret_is_told_before_the_end(heard: list[Happening]) -> None:
    """The seed appears in no event but the one that ends its game."""
    for one in heard:
        running = one.before.running or one.after.running
        if isinstance(one.event, SeedChain):
            continue
        assert running is not None
        for viewer in (GALLERY, HOUSE, CHALLENGER):
            for event in tell(*one, viewer):
                secret = running.server_seed.hex().encode() in _bytes(event)
                assert secret == (event["type"] == "game_over")


def test_the_gallery_sees_no_hand_and_a_seat_its_own(heard: list[Happening]) -> None:
    """A deal shows a seat its five cards, the gallery none."""
    for one in heard:
        if isinstance(one.event, PackDealt):
            by = {v: tell(*one, v)[0]["deal"]["hands"] for v in (GALLERY, HOUSE, CHALLENGER)}
            assert by[GALLERY] == {}
            assert {seat: len(hand) for seat, hand in by[HOUSE].items()} == {"house": 10}
            assert list(by[CHALLENGER]) == ["challenger"]


def test_a_listener_hears_nothing_of_a_refused_command(tmp_path: Path) -> None:
    """A refusal is a reply, never an event."""
    evening, ear = Evening(tmp_path / "a.db", [plan()]), Ear()
    evening.house.clerk.listeners.append(ear)
    with pytest.raises(Refused, match="not running"):
        evening.house.clerk.submit(CloseBook("t1", "t1-000009")).result()
    assert ear.heard == []
    evening.house.close()


def test_exchanges_are_told_by_number_to_the_others(heard: list[Happening]) -> None:
    """`X` with question marks for everybody but the seat itself."""
    exchanges = [
        one for one in heard if isinstance(one.event, ActionTaken) and one.event.seal is not None
    ]
    assert exchanges
    for one in exchanges:
        assert isinstance(one.event, ActionTaken)
        seat = SIDES.index(one.event.seat or "")
        own = tell(*one, seat)[0]["action"]
        other = tell(*one, 1 - seat)[0]["action"]
        assert parse_token(own) & EXCHANGE
        assert set(other) == {"X", "?"} and len(other) == len(own)
        assert other == one.event.action


def test_r8_5_a_claim_tells_the_board_that_play_goes_back_to(tmp_path: Path) -> None:
    """So does a lead taken back: the deal as it now stands, and who is found to have revoked."""
    evening, ear, random = Evening(tmp_path / "a.db", [plan(laws=CLAIMS)]), Ear(), Random(4)
    evening.chips("ann")
    clerk = evening.house.clerk
    clerk.listeners.append(ear)
    clerk.submit(TakeSeat("t1", "ann")).result()
    while evening.state.number <= 6:
        legal = [said for said in you(evening.state, CHALLENGER)["legal"] if said != "C"]
        if not legal or random.randrange(4) == 0:
            evening.go()
            continue
        what = parse_token(legal[random.randrange(len(legal))])
        with suppress(Refused):
            clerk.submit(Act("t1", evening.state.version, "ann", what)).result()
            clerk.submit(Act("t1", evening.state.version, "ann", TAKE_BACK)).result()
    evening.house.close()
    back = [one for one in ear.heard if getattr(one.event, "action", None) in ("V", "W")]
    assert {one.event.action for one in back if isinstance(one.event, ActionTaken)} == {"V", "W"}
    for one in back:
        action, *points = tell(*one, CHALLENGER)
        assert action["deal"] == snapshot(one.after, CHALLENGER)["deal"]
        assert action["deal"]["led"] is None
        if action["action"] == "V":
            assert action["revoked"] == ["challenger"]
            assert action["deal"]["tricks"] == {"house": 0, "challenger": 0}
            assert action["deal"]["sizes"] == {"house": 5, "challenger": 5}
            assert [event["type"] for event in points] in ([], ["points"])
