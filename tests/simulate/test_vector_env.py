"""Games one action at a time: each article of the rules, beside a deal of the engine."""

from __future__ import annotations

from itertools import pairwise, product
from math import comb
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.ecarte import (
    ACCEPT,
    CHALLENGER,
    CONCEDE,
    DEALER_EXCHANGE,
    ELDER_EXCHANGE,
    EXCHANGE,
    FOLLOWING,
    HOUSE,
    LEADING,
    MARK,
    NO_SEAT,
    OVER,
    PACK,
    PROPOSE,
    PROPOSING,
    REFUSE,
    STAND,
    Laws,
    begin_deal,
    card_set,
    cards,
    cut_for_deal,
    first_dealer,
    multiplier,
    new_deal,
    new_game,
    turn_up,
)
from casino.ecarte.laws import ALLOWED
from casino.ecarte.observation import encoding
from casino.simulate.compiled import vector_env
from casino.simulate.compiled.splitmix import CHOICES, word
from casino.simulate.compiled.vector_env import PICKED, episode_rules
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


@pytest.mark.parametrize("target", ALLOWED["target"])
def test_r2_5_a_deal_begins_as_the_engine_deals_it(target: int) -> None:
    kings = ended = 0
    for number in range(60):
        laws = Laws(target, packets=((3, 2), (2, 3))[number % 2])
        game, rules = empty(), episode_rules(laws, False)
        game.game_key, game.deals, game.dealer = word(5, number), 3, number % 2
        game.score = [target - 1, 0] if number % 4 < 2 else [1, target - 1]
        score = (game.score[0], game.score[1])
        vector_env.begin_deal(rules, game)
        deal = new_deal(laws, number % 2, shuffled_pack(word(word(5, number), 4)), score)
        assert (game.deals, game.deal_key) == (4, word(word(5, number), 4))
        assert (game.phase, game.turn, game.turned) == (deal.phase, deal.turn, deal.turn_up)
        assert (tuple(game.hands), tuple(game.kept)) == (deal.hands, deal.kept)
        assert (tuple(game.score), tuple(game.began)) == (deal.score, score)
        assert (game.draws, game.picks, game.shuffled) == (CHOICES, PICKED, 1)
        assert game.deck[:11] == list(deal.deck[:11]) and game.drawn == 11
        assert (legal_numbers(game) == []) == (deal.phase == OVER)
        kings += deal.turn_up & 7 == 7
        ended += deal.phase == OVER
    assert 0 < ended < kings


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


@pytest.mark.parametrize(
    ("first", "loser", "dealer"),
    [("house", CHALLENGER, HOUSE), ("challenger", HOUSE, CHALLENGER),
     ("loser", CHALLENGER, CHALLENGER), ("loser", HOUSE, HOUSE)],
)  # fmt: skip
def test_r2_1_who_deals_first_by_the_laws(first: str, loser: int, dealer: int) -> None:
    game = empty()
    game.key, game.loser, game.score, game.deals = 3, loser, [4, 5], 8
    vector_env.begin_game(episode_rules(Laws(first_dealer=first), False), game)
    assert (game.dealer, game.deals, game.games) == (dealer, 1, 1)
    assert game.score[1 - dealer] == 0 and game.score[dealer] == (game.turned & 7 == 7)


@pytest.mark.parametrize("first", ["cut", "loser"])
def test_r2_1_the_first_game_is_cut_for(first: str) -> None:
    laws, game = Laws(first_dealer=first), empty()
    game.key, dealers = 12, []
    for number in range(20):
        game.loser = NO_SEAT
        vector_env.begin_game(episode_rules(laws, False), game)
        assert (game.game_key, game.games) == (word(12, number), number + 1)
        cut = cut_for_deal(shuffled_pack(word(game.game_key, 0)))
        assert game.dealer == first_dealer(laws, cut, NO_SEAT) == cut
        dealt = turn_up(begin_deal(new_game(laws, cut), shuffled_pack(word(game.game_key, 1))))
        assert tuple(game.hands) == dealt.hands
        dealers.append(cut)
    assert set(dealers) == {HOUSE, CHALLENGER}


@pytest.mark.parametrize("stock", range(22))
@pytest.mark.parametrize("phase", [ELDER_EXCHANGE, DEALER_EXCHANGE])
def test_r3_5_as_many_cards_as_the_stock_has(stock: int, phase: int) -> None:
    game = empty()
    game.drawn = 32 - stock
    vector_env._may_give(game, phase, HOUSE)
    given = [(number - encoding.FIRST_EXCHANGE).bit_count() for number in legal_numbers(game)]
    sizes = range(1, min(stock, 5) + 1) if stock else [0]
    assert [given.count(size) for size in range(6)] == [
        comb(5, size) if size in sizes else 0 for size in range(6)
    ]
    assert (game.phase, game.turn) == (phase, HOUSE)


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


