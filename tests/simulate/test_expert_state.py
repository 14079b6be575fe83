"""The compiled expert's state of a deal equals what a view tells the bot."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from random import Random

import numpy as np
import pytest

from casino.bots import get_bot
from casino.ecarte import FOLLOWING, LEADING, PACK, Deal, Laws, apply, legal_for, new_deal, view
from casino.ecarte.actions import EXCHANGE, MARK, REFUSE, STAND, exchanged_number, played
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_SEAT, Seat, other
from casino.simulate import series
from casino.simulate.compiled import bot_actions
from casino.simulate.compiled.bot_actions import ExpertState
from casino.simulate.series import Run, new_table, play_series
from casino.solver.policy import tables
from casino.solver.policy.info_state import info_state
from casino.solver.policy.tables import STEPS


def followed(deal: Deal, action: int, mind: ExpertState) -> Deal:
    seat, led = deal.turn, deal.led
    role = 0 if seat == 1 - deal.dealer else 1
    after = apply(deal, action)
    if action in (STAND, REFUSE):
        vulnerable = NO_SEAT if deal.exchanged else role
        bot_actions.on_stand(mind, role, vulnerable)
    elif action == MARK:
        bot_actions.on_king(mind, role)
    elif action & EXCHANGE:
        drawn = after.hands[seat] & ~deal.hands[seat]
        bot_actions.on_exchange(mind, role, exchanged_number(action), drawn)
    elif played(action) is not None:
        bot_actions.on_card(mind, role, action, led)
    return after


def fresh(deal: Deal) -> ExpertState:
    found = new_table(Run(1, 1, "expert", "expert", deal.laws)).state
    assert found is not None
    elder, dealer = 1 - deal.dealer, deal.dealer
    hands = deal.hands[elder], deal.hands[dealer]
    bot_actions.begin(found, deal.turn_up, hands, (deal.score[elder], deal.score[dealer]))
    return found


@pytest.mark.parametrize(
    "laws", [Laws(), Laws(play="ordinary"), Laws(7, deal="house"), Laws(enforcement="claims")]
)
def test_expert_state_matches_the_view(laws: Laws) -> None:
    rng, player, compared = Random(17), get_bot("novice"), 0
    for _ in range(25):
        score = (rng.randrange(laws.target), rng.randrange(laws.target - 1))
        deal = new_deal(laws, rng.randrange(2), rng.sample(PACK, 32), score)
        mind = fresh(deal)
        while (seat := deal.turn) != NO_SEAT and not deal.game_over:
            if deal.phase in (LEADING, FOLLOWING) and MARK not in legal_for(deal, seat):
                role = 0 if seat == 1 - deal.dealer else 1
                found = bot_actions._info_state(
                    mind, 0, role, deal.hands[seat], deal.led, deal.tricks[seat]
                )
                expected = info_state(view(deal, seat))
                assert expected is not None and tuple(map(int, found)) == tuple(map(int, expected))
                compared += 1
            action = player.choose(view(deal, seat), legal_for(deal, seat), rng)
            deal = followed(deal, action, mind)
    assert compared > 150


@pytest.mark.parametrize(("name", "in_file"), [("expert", CHALLENGER), ("eugenie", HOUSE)])
def test_two_experts_use_their_own_tables(name: str, in_file: Seat, tmp_path: Path) -> None:
    found = tables.load_packed()
    words, takes = (np.frombuffer(one, np.uint8).reshape(25, 2, -1) for one in found[1:3])
    lost = np.arange(49) // 7 * 5 // 7 * 5 + np.arange(49) % 7 * 5 // 7
    worth = np.frombuffer(found.equity, "<i4").reshape(25, -1)[lost]
    parts = ((STEPS - words)[lost].tobytes(), takes[lost].tobytes(), *found[3:6], worth.tobytes())
    file = tmp_path / "contrary.xz"
    head = json.dumps({"version": tables.VERSION, "target": 7})
    body = lzma.compress(b"".join((*parts, found.endgame, found.leads)), preset=0)
    file.write_bytes(head.encode() + b"\n" + body)
    seats = (f"{name}:{file}", name) if in_file == HOUSE else (name, f"{name}:{file}")
    run = Run(4, 5, *seats)
    assert play_series(run, 0, recording=True) == series._on_objects(run, 0, True)
    counts = play_series(run._replace(games=1000), 0).counts
    wins = (counts.house_wins, counts.challenger_wins)
    assert wins[other(in_file)] > 550, "who speaks by the contrary loses more"
