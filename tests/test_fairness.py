"""Fair dealing: the published example to the letter, each step, and what verification refuses."""

from __future__ import annotations

import hmac
from hashlib import sha256
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.ecarte.cards import PACK, card, cards, texts
from casino.ecarte.game import cut_for_deal
from casino.ecarte.laws import Laws
from casino.ecarte.record import DealRecord, Record, read_record, write_record
from casino.ecarte.rules import CHALLENGER, HOUSE
from casino.errors import BadCut, BadRecord, BadSeed
from casino.fairness import (
    Draws,
    blocks,
    bot_draws,
    bot_seed,
    commitment_of,
    contribution_bytes,
    cut_of,
    deck,
    first_dealer,
    fresh_seed,
    hmac_sha256,
    parse_seed,
    verify,
    words,
)
from tests.naive import fair as naive

SEED = bytes(range(32))
GAME = "t1-000001"
COMMITMENT = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
CUT = "7ff2d9c8d0a43046d52701d1046656da2524883ca717d9ab981c2a1ad17c65ec"
DECKS = (
    "JDQH9HKS9S8S8CJHJS8HKCTC9DAHACTS7S9CQDADTH7HAS7C7DKDQCQSKH8DJCTD",
    "7HJD8STSAD7SQD8HTCJSTDKS7DKCACQH9SAS8CKD9DAH7CKHQC9HQS9CJHJCTH8D",
    "9STHKH8C8HKD9DAHJC8S8D9H7SQSTC9CKSTDTSQHAD7D7CJHACJDQDQCAS7HKCJS",
)
NO_CUT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


# --- the steps ---------------------------------------------------------------------------------


def test_the_commitment_of_the_published_example() -> None:
    """The commitment is the SHA-256 of the seed, in hex."""
    assert commitment_of(SEED) == COMMITMENT == sha256(SEED).hexdigest()


def test_the_cut_of_the_published_example() -> None:
    """The contributions are hashed in the order received, each after its length."""
    assert cut_of(["alice", "bob"]) == CUT == sha256(b"\0\5alice\0\3bob").hexdigest()


@pytest.mark.parametrize(("deal", "names"), list(enumerate(DECKS)))
def test_the_decks_of_the_published_example(deal: int, names: str) -> None:
    """Seed, game, cut and number yield these decks and no others."""
    assert texts(deck(SEED, GAME, CUT, deal)) == names


@pytest.mark.parametrize(
    ("contributions", "hashed"),
    [
        ([], b""),
        ([""], b"\0\0"),
        (["bob", "alice"], b"\0\3bob\0\5alice"),
        (["ab", "c"], b"\0\2ab\0\1c"),
        (["a", "bc"], b"\0\1a\0\2bc"),
        (["é♠"], b"\0\5\xc3\xa9\xe2\x99\xa0"),
        (["x" * 64], b"\0\x40" + b"x" * 64),
    ],
)
def test_the_cut_is_over_lengths_and_bytes(contributions: list[str], hashed: bytes) -> None:
    """Nothing at all is hashed as nothing; order, borders and every letter count."""
    assert cut_of(contributions) == sha256(hashed).hexdigest()


def test_nobody_cutting_gives_the_hash_of_nothing() -> None:
    """Without contributions the cut is the well-known SHA-256 of no bytes."""
    assert cut_of([]) == NO_CUT


@pytest.mark.parametrize("text", ["x" * 65, "é" * 33, "♠" * 22, "\ud800"])
def test_a_contribution_longer_than_64_bytes_or_broken_is_refused(text: str) -> None:
    """At most 64 bytes of UTF-8 may be added, and whole characters only."""
    with pytest.raises(BadCut, match=r"^cut: ") as caught:
        contribution_bytes(text)
    assert caught.value.code == "bad_cut"


@pytest.mark.parametrize("length", [0, 1, 32, 63, 64, 65, 200])
def test_the_hmac_is_that_of_the_standard_library(length: int) -> None:
    """For keys and messages of every kind of length."""
    key, message = bytes(range(length)), b"t1-000001|1|" * length
    assert hmac_sha256(key, message) == hmac.digest(key, message, "sha256")


