"""What a seat sees, as compiled code writes it: number by number what the encoding says."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from casino.ecarte import (
    ACCEPT,
    CHALLENGER,
    CONCEDE,
    HOUSE,
    MARK,
    NO_SEAT,
    PACK,
    PROPOSE,
    STAND,
    Laws,
    card_set,
    cards,
    new_deal,
    view,
)
from casino.ecarte.observation import encoding
from casino.ecarte.observation.encoding import NUM_ACTIONS, NUMBERS, OBSERVATION_SIZE, PLANES
from casino.simulate.compiled import observation
from casino.simulate.compiled.observation import (
    EIGHT,
    MASK_BYTES,
    OBSERVED_BYTES,
    Observations,
    observe,
    write_mask,
)
from tests.simulate.twin import Twin

LAWS = [
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


def named(twin: Twin, seat: int, *names: str) -> list[int]:
    numbers = row(twin, seat)[32 * len(PLANES) :]
    return [numbers[NUMBERS.index(name)] for name in names]


def plane(twin: Twin, seat: int, name: str) -> int:
    start = 32 * PLANES.index(name)
    return sum(bit << card for card, bit in enumerate(row(twin, seat)[start : start + 32]))


@pytest.mark.parametrize("laws", LAWS, ids=range(len(LAWS)))
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


def test_what_is_hidden_changes_nothing() -> None:
    rng = Random(2)
    for _ in range(10):
        twin = Twin(new_deal(Laws(), HOUSE, rng.sample(PACK, 32)))
        while twin.deal.turn != NO_SEAT:
            seat = twin.game.turn
            other = 1 - seat
            before = row(twin, seat)
            hand, kept, deck = twin.game.hands[other], twin.game.kept[other], twin.game.deck
            gone = kept ^ hand
            known = twin.game.hands[seat] | twin.game.kept[seat] | gone | 1 << twin.game.turned
            if twin.game.marked != NO_SEAT:
                known |= 1 << (twin.game.turned & 24 | 7)
            size = hand.bit_count() - (hand & known).bit_count()
            strange = rng.sample([card for card in PACK if not known >> card & 1], size)
            twin.game.hands[other] = hand & known | card_set(strange)
            twin.game.kept[other] = twin.game.hands[other] | gone
            twin.game.deck = rng.sample(deck, 32)
            assert row(twin, seat) == before
            twin.game.hands[other], twin.game.kept[other], twin.game.deck = hand, kept, deck
            twin.act(rng.choice(twin.legal))


def test_a_row_is_written_whole_and_no_other() -> None:
    seen = room(3)
    twin = Twin(new_deal(Laws(), HOUSE, Random(1).sample(PACK, 32)))
    observe(twin.rules, twin.game, HOUSE, seen, 1)
    assert (seen.numbers[[0, 2]] == 99).all()
    assert not (seen.numbers[1] == 99).any()
    assert seen.numbers[1, :OBSERVATION_SIZE].tolist() == row(twin, HOUSE)


def test_rows_begin_on_a_cache_line() -> None:
    assert OBSERVATION_SIZE <= OBSERVED_BYTES < OBSERVATION_SIZE + 64 and OBSERVED_BYTES % 64 == 0
    assert NUM_ACTIONS <= MASK_BYTES < NUM_ACTIONS + 8 and MASK_BYTES % 8 == 0
    assert len(NUMBERS) == observation._OWN_LEADS + encoding.MAX_HAND - 32 * len(PLANES)


@pytest.mark.parametrize("some", [0, 1, 2, 128, 255, 0b1010_0110])
def test_eight_bits_are_eight_bytes(some: int) -> None:
    assert list(EIGHT[some : some + 1].view(np.int8)) == [some >> at & 1 for at in range(8)]


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


def exchanged() -> Twin:
    """A deal in which the elder, the challenger, has taken three cards and the dealer one."""
    twin = Twin(new_deal(Laws(), HOUSE, Random(6).sample(PACK, 32), (2, 1)))
    return twin.act(
        PROPOSE, ACCEPT, encoding.FIRST_EXCHANGE + 0b10101, encoding.FIRST_EXCHANGE + 0b00010
    )


def test_discards_are_their_owners_alone() -> None:
    twin = exchanged()
    for seat, own, others in ((CHALLENGER, 3, 1), (HOUSE, 1, 3)):
        assert named(twin, seat, "own exchange 1", "other's exchange 1") == [own, others]
        assert named(twin, seat, "own exchange 2", "other's exchange 2") == [0, 0]
        thrown = plane(twin, seat, "own discards")
        assert thrown.bit_count() == own and thrown == twin.game.given[seat]
        assert not thrown & plane(twin, seat, "hand")
    assert named(twin, HOUSE, "stock") == [17]


def test_own_comes_first() -> None:
    twin = exchanged()
    turned_king = int(twin.game.turned & 7 == 7)
    assert named(twin, HOUSE, "own score", "other's score") == [2 + turned_king, 1]
    assert named(twin, CHALLENGER, "own score before", "other's score before") == [1, 2]
    assert named(twin, HOUSE, "own deal", "own turn") == [1, 0]
    assert named(twin, CHALLENGER, "own deal", "own turn") == [0, 1]
    twin.act(STAND, twin.game.hands[CHALLENGER].bit_length() - 1)
    assert named(twin, HOUSE, "own cards", "other's cards") == [5, 4]


def test_a_king_announced_is_seen_until_it_is_played() -> None:
    deck = [*cards("KS 8H 9H 7D 8D 9D 7H TH 7C 8C QS")]
    deck += [card for card in PACK if card not in deck]
    twin = Twin(new_deal(Laws(), HOUSE, deck)).act(STAND, MARK)
    king = cards("KS")[0]
    assert plane(twin, HOUSE, "shown by the other") == 1 << king
    assert plane(twin, CHALLENGER, "shown by the other") == 0
    assert named(twin, HOUSE, "own mark", "other's mark") == [0, 1]
    twin.act(king)
    assert plane(twin, HOUSE, "led") == plane(twin, HOUSE, "led to trick 1") == 1 << king
    assert named(twin, CHALLENGER, "own lead of trick 1") == [1]
    reply = twin.legal[0]
    twin.act(reply)
    assert plane(twin, CHALLENGER, "reply to trick 1") == 1 << reply
    assert plane(twin, CHALLENGER, "shown by the other") == 1 << reply
    assert plane(twin, HOUSE, "led") == 0
