"""Games one action at a time, beside a deal of the engine; many games in one call."""

from __future__ import annotations

from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from casino.bots import get_bot
from casino.ecarte import (
    ACCEPT,
    CHALLENGER,
    CONCEDE,
    FOLLOWING,
    HOUSE,
    LEADING,
    NO_SEAT,
    OVER,
    PACK,
    PROPOSE,
    PROPOSING,
    REFUSE,
    STAND,
    Deal,
    Laws,
    apply,
    card_set,
    legal_for,
    multiplier,
    new_deal,
    view,
)
from casino.ecarte.laws import ALLOWED
from casino.ecarte.observation import encoding
from casino.ecarte.observation.encoding import NUM_ACTIONS, OBSERVATION_SIZE
from casino.simulate.compiled import batch_step, vector_env
from casino.simulate.compiled.batch_step import OUTSIDE
from casino.simulate.compiled.observation import (
    MASK_BYTES,
    OBSERVED_BYTES,
    Observations,
    observe,
    write_mask,
)
from casino.simulate.compiled.splitmix import BLOCKS, word
from casino.simulate.compiled.vector_env import GAME, EpisodeRules, episode_rules
from casino.simulate.reference_engine import shuffled_pack
from casino.simulate.series import bot_number


def empty() -> Any:
    """A game of which nothing is known, with the fields that an array of games has."""
    fields = {}
    for name in GAME.names or ():
        shape = GAME[name].shape
        fields[name] = [0] * shape[0] if shape else 0
    return SimpleNamespace(**fields)


def game_of(rules: EpisodeRules, deal: Deal) -> Any:
    game = empty()
    game.dealer, game.deck, game.shuffled = deal.dealer, list(deal.deck), len(BLOCKS) - 1
    game.turned, game.drawn = deal.turn_up, deal.drawn
    game.hands, game.kept = list(deal.hands), list(deal.hands)
    game.score, game.began = list(deal.score_before), list(deal.score_before)
    game.led = game.vulnerable = game.marked = game.loser = NO_SEAT
    vector_env._may_speak(game)
    vector_env.add_points(rules, game, deal.dealer, int(deal.turn_up & 7 == 7))
    return game