def test_r3_4_an_exchange_may_leave_nothing_to_propose() -> None:
    twin = Twin.of(Random(5).sample(PACK, 32))
    for number in range(11):
        assert twin.game.phase == PROPOSING and twin.game.rounds == number
        last = encoding.FIRST_EXCHANGE if number == 10 else encoding.FIRST_EXCHANGE + 1
        twin.act(PROPOSE, ACCEPT, encoding.FIRST_EXCHANGE + 16, last)
    assert twin.game.phase == LEADING
    assert twin.game.taken[CHALLENGER] == sum(1 << 4 * at for at in range(11))
    assert twin.game.taken[HOUSE] == sum(1 << 4 * at for at in range(10))


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


@given(st.sets(st.sampled_from(PACK), min_size=5, max_size=5), st.integers(0, 31))
def test_the_places_of_an_exchange_are_those_of_the_encoding(hand: set[int], places: int) -> None:
    held = card_set(hand)
    given = vector_env.discarded(held, places)
    assert encoding.encode_action(EXCHANGE | given, held) == encoding.FIRST_EXCHANGE + places


@pytest.mark.parametrize(
    ("said", "vulnerable", "rounds"),
    [
        ((STAND,), CHALLENGER, 0),
        ((PROPOSE, REFUSE), HOUSE, 0),
        ((PROPOSE, ACCEPT, ALL, ALL, STAND), NO_SEAT, 1),
        ((PROPOSE, ACCEPT, ALL, ALL, PROPOSE, REFUSE), NO_SEAT, 1),
    ],
)
def test_r3_7_only_the_first_decision_makes_vulnerable(
    said: tuple[int, ...], vulnerable: int, rounds: int
) -> None:
    twin = Twin.of(STRONG).act(*said)
    assert (twin.game.vulnerable, twin.game.rounds) == (vulnerable, rounds)
    assert (twin.game.phase, twin.game.turn) == (LEADING, CHALLENGER)


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


@pytest.mark.parametrize("trick", range(5))
@pytest.mark.parametrize("leads", [True, False])
def test_a_deal_conceded_gives_the_other_the_rest(trick: int, leads: bool) -> None:
    twin = Twin.of(Random(8).sample(PACK, 32)).act(STAND)
    while twin.game.trick < trick or (twin.game.phase == LEADING) != leads:
        twin.act(twin.legal[0])
    seat, taken = twin.game.turn, list(twin.game.tricks)
    twin.act(CONCEDE)
    assert twin.game.phase == OVER and twin.game.led == -1
    assert twin.game.tricks[seat] == taken[seat] and sum(twin.game.tricks) == 5


@pytest.mark.parametrize("score", [(0, 0), (3, 4), (4, 4), (0, 4)])
def test_r4_1_the_king_is_marked_before_its_holders_first_card(score: tuple[int, int]) -> None:
    twin = Twin.of(STRONG, score).act(STAND)
    assert MARK in twin.legal
    unmarked = Twin.of(STRONG, score).act(STAND, cards("QS")[0])
    assert MARK not in unmarked.act(unmarked.legal[0]).legal
    twin.act(MARK)
    if score[CHALLENGER] == 4:
        assert (twin.game.phase, twin.legal) == (OVER, [])
        assert tuple(twin.game.score) == (score[0], 5)
    else:
        assert MARK not in twin.legal and twin.game.score[CHALLENGER] == score[1] + 1


def test_r4_2_the_dealer_marks_after_the_first_lead() -> None:
    twin = Twin.of(pack("7H 8H 7D 8D 7C", "KS 9H TH KD KC", "7S")).act(STAND)
    assert MARK not in twin.legal
    twin.act(cards("8H")[0])
    assert MARK in twin.legal
    twin.act(MARK)
    assert twin.game.phase == FOLLOWING
    assert twin.legal == [*sorted(cards("9H TH")), CONCEDE]


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


@pytest.mark.parametrize("target", ALLOWED["target"])
@pytest.mark.parametrize("lost", range(11))
def test_r7_2_what_a_game_is_worth(target: int, lost: int) -> None:
    if lost >= target:
        return
    game: Any = empty()
    for score, sign, loser in (([target, lost], 1, CHALLENGER), ([lost, target], -1, HOUSE)):
        game.score, game.began, game.loser = score, [2, 2], NO_SEAT
        assert vector_env.house_result(
            episode_rules(Laws(target), False), game
        ) == sign * multiplier(lost)
        assert game.loser == loser


def test_a_deal_alone_is_worth_its_points() -> None:
    game = empty()
    game.score, game.began, game.loser = [4, 3], [2, 3], NO_SEAT
    assert vector_env.house_result(episode_rules(Laws(), True), game) == 2
    game.score, game.began = [2, 5], [2, 4]
    assert (vector_env.house_result(episode_rules(Laws(), True), game), game.loser) == (-1, NO_SEAT)
