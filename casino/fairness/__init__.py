"""Provably fair dealing: a chain of seeds, contributions by commit–reveal, and their verification.

Every seed of a table is fixed before its first game. While the book is open people commit to
contributions; once it is locked they reveal them. Seed, game, contributions and the deal's number
give each deck, so no one can choose the cards, and anyone whose contribution counted knows that no
one foresaw them. When the game is over the seed is revealed and everything can be derived again.

Read rng first, then seed_chain and commit_reveal, then shuffle, then verify.

>>> seed, cut = SeedChain(bytes(range(32)), "t1", 1, 10).seed(1), combine([])
>>> len(deck(seed, "t1-000001", cut, 1))
32
"""

from casino.fairness.commit_reveal import (
    MAX_CUTS,
    SALT_BYTES,
    check_contribution,
    combine,
    commitment_to,
    contribution_bytes,
    make_contribution,
)
from casino.fairness.rng import SeededRandom, blocks, fresh_seed, hmac_sha256, words
from casino.fairness.seed_chain import (
    CHAIN_LENGTH,
    SeedChain,
    commitment_of,
    is_hash,
    leads_to,
    parse_seed,
)
from casino.fairness.shuffle import (
    bot_draws,
    bot_seed,
    deck,
    exchange_commitment,
    exposed_card,
    first_dealer,
    raw_stream,
    rng_decks,
)
from casino.fairness.verify import verify

__all__ = [
    "CHAIN_LENGTH",
    "MAX_CUTS",
    "SALT_BYTES",
    "SeedChain",
    "SeededRandom",
    "blocks",
    "bot_draws",
    "bot_seed",
    "check_contribution",
    "combine",
    "commitment_of",
    "commitment_to",
    "contribution_bytes",
    "deck",
    "exchange_commitment",
    "exposed_card",
    "first_dealer",
    "fresh_seed",
    "hmac_sha256",
    "is_hash",
    "leads_to",
    "make_contribution",
    "parse_seed",
    "raw_stream",
    "rng_decks",
    "verify",
    "words",
]
