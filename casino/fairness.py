"""Fair dealing: commit to a seed, let everybody cut, derive every deck, reveal and verify.

Before any bet the house publishes the SHA-256 of a secret seed of 32 bytes. Until betting closes
anybody may add a text to the cut. Seed, game, cut and the deal's number together fix each deck,
so that nobody can choose the cards, and with the seed revealed anybody can derive them again.

Every random number is made the same way: a *stream* of blocks, block k being the HMAC-SHA256
under a key of a message with `|k` at its end, is read as unsigned 32-bit big-endian words, and
`Draws` turns words into uniform numbers. Decks come from streams keyed by the server's seed; each
decision of a bot from a stream of its own keyed by a seed derived from it, so that it too can
be recomputed. But for `fresh_seed` nothing here is left to chance: seeds are handed in.

>>> seed = bytes(range(32))
>>> commitment_of(seed)[:16], cut_of(["alice", "bob"])[:16]
('630dcd2966c43366', '7ff2d9c8d0a43046')
>>> texts(deck(seed, "t1-000001", cut_of(["alice", "bob"]), 1))[:22]
'7HJD8STSAD7SQD8HTCJSTD'
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import chain, count, islice
from struct import Struct
from typing import Any, BinaryIO, Final, TypeVar

from casino.ecarte.cards import PACK, Card, texts
from casino.ecarte.game import cut_for_deal
from casino.ecarte.record import SEATS, Record
from casino.ecarte.rules import Seat
from casino.errors import BadCut, BadRecord, BadSeed

SEED_BYTES: Final = 32
LONGEST_CONTRIBUTION: Final = 64
"""The most bytes of UTF-8 in one contribution to the cut."""

RNG_GAME: Final = "rng"
"""The game whose stream and decks are written out for tests of the generator."""

_WORD: Final = 1 << 32
_WORDS: Final = Struct(">8I").unpack
_HEX: Final = frozenset("0123456789abcdef")
_BATCH: Final = 2048
_BLOCK: Final = 64
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))

Item = TypeVar("Item")


def fresh_seed() -> bytes:
    """A new secret seed from the operating system's secure generator."""
    return os.urandom(SEED_BYTES)


def parse_seed(text: str) -> bytes:
    """The seed that 64 hexadecimal digits write."""
    if not _is_hash(text):
        raise BadSeed(f"seed: {text[:70]!r} must be 64 digits of 0-9 a-f, which write 32 bytes")
    return bytes.fromhex(text)


def commitment_of(server_seed: bytes) -> str:
    """What the house publishes of its seed before any bet is taken."""
    return sha256(server_seed).hexdigest()


def cut_of(contributions: Iterable[str]) -> str:
    """The cut that the contributions make, in the order in which they were received."""
    whole = sha256()
    for contribution in contributions:
        encoded = contribution_bytes(contribution)
        whole.update(len(encoded).to_bytes(2, "big") + encoded)
    return whole.hexdigest()


def contribution_bytes(contribution: str) -> bytes:
    """A contribution as it enters the cut."""
    try:
        encoded = contribution.encode()
    except UnicodeEncodeError:
        raise BadCut("cut: the text holds half a letter: send whole characters") from None
    if len(encoded) > LONGEST_CONTRIBUTION:
        raise BadCut(f"cut: {len(encoded)} bytes are too long: send at most {LONGEST_CONTRIBUTION}")
    return encoded


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """The HMAC-SHA256 of a message (RFC 2104).

    That of the standard library lets other threads in, so that each block of a stream would
    have to wait for all of them.
    """
    inner, outer = _pads(key)
    return sha256(outer + sha256(inner + message).digest()).digest()


@lru_cache(maxsize=256)
def _pads(key: bytes) -> tuple[bytes, bytes]:
    """What is hashed before the message and before its hash, for a key."""
    block = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    return block.translate(_INNER), block.translate(_OUTER)


def blocks(key: bytes, message: str) -> Iterator[bytes]:
    """The endless stream of a key and a message: the HMACs of `message|0`, `message|1`, …."""
    beginning = f"{message}|".encode("ascii")
    for block in count():
        yield hmac_sha256(key, beginning + b"%d" % block)


def words(stream: Iterable[bytes]) -> Iterator[int]:
    """The unsigned 32-bit big-endian words of a stream."""
    return chain.from_iterable(map(_WORDS, stream))