def test_the_stream_is_made_of_numbered_blocks() -> None:
    """Block k is the HMAC-SHA256 under the key of the message with `|k` at its end."""
    found = list(islice(blocks(b"key", "a|b"), 12))
    assert found == [hmac.digest(b"key", f"a|b|{k}".encode(), "sha256") for k in range(12)]


def test_words_are_big_endian() -> None:
    """A block holds eight unsigned words, the highest byte of each first."""
    stream = [bytes(range(32)), b"\xff" * 32]
    assert list(words(stream))[:9] == [
        *(0x00010203, 0x04050607, 0x08090A0B, 0x0C0D0E0F),
        *(0x10111213, 0x14151617, 0x18191A1B, 0x1C1D1E1F),
        0xFFFFFFFF,
    ]


@given(st.binary(min_size=32, max_size=32), st.integers(0, 40), st.lists(st.text(max_size=16)))
def test_the_decks_of_a_second_program(seed: bytes, deal: int, contributions: list[str]) -> None:
    """A second program written from the page alone derives the same cut and decks."""
    cut = naive.cut_of(contributions)
    assert cut_of(contributions) == cut
    assert texts(deck(seed, GAME, cut, deal)) == naive.deck_of(seed.hex(), GAME, deal, cut)


# --- the cut for first deal --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("begins", "dealer"),
    [
        ("KS QS", HOUSE),
        ("QS KS", CHALLENGER),
        ("AS JS", CHALLENGER),
        ("AS TS", HOUSE),
        ("8C 7S", HOUSE),
        ("KS KH QD JD", HOUSE),
        ("KS KH 7D 8D", CHALLENGER),
        ("7S 7H 8S 8H 9S 9H TS AS", CHALLENGER),
    ],
)
def test_r2_1_the_higher_cut_card_deals_first(begins: str, dealer: int) -> None:
    """House has the first card, challenger the second; equal ranks go on with the next two."""
    top = cards(begins)
    rest = [one for one in PACK if one not in top]
    assert cut_for_deal((*top, *rest)) == dealer


def test_r2_1_sixteen_equal_pairs_leave_the_deal_to_the_house() -> None:
    """Even the deck in which every pair is equal names a dealer."""
    pairs = [card(rank + suit) for rank in "KQJAT987" for suit in "SHDC"]
    assert cut_for_deal(pairs) == HOUSE


def test_r2_1_the_cut_for_deal_is_deck_0() -> None:
    """The published deck of deal 0 begins JD QH: the challenger deals."""
    assert first_dealer(SEED, GAME, CUT) == CHALLENGER


# --- uniform numbers ---------------------------------------------------------------------------


TOP = 2**32


@pytest.mark.parametrize(
    ("stop", "given_words", "drawn", "taken"),
    [
        (1, [TOP - 1], 0, 1),
        (2, [TOP - 1], 1, 1),
        (32, [TOP - 1], 31, 1),
        (3, [TOP - 1, 5], 2, 2),  # 2³² mod 3 = 1: only the last word is refused
        (3, [TOP - 2], 2, 1),
        (7, [TOP - 4, TOP - 1, TOP - 5], 6, 3),  # 2³² mod 7 = 4
        (31, [TOP - 4, 30], 30, 2),  # 2³² mod 31 = 4
        (31, [TOP - 5], 30, 1),
        (TOP, [TOP - 1], TOP - 1, 1),
        (TOP - 1, [TOP - 1, TOP - 2], TOP - 2, 2),
        (TOP + 1, [1, 0], TOP, 2),
        (TOP + 1, [TOP - 1, TOP - 1, 2, 3], (2 * TOP + 3) % (TOP + 1), 4),
        (TOP**2, [1, 2], TOP + 2, 2),
        (TOP**2 + 1, [0, 1, 2], TOP + 2, 3),
    ],
)
def test_the_rule_of_rejection(stop: int, given_words: list[int], drawn: int, taken: int) -> None:
    """Words that would favour small numbers are passed over, and no others."""
    stream = iter([*given_words, 77])
    assert Draws(stream).randrange(stop) == drawn
    assert [*given_words, 77][taken:] == list(stream)