def legal_numbers(game: Any) -> list[int]:
    words = game.legal
    return [
        at
        for at in range(encoding.NUM_ACTIONS)
        if words[at // vector_env.WORD] >> at % vector_env.WORD & 1
    ]


class Twin:
    """A deal played by both, and compared after every action."""

    def __init__(self, deal: Deal, *, one_deal: bool = True) -> None:
        self.rules = episode_rules(deal.laws, one_deal)
        self.deal = deal
        self.game = game_of(self.rules, deal)
        self.compare()

    @classmethod
    def of(
        cls, deck: Any, score: tuple[int, int] = (0, 0), dealer: int = HOUSE, **laws: Any
    ) -> Twin:
        return cls(new_deal(Laws(**laws), dealer, deck, score))

    @property
    def legal(self) -> list[int]:
        return legal_numbers(self.game)

    def act(self, *numbers: int) -> Twin:
        for number in numbers:
            hand = self.deal.hands[self.deal.turn]
            self.deal = apply(self.deal, encoding.decode_action(number, hand))
            vector_env.act(self.rules, self.game, number)
            self.compare()
        return self

    def compare(self) -> None:
        game, deal = self.game, self.deal
        assert (game.phase, game.turn) == (deal.phase, deal.turn)
        assert (tuple(game.score), tuple(game.began)) == (deal.score, deal.score_before)
        assert tuple(game.tricks) == deal.tricks
        assert (game.vulnerable, game.marked) == (deal.vulnerable, deal.marked)
        assert game.drawn == deal.drawn and game.dealer == deal.dealer
        assert tuple(game.kept) == deal.kept
        legal: list[int] = []
        if deal.phase != OVER:
            assert (tuple(game.hands), game.led) == (deal.hands, deal.led)
            assert game.trick == sum(deal.tricks)
            shown = encoding.legal_mask(legal_for(deal, deal.turn), deal.hands[deal.turn])
            legal = [number for number, can in enumerate(shown) if can]
        assert legal_numbers(game) == legal
        if deal.phase in (LEADING, FOLLOWING):
            assert legal_numbers(game)[-1] <= encoding.FIRST_EXCHANGE


LAWS = [
    Laws(**dict(zip(ALLOWED, values, strict=True)))
    for values in product(*ALLOWED.values())
    if "claims" not in values
]
ALL = encoding.FIRST_EXCHANGE + 31
"""The number of exchanging five cards."""


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
def test_r7_2_what_a_game_is_worth(target: int) -> None:
    game: Any = empty()
    for lost in range(target):
        for score, sign, loser in (([target, lost], 1, CHALLENGER), ([lost, target], -1, HOUSE)):
            game.score, game.began, game.loser = score, [2, 2], NO_SEAT
            worth = vector_env.house_result(episode_rules(Laws(target), False), game)
            assert (worth, game.loser) == (sign * multiplier(lost), loser)


def test_a_deal_alone_is_worth_its_points() -> None:
    game = empty()
    game.score, game.began, game.loser = [4, 3], [2, 3], NO_SEAT
    assert vector_env.house_result(episode_rules(Laws(), True), game) == 2
    game.score, game.began = [2, 5], [2, 4]
    assert (vector_env.house_result(episode_rules(Laws(), True), game), game.loser) == (-1, NO_SEAT)


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


OBSERVATION_LAWS = [
    Laws(),
    Laws(7, "ordinary", 2, (2, 3), "house"),
    Laws(11, packets=(2, 3), first_dealer="loser"),
    Laws(play="ordinary", deal="house"),
]


def room(games: int) -> Observations:
    numbers = np.full((games, OBSERVED_BYTES), 99, np.int8)
    return Observations(numbers, numbers.view(np.uint64))


def row(twin: Twin, seat: int) -> list[int]:
    seen = room(1)
    observe(twin.rules, twin.game, seat, seen, 0)
    assert not seen.numbers[0, OBSERVATION_SIZE:].any()
    found: list[int] = seen.numbers[0, :OBSERVATION_SIZE].tolist()
    return found


@pytest.mark.parametrize("laws", OBSERVATION_LAWS, ids=range(len(OBSERVATION_LAWS)))
def test_both_seats_see_what_the_encoding_says(laws: Laws) -> None:
    rng = Random(laws.target)
    for number in range(12):
        score = (rng.randrange(laws.target - 1), rng.randrange(laws.target - 1))
        twin = Twin(new_deal(laws, number % 2, rng.sample(PACK, 32), score))
        while True:
            for seat in (HOUSE, CHALLENGER):
                assert row(twin, seat) == encoding.observation(view(twin.deal, seat))
            if twin.deal.turn == NO_SEAT:
                break
            action = rng.choice(twin.legal)
            twin.act(twin.legal[0] if action in (STAND, CONCEDE) else action)


@pytest.mark.parametrize(
    "legal",
    [
        (0, 0),
        (1, 0),
        (1 << 63, 0),
        (0, 1),
        (0, 1 << 9),
        (0b1011 << 30, 0b11),
        ((1 << 64) - 1, 1023),
    ],
)
def test_a_mask_is_the_bits_of_what_is_legal(legal: tuple[int, int]) -> None:
    masks = np.full((3, MASK_BYTES // 8), 99, np.uint64)
    twin = Twin(new_deal(Laws(), HOUSE, PACK))
    twin.game.legal = list(legal)
    write_mask(twin.game, masks, 1)
    bits = legal[0] | legal[1] << 64
    assert masks[1].view(np.int8)[:NUM_ACTIONS].tolist() == [
        bits >> at & 1 for at in range(NUM_ACTIONS)
    ]
    assert not masks[1].view(np.int8)[NUM_ACTIONS:].any()
    assert (masks[[0, 2]] == 99).all()


USUAL = Laws()

SIGN = -(1 << 63)
"""The last bit of a word, which is the sign of an int."""


class Slice(NamedTuple):
    """Games with the arrays that calls write into, as a batch hands them over."""

    laws: Laws
    one_deal: bool
    bots: tuple[int, int] | None
    games: NDArray[np.void]
    rewards: NDArray[np.int8]
    done: NDArray[np.bool_]
    last: Observations | None

    @classmethod
    def of(
        cls,
        size: int,
        laws: Laws = USUAL,
        one_deal: bool = False,
        bots: tuple[int, int] | None = None,
        key: int = 5,
        first: int = 0,
    ) -> Slice:
        numbers = np.full((size, OBSERVED_BYTES), 99, np.int8)
        last = None if bots is None else Observations(numbers, numbers.view(np.uint64))
        games = np.zeros(size, GAME)
        rewards = np.full((size, 2), 9, np.int8)
        found = cls(laws, one_deal, bots, games, rewards, np.zeros(size, np.bool_), last)
        batch_step.begin(episode_rules(laws, one_deal), bots, key, first, games)
        return found

    def step(self, *actions: int) -> None:
        chosen = np.zeros(len(self.games), np.int64)
        if actions:
            chosen[:] = actions
        else:
            batch_step.choose_randomly(self.games, chosen)
        assert batch_step.first_illegal(self.games, chosen) == -1
        rules = episode_rules(self.laws, self.one_deal)
        batch_step.step(rules, self.bots, self.games, chosen, self.rewards, self.done, self.last)


def test_a_game_is_the_same_in_any_slice() -> None:
    whole = Slice.of(12)
    parts = [Slice.of(5), Slice.of(4, first=5), Slice.of(3, first=9)]
    for _ in range(60):
        together = np.concatenate([part.games for part in parts])
        assert (together == whole.games).all()
        whole.step()
        for part in parts:
            part.step()
        assert np.concatenate([part.done for part in parts]).tolist() == whole.done.tolist()
        rewards = np.concatenate([part.rewards for part in parts])
        assert (rewards == whole.rewards).all()
    assert len(set(whole.games["key"].tolist())) == 12
    assert whole.games["key"].tolist() == [word(5, at) for at in range(12)]


@pytest.mark.parametrize("seat", [HOUSE, CHALLENGER])
def test_a_bot_answers_before_anybody_is_asked(seat: int) -> None:
    regle = bot_number(get_bot("regle"))
    bots = (OUTSIDE, regle) if seat == HOUSE else (regle, OUTSIDE)
    some = Slice.of(20, one_deal=True, bots=bots)
    assert some.last is not None
    ended = 0
    for _ in range(30):
        assert (some.games["turn"] == seat).all()
        some.last.numbers[:] = 99
        some.step()
        assert (some.last.numbers[~some.done] == 99).all()
        seen = some.last.numbers[some.done]
        assert (seen[:, OVER_AT] == OVER).all() and not (seen == 99).any()
        ended += len(seen)
        gained = some.last.numbers[:, OWN_SCORE].astype(int) - some.last.numbers[:, OWN_BEGAN]
        points = some.rewards[:, seat].astype(int)
        lost = some.last.numbers[:, OTHERS].astype(int) - some.last.numbers[:, OTHERS_BEGAN]
        assert (points == gained - lost)[some.done].all()
    assert ended > 20


NUMBERS_AT = 32 * len(encoding.PLANES)
OVER_AT, OWN_SCORE, OWN_BEGAN, OTHERS, OTHERS_BEGAN = (
    NUMBERS_AT + encoding.NUMBERS.index(name)
    for name in ("phase", "own score", "own score before", "other's score", "other's score before")
)


@pytest.mark.parametrize("observing", [True, False])
def test_a_look_shows_whose_turn_it_is_and_what_it_may_do(observing: bool) -> None:
    some = Slice.of(6)
    for _ in range(9):
        some.step()
    turns, masks = np.full(6, 9, np.int8), np.full((6, MASK_BYTES // 8), 99, np.uint64)
    numbers = np.full((6, OBSERVED_BYTES), 99, np.int8)
    seen = Observations(numbers, numbers.view(np.uint64)) if observing else None
    batch_step.observe_all(episode_rules(some.laws, False), some.games, turns, masks, seen)
    for at, game in enumerate(some.games):
        legal = int(game["legal"][0]) & (1 << 64) - 1 | int(game["legal"][1]) << 64
        assert turns[at] == game["turn"]
        assert masks[at].view(np.bool_).tolist() == [legal >> n & 1 == 1 for n in range(MASK_BYTES)]
        hand = sum(1 << card for card in range(32) if numbers[at, card] == 1)
        assert hand == game["hands"][game["turn"]] if observing else (numbers == 99).all()


def test_the_first_illegal_action_is_found() -> None:
    games = np.zeros(3, GAME)
    games["legal"] = [1 << 60 | SIGN, 0b1000000001], [(1 << 63) - 1, 0], [-1, -1]
    legal = [{60, 63, 64, 73}, set(range(63)), set(range(NUM_ACTIONS))]
    right = [60, 0, 0]
    for at, can in enumerate(legal):
        for number in (*range(-2, NUM_ACTIONS + 3), 1 << 40, -(1 << 40)):
            actions = np.array(right, np.int64)
            actions[at] = number
            found = batch_step.first_illegal(games, actions)
            assert found == (-1 if number in can else at), (at, number)
    assert batch_step.first_illegal(games, np.array([1, 99, -1])) == 0
    assert batch_step.first_illegal(games[:0], np.zeros(0, np.int64)) == -1