class Draws:
    """Uniform random numbers from a stream of words, the same for whoever has the stream.

    The methods bear the names of `random.Random`'s, but what they give is defined here to the
    last word, so that another program can recompute it. All of them draw by `randrange` only.
    """

    def __init__(self, stream: Iterator[int]) -> None:
        self._words = stream

    def randrange(self, stop: int) -> int:
        """A number from 0 to `stop - 1`, each as likely as the others.

        Take the next word w, from 0 to 2³² - 1. While w ≥ 2³² - (2³² mod stop), take the next
        instead. The number is w mod stop. A stop of 1 takes a word as well. For a stop above
        2³², w is made of as many words as are needed for 2³²ⁿ ≥ stop, the first the highest,
        and 2³²ⁿ stands for 2³².
        """
        if stop < 1:
            raise ValueError(f"there is no number from 0 to {stop - 1}")
        size = _WORD
        while size < stop:
            size *= _WORD
        limit = size - size % stop
        drawn = next(self._words) if size == _WORD else self._word(size)
        while drawn >= limit:
            drawn = self._word(size)
        return drawn % stop

    def choice(self, items: Sequence[Item]) -> Item:
        """The item at index `randrange(len(items))`."""
        return items[self.randrange(len(items))]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put the items into a random order.

        For i from the last index down to 1: draw j = `randrange(i + 1)`, swap items i and j.
        """
        stream = self._words
        for i in range(len(items) - 1, 0, -1):
            # This is `randrange`, written out: a deck is thirty-one of its calls.
            drawn = next(stream)
            while drawn >= _WORD - _WORD % (i + 1):
                drawn = next(stream)
            j = drawn % (i + 1)
            items[i], items[j] = items[j], items[i]

    def sample(self, items: Sequence[Item], k: int) -> list[Item]:
        """Draw k of the items, in random order.

        Copy the items. For i from 0 to k - 1: draw j = i + `randrange(len(items) - i)`, swap
        items i and j. The sample is the first k.
        """
        if not 0 <= k <= len(items):
            raise ValueError(f"{k} of {len(items)} items cannot be drawn")
        pool = list(items)
        for i in range(k):
            j = i + self.randrange(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:k]

    def _word(self, size: int) -> int:
        """A number from 0 to `size - 1` of as many words as it takes."""
        drawn = next(self._words)
        while size > _WORD:
            drawn = drawn * _WORD + next(self._words)
            size >>= 32
        return drawn


def deck(server_seed: bytes, game: str, cut: str, deal: int) -> tuple[Card, ...]:
    """The deck of a game's deal in dealing order; deals count from 1, an annulled one counts."""
    pack = list(PACK)
    Draws(words(blocks(server_seed, f"{game}|{deal}|{cut}"))).shuffle(pack)
    return tuple(pack)


def first_dealer(server_seed: bytes, game: str, cut: str) -> Seat:
    """Who deals first by the cards cut, from the deck of deal 0 (R2.1)."""
    return cut_for_deal(deck(server_seed, game, cut, 0))


def bot_seed(server_seed: bytes, game: str, seat: Seat) -> bytes:
    """The seed of the bot that plays a seat in a game."""
    return hmac_sha256(server_seed, f"{game}|bot|{SEATS[seat]}".encode("ascii"))


def bot_draws(seed: bytes, deal: int, decision: int) -> Draws:
    """The random numbers of a bot's n-th decision in a deal; both count from 1."""
    return Draws(words(blocks(seed, f"{deal}|{decision}")))


def verify(record: Record) -> None:
    """Check that a record's seed was committed to and yields its decks; raise the first fault.

    A record without fairness claims nothing and passes.
    """
    if record.fairness is None:
        return
    if record.game is None or not record.game.isascii():
        raise BadRecord("bad_fairness", "game: its id in ASCII must be there to derive the decks")
    seed = _fairness_text(record, "server_seed")
    cut = _fairness_text(record, "cut")
    if not _is_hash(seed):
        raise BadRecord("bad_fairness", "fairness.server_seed must be 64 digits of 0-9 a-f")
    server_seed = bytes.fromhex(seed)
    if commitment_of(server_seed) != _fairness_text(record, "commitment"):
        text = "fairness.commitment is not the SHA-256 of fairness.server_seed"
        raise BadRecord("wrong_commitment", text)
    for number, deal in enumerate(record.deals, 1):
        if deal.deck != deck(server_seed, record.game, cut, number):
            text = f"deals[{number}].deck is not the one that seed, game and cut yield"
            raise BadRecord("wrong_deck", text)


def write_raw(out: BinaryIO, seed: bytes) -> None:
    """Write the raw stream of deal 1 of `RNG_GAME` until the reader has gone."""
    stream = blocks(seed, f"{RNG_GAME}|1|{cut_of(())}")
    while True:
        out.write(b"".join(islice(stream, _BATCH)))


def write_decks(out: BinaryIO, seed: bytes, decks: int) -> None:
    """Write the decks of the first deals of `RNG_GAME`, one a line in the letters of a record."""
    cut = cut_of(())
    for deal in range(1, decks + 1):
        out.write(texts(deck(seed, RNG_GAME, cut, deal)).encode("ascii") + b"\n")


def _fairness_text(record: Record, key: str) -> str:
    """One of the three texts that a record's fairness must hold."""
    value = (record.fairness or {}).get(key)
    if value is None:
        raise BadRecord("bad_fairness", f"fairness.{key} is missing")
    if not isinstance(value, str) or not value.isascii():
        raise BadRecord("bad_fairness", f"fairness.{key} must be a text in ASCII")
    return value


def _is_hash(text: str) -> bool:
    """Whether a text writes 32 bytes in small hexadecimal digits."""
    return len(text) == 2 * SEED_BYTES and _HEX.issuperset(text)