@pytest.mark.parametrize("stop", [0, -1])
def test_there_is_no_number_below_nothing(stop: int) -> None:
    """A range without numbers is a mistake of the caller."""
    with pytest.raises(ValueError, match="there is no number"):
        Draws(iter([1, 2])).randrange(stop)


def test_a_shuffle_swaps_from_the_end() -> None:
    """For i from the last down to 1, items i and j change places, j drawn from 0 to i."""
    items = list("abcd")
    Draws(iter([1, 0, 1])).shuffle(items)  # abcd, i=3 j=1: adcb; i=2 j=0: cdab; i=1 j=1: cdab
    assert items == list("cdab")


def test_a_shuffle_passes_over_refused_words() -> None:
    """Word 2³² - 1 is refused at i = 2 alone of these steps, so the same order comes out."""
    items = list("abcd")
    Draws(iter([1, TOP - 1, 0, 1])).shuffle(items)
    assert items == list("cdab")


def test_a_sample_swaps_from_the_front() -> None:
    """For i from 0, item i changes places with one drawn from i on; the first k are drawn."""
    stream = iter([2, 0, 9])
    assert Draws(stream).sample("abcd", 2) == ["c", "b"]
    assert list(stream) == [9]


def test_a_sample_of_more_than_there_is_is_refused() -> None:
    """Nobody can draw five of four."""
    with pytest.raises(ValueError, match="5 of 4 items"):
        Draws(iter([0] * 9)).sample("abcd", 5)


def test_a_choice_takes_one_word() -> None:
    """The item at the index drawn is chosen."""
    assert Draws(iter([6])).choice("abcd") == "c"


@given(st.lists(st.integers(), max_size=40), st.binary(min_size=32, max_size=32), st.data())
def test_draws_keep_what_they_are_given(items: list[int], seed: bytes, data: st.DataObject) -> None:
    """A shuffle loses and adds nothing; a sample is part of its items; they are left alone."""
    kept = list(items)
    shuffled = list(items)
    bot_draws(seed, 1, 1).shuffle(shuffled)
    assert sorted(shuffled) == sorted(items)
    k = data.draw(st.integers(0, len(items)))
    sample = bot_draws(seed, 1, 2).sample(range(len(items)), k)
    assert len(set(sample)) == k
    assert items == kept


# --- the bots' own numbers ---------------------------------------------------------------------


def test_a_bot_has_a_seed_of_its_own_for_each_game_and_seat() -> None:
    """The seed is the HMAC under the server's seed of game, `bot` and seat."""
    seed = hmac.digest(SEED, b"t1-000001|bot|house", "sha256")
    assert bot_seed(SEED, GAME, HOUSE) == seed
    assert bot_seed(SEED, GAME, CHALLENGER) == hmac.digest(
        SEED, b"t1-000001|bot|challenger", "sha256"
    )


def test_every_decision_draws_from_a_stream_of_its_own() -> None:
    """Decision n of a deal reads the words of `deal|n|0`, `deal|n|1`, …."""
    seed = bot_seed(SEED, GAME, HOUSE)
    stream = hmac.digest(seed, b"3|12|0", "sha256") + hmac.digest(seed, b"3|12|1", "sha256")
    expected = [int.from_bytes(stream[at : at + 4], "big") for at in range(0, 64, 4)]
    draws = bot_draws(seed, deal=3, decision=12)
    assert [draws.randrange(TOP) for _ in range(16)] == expected


# --- seeds -------------------------------------------------------------------------------------


def test_a_seed_is_read_from_64_digits() -> None:
    """What hex writes is what is read."""
    assert parse_seed(SEED.hex()) == SEED


@pytest.mark.parametrize("text", ["", "00", "0" * 63, "0" * 65, "g" * 64, "A" * 64, " " * 64])
def test_a_seed_of_other_digits_is_refused(text: str) -> None:
    """A seed is 64 small hexadecimal digits and nothing else."""
    with pytest.raises(BadSeed, match=r"^seed: .* must be 64 digits of 0-9 a-f"):
        parse_seed(text)


