"""Games one action at a time: each article of the rules, beside a deal of the engine."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest

from casino.ecarte import (
    ACCEPT,
    CHALLENGER,
    CONCEDE,
    HOUSE,
    LEADING,
    NO_SEAT,
    OVER,
    PACK,
    PROPOSE,
    PROPOSING,
    REFUSE,
    STAND,
    Laws,
    card_set,
    cards,
    new_deal,
)
from casino.ecarte.laws import ALLOWED
from casino.ecarte.observation import encoding
from casino.simulate.compiled import vector_env
from casino.simulate.compiled.splitmix import word
from casino.simulate.compiled.vector_env import episode_rules
from casino.simulate.reference_engine import shuffled_pack
from tests.simulate.twin import Twin, empty, legal_numbers

LAWS = [
    Laws(**dict(zip(ALLOWED, values, strict=True)))
    for values in product(*ALLOWED.values())
    if "claims" not in values
]
ALL = encoding.FIRST_EXCHANGE + 31
"""The number of exchanging five cards."""


def pack(elder: str, dealer: str, then: str) -> list[int]:
    first, second = cards(elder), cards(dealer)
    known = [*first[:3], *second[:3], *first[3:], *second[3:], *cards(then)]
    return known + [card for card in PACK if card not in known]


STRONG = pack("KS QS JS AS TS", "KH QH JH AH TH", "7S")
"""The elder takes all tricks, with the king of trumps."""

WEAK = pack("7D 8D 9D 7C 8C", "QS JS AS TS 9S", "8S")
"""The dealer takes all tricks, without the king."""


def played_out(twin: Twin) -> Twin:
    while twin.deal.phase != OVER:
        twin.act(twin.legal[0])
    return twin


@pytest.mark.parametrize("at", range(0, len(LAWS), 9))
def test_every_step_is_the_engines(at: int) -> None:
    laws, rng = LAWS[at], Random(at)
    for dealer in (HOUSE, CHALLENGER):
        score = (rng.randrange(laws.target), rng.randrange(laws.target))
        if laws.target - 1 in score and rng.random() < 0.5:
            score = (0, 0)
        twin = Twin(new_deal(laws, dealer, rng.sample(PACK, 32), score))
        while twin.deal.turn != NO_SEAT:
            legal = twin.legal
            number = rng.choice(legal)
            # Proposals go on for long, and are seldom ended by a deal that is conceded.
            if number in (STAND, REFUSE, CONCEDE) and rng.random() < 0.7:
                number = legal[0]
            twin.act(number)


def test_nothing_of_a_deal_is_left_in_the_next() -> None:
    rules = episode_rules(Laws(), False)
    fresh, used = empty(), empty()
    for name in ("led", "vulnerable", "marked", "rounds", "trick", "drawn", "phase", "draws"):
        setattr(used, name, 9)
    for name in ("hands", "kept", "given", "taken", "tricks", "leds", "legal"):
        setattr(used, name, [7, 7])
    for game in (fresh, used):
        game.game_key = 17
        vector_env.begin_deal(rules, game)
    assert used == fresh


def test_r3_4_play_begins_when_the_stock_is_used_up() -> None:
    twin = Twin.of(Random(4).sample(PACK, 32))
    twin.act(PROPOSE, ACCEPT, ALL, ALL, PROPOSE, ACCEPT, ALL, ALL, PROPOSE, ACCEPT)
    assert twin.legal == [encoding.FIRST_EXCHANGE + (1 << place) for place in range(5)]
    twin.act(encoding.FIRST_EXCHANGE + 4)
    assert twin.legal == [encoding.FIRST_EXCHANGE]
    twin.act(encoding.FIRST_EXCHANGE)
    assert twin.game.phase == LEADING and twin.game.turn == CHALLENGER
    assert twin.game.vulnerable == NO_SEAT and twin.game.rounds == 3
    assert twin.game.taken[CHALLENGER] == 5 | 5 << 4 | 1 << 8
    assert twin.game.taken[HOUSE] == 5 | 5 << 4


def test_cards_are_drawn_from_a_pack_shuffled_as_far_as_it_is_needed() -> None:
    rules, key = episode_rules(Laws(), True), 40
    game = empty()
    game.game_key, game.dealer = key, HOUSE
    vector_env.begin_deal(rules, game)
    whole = shuffled_pack(word(key, 1))
    two, one = encoding.FIRST_EXCHANGE + 3, encoding.FIRST_EXCHANGE + 1
    for some, blocks, drawn in ((ALL, 2, 16), (two, 2, 18), (one, 3, 19), (ALL, 3, 24)):
        if game.phase == PROPOSING:
            vector_env.act(rules, game, PROPOSE)
            vector_env.act(rules, game, ACCEPT)
        seat, before = game.turn, game.drawn
        vector_env.act(rules, game, some)
        assert (game.shuffled, game.drawn) == (blocks, drawn)
        assert game.hands[seat] & card_set(whole[before:drawn]) == card_set(whole[before:drawn])
        assert game.given[seat] & game.hands[seat] == 0


EXCHANGED = (PROPOSE, ACCEPT, encoding.FIRST_EXCHANGE + 16, encoding.FIRST_EXCHANGE + 16, STAND)


@pytest.mark.parametrize(
    ("deck", "said", "vole", "score"),
    [
        (STRONG, (STAND,), 1, (0, 1)),  # an elder who stood is not paid double for it
        (STRONG, (STAND,), 2, (0, 2)),
        (STRONG, (PROPOSE, REFUSE), 1, (0, 2)),
        (STRONG, (PROPOSE, REFUSE), 2, (0, 2)),
        (WEAK, (STAND,), 1, (2, 0)),
        (WEAK, (PROPOSE, REFUSE), 1, (1, 0)),
        (WEAK, (PROPOSE, REFUSE), 2, (2, 0)),
        (WEAK, EXCHANGED, 1, (2, 0)),
    ],
)
def test_r6_all_five_tricks(
    deck: list[int], said: tuple[int, ...], vole: int, score: tuple[int, int]
) -> None:
    stock = pack("7D 8D 9D 7C 8C", "QS JS AS TS 9S", "8S 9C KS")
    twin = Twin.of(stock if said == EXCHANGED else deck, vole_unexchanged=vole).act(*said)
    played_out(twin)
    assert 5 in twin.game.tricks
    assert tuple(twin.game.score) == score
    assert vector_env.house_result(twin.rules, twin.game) == score[0] - score[1]


@pytest.mark.parametrize("laws", [Laws(), Laws(deal="house"), Laws(7)])
def test_r2_2_deals_follow_until_somebody_has_won(laws: Laws) -> None:
    rules, game, at_once = episode_rules(laws, False), empty(), 0
    for key in range(40):
        game.key, game.games, game.loser = word(key, 9), 0, NO_SEAT
        vector_env.begin_game(rules, game)
        dealers, rng, over = [game.dealer], Random(key), False
        while not over:
            deals = game.deals
            vector_env.act(rules, game, rng.choice(legal_numbers(game)[:5]))
            over = vector_env.end_episode(rules, game)
            dealers += [game.dealer] * (game.deals - deals)
            at_once += over and game.deals > deals
        assert laws.target in game.score and game.phase == OVER
        assert len(dealers) == game.deals
        turns = 0 if laws.deal == "house" else 1
        assert all(after == before ^ turns for before, after in pairwise(dealers))
    assert at_once


def test_an_episode_of_one_deal_ends_with_it() -> None:
    for one_deal in (True, False):
        twin = Twin(new_deal(Laws(), HOUSE, STRONG), one_deal=one_deal).act(STAND)
        assert not vector_env.end_episode(twin.rules, twin.game)
        played_out(twin)
        assert vector_env.end_episode(twin.rules, twin.game) is one_deal
        assert (twin.game.phase == OVER) is one_deal
        assert twin.game.dealer == (HOUSE if one_deal else CHALLENGER)
