"""What compiled code keeps in mind of a deal: the very thing that a view tells the bot."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from casino.bots import get_bot
from casino.bots.mixed_bot import ERROR_RATE_SCALE
from casino.ecarte import (
    FOLLOWING,
    LEADING,
    PACK,
    Deal,
    Laws,
    apply,
    legal_for,
    new_deal,
    read_record,
    replay,
    view,
)
from casino.ecarte.actions import (
    ACCEPT,
    EXCHANGE,
    MARK,
    PROPOSE,
    REFUSE,
    STAND,
    exchanged_number,
    played,
)
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, NO_SEAT, Seat, other
from casino.simulate import series
from casino.simulate.compiled import bot_actions, expert_state
from casino.simulate.compiled.expert_state import EXPERT, ExpertState
from casino.simulate.compiled.splitmix import word
from casino.simulate.series import Run, bot_number, compiled_state, is_slow, play_series
from casino.solver.expert_bot import Expert
from casino.solver.policy import tables
from casino.solver.policy.info_state import info_state
from casino.solver.policy.infosets import STEPS


def followed(deal: Deal, action: int, mind: ExpertState) -> Deal:
    seat, led = deal.turn, deal.led
    role = 0 if seat == 1 - deal.dealer else 1
    after = apply(deal, action)
    if action in (STAND, REFUSE):
        vulnerable = NO_SEAT if deal.exchanged else role
        expert_state.on_stand(mind, role, vulnerable)
    elif action == MARK:
        expert_state.on_king(mind, role)
    elif action & EXCHANGE:
        drawn = after.hands[seat] & ~deal.hands[seat]
        expert_state.on_exchange(mind, role, exchanged_number(action), drawn)
    elif played(action) is not None:
        expert_state.on_card(mind, role, action, led)
    return after


def fresh(deal: Deal) -> ExpertState:
    found = compiled_state(Run(1, 1, "expert", "expert", deal.laws))
    assert found is not None
    elder, dealer = 1 - deal.dealer, deal.dealer
    hands = deal.hands[elder], deal.hands[dealer]
    expert_state.begin(found, deal.turn_up, hands, (deal.score[elder], deal.score[dealer]))
    return found


@pytest.mark.parametrize(
    "laws", [Laws(), Laws(play="ordinary"), Laws(7, deal="house"), Laws(enforcement="claims")]
)
@pytest.mark.parametrize("bot", ["novice", "regle"])
def test_the_mind_holds_what_the_view_tells(laws: Laws, bot: str) -> None:
    rng, player, compared = Random(17), get_bot(bot), 0
    for _ in range(25):
        score = (rng.randrange(laws.target), rng.randrange(laws.target - 1))
        deal = new_deal(laws, rng.randrange(2), rng.sample(PACK, 32), score)
        mind = fresh(deal)
        while (seat := deal.turn) != NO_SEAT and not deal.game_over:
            if deal.phase in (LEADING, FOLLOWING) and MARK not in legal_for(deal, seat):
                role = 0 if seat == 1 - deal.dealer else 1
                found = expert_state._spot(
                    mind, 0, role, deal.hands[seat], deal.led, deal.tricks[seat]
                )
                expected = info_state(view(deal, seat))
                assert expected is not None and tuple(map(int, found)) == tuple(map(int, expected))
                compared += 1
            action = player.choose(view(deal, seat), legal_for(deal, seat), rng)
            deal = followed(deal, action, mind)
    assert compared > 150


def test_exchanges_are_counted_when_both_have_drawn() -> None:
    deal = new_deal(Laws(), 0, Random(3).sample(PACK, 32))
    mind = fresh(deal)
    player, rng = get_bot("novice"), Random(8)
    said = 0
    while deal.turn != NO_SEAT and deal.phase < LEADING:
        legal = legal_for(deal, deal.turn)
        action = player.choose(view(deal, deal.turn), legal, rng)
        action = next((one for one in (ACCEPT, PROPOSE) if one in legal and said < 3), action)
        deal = followed(deal, action, mind)
        said += action == ACCEPT
        assert mind.facts[expert_state.EXCHANGES] == deal.history.count(ACCEPT) - (
            deal.phase in (4, 5)
        )
    assert said
    expert_state.begin(mind, 9, (31 << 10, 31 << 16), (1, 2))
    assert mind.facts[expert_state.EXCHANGES] == mind.facts[expert_state.TOOK] == 0
    assert (mind.facts[expert_state.SCORE], mind.facts[expert_state.DEALER_SCORE]) == (1, 2)
    assert mind.notes[0, expert_state.SEEN] == 31 << 10 and mind.notes[1, expert_state.PLAYED] == 0


def test_a_bots_number_says_what_it_is() -> None:
    assert bot_number(get_bot("novice")) == bot_actions.NOVICE
    assert bot_number(get_bot("regle")) == bot_actions.REGLE
    assert bot_number(get_bot("eugenie")) == EXPERT
    expert = bot_number(Expert(40))
    assert (expert & 15, expert >> expert_state.EFFORT) == (EXPERT, 40)
    clement = bot_number(get_bot("clement"))
    assert (
        clement & 15 == bot_actions.REGLE
        and clement >> expert_state.WORSE & 15 == bot_actions.NOVICE
    )
    assert clement >> expert_state.LAPSED & 255 == 12 and clement >> expert_state.EFFORT == 0


def test_a_wavering_bot_is_drawn_for_each_time() -> None:
    clement = bot_number(get_bot("clement"))
    found: Counter[int] = Counter()
    for key in range(6_400):
        bot, number = expert_state._this_time(clement, word(5, key), 7)
        assert number >= 8
        found[bot] += 1
    assert abs(found[bot_actions.NOVICE] - 6_400 * 12 / ERROR_RATE_SCALE) < 5 * 40
    assert found[bot_actions.NOVICE] + found[bot_actions.REGLE] == 6_400
    for name in ("novice", "regle", "eugenie", "expert"):
        number = bot_number(get_bot(name))
        assert expert_state._this_time(number, 99, 7) == (number, 7)


@pytest.mark.parametrize(("score", "hidden"), [((3, 4), True), ((3, 3), False), ((2, 4), False)])
def test_the_expert_alone_keeps_silent_about_the_king(score: tuple[int, int], hidden: bool) -> None:
    expert, regle, lapsing = (bot_number(get_bot(n)) for n in ("expert", "regle", "clement"))
    mind = compiled_state(Run(1, 1, "expert", "regle"))
    assert mind is not None and expert_state.announces(None, regle, 0)
    expert_state.begin(mind, 9, (31 << 16, 31 << 24), score)
    for role in (0, 1):
        assert expert_state.announces(mind, expert, role)
    expert_state.on_stand(mind, 1, 1)
    assert expert_state.announces(mind, expert, 0) is not hidden and expert_state.announces(
        mind, expert, 1
    )
    assert expert_state.announces(mind, regle, 0) and expert_state.announces(mind, lapsing, 0)


def test_compiled_games_hide_the_king_as_the_objects_do() -> None:
    run = Run(400, 5, "expert", "eugenie")
    hidden = 0
    for line in play_series(run, 0, recording=True).lines.splitlines():
        for deal in replay(read_record(line)).deals:
            king = 8 * (deal.turn_up >> 3) + 7
            if king in deal.history and MARK not in deal.history:
                assert sorted(deal.score_before) == [3, 4] and not deal.exchanged
                hidden += 1
    assert hidden


@pytest.mark.parametrize("name", ["expert", "eugenie"])
@pytest.mark.parametrize("in_file", [HOUSE, CHALLENGER])
def test_two_experts_go_each_by_tables_of_their_own(
    name: str, in_file: Seat, tmp_path: Path
) -> None:
    found = tables.load_packed()
    words, takes = (np.frombuffer(one, np.uint8).reshape(25, 2, -1) for one in found[1:3])
    lost = np.arange(49) // 7 * 5 // 7 * 5 + np.arange(49) % 7 * 5 // 7
    worth = np.frombuffer(found.worth, "<i4").reshape(25, -1)[lost]
    parts = ((STEPS - words)[lost].tobytes(), takes[lost].tobytes(), *found[3:6], worth.tobytes())
    file = tmp_path / "contrary.xz"
    head = json.dumps({"version": tables.VERSION, "target": 7})
    body = lzma.compress(b"".join((*parts, found.rests, found.leads)), preset=0)
    file.write_bytes(head.encode() + b"\n" + body)
    seats = (f"{name}:{file}", name) if in_file == HOUSE else (name, f"{name}:{file}")
    run = Run(12, 5, *seats)
    assert play_series(run, 0, recording=True) == series._on_objects(run, 0, True)
    counts = play_series(run._replace(games=1000), 0).counts
    wins = (counts.house_wins, counts.challenger_wins)
    assert wins[other(in_file)] > 550, "who speaks by the contrary loses more"


def test_only_an_expert_needs_a_mind() -> None:
    assert compiled_state(Run(1, 1, "regle", "clement")) is None
    assert compiled_state(Run(1, 1, "eugenie", "regle")) is not None
    assert is_slow(Run(1, 1, "expert", "novice"))
    assert not is_slow(Run(1, 1, "eugenie", "clement"))


def test_nothing_is_led_before_the_first_card() -> None:
    deal = new_deal(Laws(), 0, Random(4).sample(PACK, 32))
    mind = fresh(deal)
    deal = followed(deal, STAND, mind)
    found = expert_state._spot(mind, 0, 0, deal.hands[1], NO_CARD, 0)
    assert found.played == 0 and found.plays == 1 and found.size == 5
    assert found.unseen == 0xFFFFFFFF & ~(deal.hands[1] | 1 << deal.turn_up)