def test_fresh_seeds_differ() -> None:
    """Each seed drawn is a new one of 32 bytes."""
    seeds = {fresh_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert {len(seed) for seed in seeds} == {32}


# --- verification ------------------------------------------------------------------------------


FAIRNESS = {"commitment": COMMITMENT, "server_seed": SEED.hex(), "cut": CUT}


def fair_record(**changes: object) -> Record:
    """A record of two unplayed deals that is fair, but for the changes to its fairness."""
    deals = tuple(DealRecord(HOUSE, cards(names), "") for names in DECKS[1:])
    return Record(Laws(), HOUSE, deals, game=GAME, fairness={**FAIRNESS, **changes})


def fault(record: Record) -> tuple[str, str]:
    """The code and the text of what verification refuses."""
    with pytest.raises(BadRecord) as caught:
        verify(record)
    assert (caught.value.deal, caught.value.token) == (None, None)
    return caught.value.code, caught.value.text


def test_a_fair_record_is_verified() -> None:
    """The published example passes, also after it was written and read; unknown keys may stand."""
    verify(fair_record())
    verify(fair_record(contributions=["mallory"]))
    verify(read_record(write_record(fair_record())))


def test_a_record_that_claims_nothing_passes() -> None:
    """Without `fairness` there is nothing to verify."""
    verify(fair_record()._replace(fairness=None))


@pytest.mark.parametrize("key", FAIRNESS)
@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "is missing"), (7, "must be a text in ASCII"), ("é", "must be a text in ASCII")],
)
def test_fairness_needs_all_three_texts(key: str, value: object, said: str) -> None:
    """Each of commitment, server_seed and cut must be there as a text."""
    assert fault(fair_record(**{key: value})) == ("bad_fairness", f"fairness.{key} {said}")


@pytest.mark.parametrize("seed", [SEED.hex()[:-2], SEED.hex() + "00", SEED.hex().upper(), ""])
def test_the_seed_must_be_32_bytes_in_hex(seed: str) -> None:
    """A seed of another length or other digits is refused."""
    text = "fairness.server_seed must be 64 digits of 0-9 a-f"
    assert fault(fair_record(server_seed=seed)) == ("bad_fairness", text)


@pytest.mark.parametrize("game", [None, "t1-é"])
def test_decks_cannot_be_derived_without_the_game(game: str | None) -> None:
    """The game's id enters every deck."""
    text = "game: its id in ASCII must be there to derive the decks"
    assert fault(fair_record()._replace(game=game)) == ("bad_fairness", text)


@pytest.mark.parametrize(
    "changes",
    [
        {"server_seed": (b"\1" + SEED[1:]).hex()},
        {"commitment": COMMITMENT[:-1] + "c"},
        {"commitment": COMMITMENT.upper()},
        {"commitment": ""},
    ],
)
def test_a_seed_that_was_not_committed_to_is_found(changes: dict[str, str]) -> None:
    """The commitment must be the hash of the seed revealed."""
    text = "fairness.commitment is not the SHA-256 of fairness.server_seed"
    assert fault(fair_record(**changes)) == ("wrong_commitment", text)


def wrong_deck(number: int) -> tuple[str, str]:
    """What is said of a deck that was not derived."""
    return "wrong_deck", f"deals[{number}].deck is not the one that seed, game and cut yield"


def test_another_cut_or_game_gives_other_decks() -> None:
    """Neither can be exchanged after the fact."""
    assert fault(fair_record(cut=NO_CUT)) == wrong_deck(1)
    assert fault(fair_record(cut=CUT.upper())) == wrong_deck(1)
    assert fault(fair_record()._replace(game="t1-000002")) == wrong_deck(1)


@pytest.mark.parametrize("number", [1, 2])
def test_two_cards_exchanged_are_found(number: int) -> None:
    """Also at the very bottom of the pack, of any deal."""
    record = fair_record()
    deals = list(record.deals)
    *top, last_but_one, last = deals[number - 1].deck
    deals[number - 1] = deals[number - 1]._replace(deck=(*top, last, last_but_one))
    assert fault(record._replace(deals=tuple(deals))) == wrong_deck(number)


def test_a_deal_left_out_is_found() -> None:
    """Decks are numbered, so that a deal cannot be dropped or put in another's place."""
    record = fair_record()
    assert fault(record._replace(deals=record.deals[1:])) == wrong_deck(1)
    assert fault(record._replace(deals=record.deals[::-1])) == wrong_deck(1)
