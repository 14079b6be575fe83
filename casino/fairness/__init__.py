"""Provably fair dealing: seed chains, commit–reveal of players' contributions, and verification.

A table's seeds are fixed before its first game. Players commit to contributions while the book is
open, and reveal them once it is locked. Each deck is derived from the seed, the game's id, the
contributions and the deal's number. So the house cannot choose the cards, and players whose
contributions counted know that no one could foresee the cards. The seed is revealed after the game,
so that anyone can verify the decks.

Reading order: rng, seed_chain, commit_reveal, shuffle, verify.

>>> seed, cut = SeedChain(bytes(range(32)), "t1", 1, 10).seed(1), combine([])
>>> len(deck(seed, "t1-000001", cut, 1))
32
"""

# isort: off
from casino.fairness.commit_reveal import (
    MAX_CUTS, SALT_BYTES, check_contribution, combine, commitment_to, make_contribution,
)  # fmt: skip
from casino.fairness.rng import SeededRandom, blocks, fresh_seed, words
from casino.fairness.seed_chain import (
    CHAIN_LENGTH, SeedChain, commitment_of, is_hash, parse_seed,
)  # fmt: skip
from casino.fairness.shuffle import (
    bot_draws, bot_seed, deck, exchange_commitment, exposed_card, first_dealer, poule_order,
)  # fmt: skip
from casino.fairness.verify import verify
# isort: on
