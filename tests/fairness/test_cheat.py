"""An operator that cheats by every means but silence, against one honest client.

2,000 games in the nightly run, 400 otherwise.

The operator has every seed, runs the server, owns every account but one, and bets through a sock
puppet. It may choose its own texts by what it can predict, ask for the honest text too early,
replay or forge proofs, and show two books. It wins no more games than by tossing a coin, unless
the client raises the alarm.
"""

from __future__ import annotations

import random
from math import isqrt
from pathlib import Path

import pytest

from casino.audit.checks.bots import play
from casino.cli.verify.audit import decide_again
from casino.client import contribution
from casino.client.contribution import ContributionKeeper
from casino.errors import DeceptionError
from casino.fairness import SeedChain, check_contribution, commitment_to
from casino.ledger.tlog.note import SigningKey
from casino.table.domain.settings import TableSettings
from tests.audit.leaf_builders import ended
from tests.cli.logs import KEY, ShownLog

GAMES_PER_LOG = 20
RULES = TableSettings("t1", challenger="regle")
CANDIDATES = 4


class Cheat:
    """The operator and its puppet; `wins` counts games in which the client saw no fault."""

    def __init__(self, games: int) -> None:
        self.random = random.Random(7)
        self.chain = SeedChain(bytes(32), "t1", 1, games)
        self.client, self.log = ContributionKeeper(Path("0")), ShownLog()
        self.wins = self.silent_games = self.alarms = self.early = 0
        self.forks = self.fork_wins = 0
        self.old_proofs: list[str] = []

    def text(self) -> str:
        return self.random.randbytes(16).hex()

    def winner(self, number: int, texts: list[str]) -> int:
        return play(ended(RULES, self.chain.seed(number), texts, number), decide_again)[0]

    def play(self, number: int) -> None:
        if number % GAMES_PER_LOG == 1:
            self.client, self.log = ContributionKeeper(Path(str(number))), ShownLog()
            self.client.check_key(KEY.public.text())
            self.old_proofs = []
        game = f"t1-{number:06d}"
        seal = self.client.commit(game, "honest")
        self.log.add(type="game_opened", game=game)
        self.log.add(type="bet", game=game, player="honest", seal=seal)
        if number % (2 * GAMES_PER_LOG) == GAMES_PER_LOG:
            self.fork(number, game)
            return
        side, mine = self.random.randrange(2), self.text()
        self.ask_early(game)
        self.log.add(type="bet", game=game, player="puppet", side=side)
        locked = self.log.add(type="book_locked", game=game, bets=2, seals=2)
        proof = self.log.proof(locked)
        text = self.client.reveal(game, proof)
        assert commitment_to(game, "honest", check_contribution(text)) == seal
        self.old_proofs.append(proof)
        self.silent_games += 1
        self.wins += self.winner(number, [text, mine]) == side
        self.end(game, text)

    def ask_early(self, game: str) -> None:
        """Ask for the text while the book is open: without a lock, with a forged or old one."""
        before = self.log.proof(len(self.log.leaves) - 1)
        forged = ShownLog(*self.log.leaves, key=SigningKey.from_seed(KEY.name, bytes([9]) * 32))
        false = forged.proof(forged.add(type="book_locked", game=game, bets=1, seals=1))
        for proof in (before, false, *self.old_proofs[-1:]):
            try:
                self.client.reveal(game, proof)
            except DeceptionError:
                self.early += 1

    def fork(self, number: int, game: str) -> None:
        """Show only the honest client a lock, read the text, then bet by it."""
        shown = ShownLog(*self.log.leaves)
        text = self.client.reveal(game, shown.proof(shown.add(type="book_locked", game=game)))
        mine = [self.text() for _ in range(CANDIDATES)]
        self.fork_wins += 0 in {self.winner(number, [text, one]) for one in mine}
        self.log.add(type="bet", game=game, player="puppet", side=0)
        self.log.add(type="book_locked", game=game, bets=2, seals=2)
        self.forks += 1
        try:
            self.end(game, text)
        except DeceptionError:
            self.alarms += 1

    def end(self, game: str, text: str) -> None:
        self.log.add(type="game_over", game=game)
        self.client.mark_closed(game, counted=True)
        self.client.check_end(game, [["honest", text]])
        self.client.check_consistency(self.log.note(), self.log.subtrees)


@pytest.mark.parametrize("games", [400, pytest.param(2_000, marks=pytest.mark.nightly)])
def test_operator_cannot_cheat_without_withholding_texts(
    games: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # for the lock files
    cheat = Cheat(games)
    # The cheat cannot predict these salts, though the test can.
    monkeypatch.setattr(contribution, "fresh_seed", lambda: cheat.random.randbytes(16))
    monkeypatch.setattr(contribution, "write_private", lambda *_: None)
    for number in range(1, games + 1):
        cheat.play(number)
    assert cheat.forks == cheat.alarms == games // (2 * GAMES_PER_LOG)
    # With four texts to choose from, 15 forks in 16 are won; but each is found.
    assert cheat.fork_wins > cheat.forks * 4 // 5
    assert cheat.silent_games == games - cheat.forks
    # Each asks twice, and with an old proof too where there is one.
    assert cheat.early == 2 * cheat.silent_games + cheat.silent_games - games // GAMES_PER_LOG
    # Three and a half standard deviations, each of √n/2: one run in two thousand is further off.
    off = abs(2 * cheat.wins - cheat.silent_games)
    assert off < 7 * isqrt(cheat.silent_games) // 2
