"""An operator that cheats by withholding texts, the one means left to it.

2,000 games in the nightly run, 200 otherwise. The operator has every seed and two sock puppets.
They seal, see the honest text revealed, and choose which of their own texts to withhold, so that
the operator picks one of four decks. It wins nearly always, as the trust page says. The audit must
name whose texts were withheld and how often, say which were never seen, and sum to the cent what
late texts moved.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import compress, product
from math import isqrt
from typing import Final

import pytest
from msgspec.structs import replace

from casino import betting, fairness
from casino.audit.check import NOTE, WARNING, Game, GameLeaf, RunningGames
from casino.audit.checks.bots import play
from casino.audit.checks.table_rules import TableRulesCheck
from casino.audit.checks.withholding import WithholdingCheck
from casino.betting import BetSizeLimits, BettingRules, Cover
from casino.cli.verify.audit import decide_again
from casino.ecarte import CHALLENGER, HOUSE, Laws
from casino.events import factories
from casino.events.types import BotName, Bots, CutLate, CutOpened, GameOpened, Players
from casino.ledger.entries import Leaf
from casino.table.domain.settings import TableSettings, to_event
from casino.table.domain.state import BOT_VERSION
from tests.audit.leaf_builders import ended
from tests.betting.naive import Entry, won

HOUR_MS: Final = 3_600_000
REGLE: Final = BotName(name="regle", version=BOT_VERSION, strength="")
LAWS: Final = BettingRules(matching="pro_rata", commission_bp=500)
RULES: Final = TableSettings(
    "t1", Laws(), LAWS, BetSizeLimits(1, 10**6, 10**7, 10**8), 0, house="regle", challenger="regle"
)
EMPTY: Final = RULES.book("regle")
SEALED: Final = ("honest", "pia", "pol")
BETS: Final = (
    ("honest", HOUSE, 507),
    ("pia", CHALLENGER, 101),
    ("pol", CHALLENGER, 103),
    ("mallory", CHALLENGER, 409),
)
"""A silent puppet's bets are returned; mallory seals nothing, so her bet stays."""

CHOICES: Final = tuple(product((True, False), repeat=2))
"""The subsets of the puppets' texts to reveal, all of them first."""


class SilentCheat:
    """The operator; it records each player's actual result and the one with every text."""

    def __init__(self, games: int) -> None:
        self.random = random.Random(11)
        self.chain = fairness.SeedChain(bytes(32), "t1", 1, games)
        terms = TableRulesCheck()
        assert list(terms.on_event(0, to_event(RULES, 1))) == []
        self.audit = WithholdingCheck(terms, RunningGames(), decide_again)
        self.found: list[str] = []
        self.leaves = 0
        self.wins = self.fair_wins = 0
        self.shut: Counter[str] = Counter()
        self.never: Counter[str] = Counter()
        self.moved: Counter[str] = Counter()

    def play(self, number: int) -> None:
        """Play a game: the honest text is revealed, the puppets choose, some texts come late."""
        game = f"t1-{number:06d}"
        self.found += map(str, self.audit.advance_to(number * 60_000))
        texts = [self.random.randbytes(16).hex() for _ in SEALED]
        outcomes = {}
        for opens in CHOICES:
            outcomes[opens] = self.outcome(number, compress(texts, (True, *opens)))
            if outcomes[opens][0] == CHALLENGER:
                break
        self.wins += outcomes[opens][0] == CHALLENGER
        self.fair_wins += outcomes[True, True][0] == CHALLENGER
        shut = [n for n, is_open in enumerate((True, *opens), 1) if not is_open]
        silent = [SEALED[n - 1] for n in shut]
        self.shut.update(silent)
        rows = self.rows(number, texts, shut)
        self.found += map(str, self.audit.on_game(Game(game, rows, ())))
        # All of them come late, or none, or only pia's.
        come = ((2, 3), (), (2,), ())[number % 4]
        late = [n for n in shut if n in come]
        lost = {SEALED[n - 1] for n in shut if n not in come}
        self.never.update(lost)
        for n in late:
            said = CutLate(at=rows[-1].leaf.at + HOUR_MS, game=game, number=n, text=texts[n - 1])
            self.found += map(str, self.audit.on_event(self.row(said).n, said))
        if late:
            would = tuple(n in late or is_open for n, is_open in enumerate(opens, 2))
            if would not in outcomes:
                outcomes[would] = self.outcome(number, compress(texts, (True, *would)))
            was = net(outcomes[opens], set(silent))
            was.subtract(net(outcomes[would], lost))
            self.moved.update(was)

    def outcome(self, number: int, texts: compress[str]) -> tuple[int, int]:
        """Return winner and multiplier of a game with some texts revealed."""
        return play(ended(RULES, self.chain.seed(number), texts, number), decide_again)

    def rows(self, number: int, texts: list[str], shut: list[int]) -> list[GameLeaf]:
        """Return the leaves of a game that record the withheld texts."""
        game, seed = f"t1-{number:06d}", self.chain.seed(number)
        at, commitment = number * 60_000, fairness.commitment_of(seed)
        book, opened = EMPTY, [n for n in (1, 2, 3) if n not in shut]
        cut = fairness.combine(texts[n - 1] for n in opened)
        start = GameOpened(
            bots=Bots(house=REGLE, challenger=REGLE), chain=1, commitment=commitment, game=game,
            number=number, players=Players(house="regle", challenger="regle"), table="t1",
        )  # fmt: skip
        leaves: list[Leaf] = [start]
        for order, (player, side, unit_cents) in enumerate(BETS, 1):
            bet = betting.Bet(order, player, side, unit_cents)
            book = betting.with_bet(book, bet)
            is_sealed = player in SEALED
            seal = fairness.commitment_to(game, player, texts[order - 1]) if is_sealed else None
            leaves.append(factories.bet_accepted(game, bet, seal))
        leaves.append(factories.book_locked(game, book, len(SEALED), Cover()))
        leaves += [CutOpened(game=game, number=n, text=texts[n - 1]) for n in opened]
        closing = betting.close(book, Cover(), {SEALED[n - 1] for n in shut}, Cover())
        leaves.append(factories.betting_closed(game, cut, shut, closing, HOUSE))
        leaves.append(factories.game_over(game, seed, (), (5, 0), HOUSE, 3))
        return [self.row(leaf, at) for leaf in leaves]

    def row(self, leaf: Leaf, at: int | None = None) -> GameLeaf:
        """Return a leaf of the log, written at a given time."""
        said = leaf if at is None else replace(leaf, at=at)
        self.leaves += 1
        return GameLeaf(self.leaves, said)


def net(outcome: tuple[int, int], silent: set[str]) -> Counter[str]:
    """Return each player's net result by the naive settlement."""
    sides = ("house", "challenger")
    entries = [Entry(name, sides[side], cents) for name, side, cents in BETS if name not in silent]
    winner, multiplier = outcome
    return won(entries, LAWS.matching, sides[winner], multiplier, LAWS.commission_bp)


@pytest.mark.parametrize("games", [200, pytest.param(2_000, marks=pytest.mark.nightly)])
def test_audit_exposes_an_operator_that_withholds_texts(games: int) -> None:
    """Two silent puppets win 15 games in 16; the audit accounts for every cent."""
    cheat = SilentCheat(games)
    for number in range(1, games + 1):
        cheat.play(number)
    # Three and a half standard deviations, each of √n/2.
    assert abs(2 * cheat.fair_wins - games) < 7 * isqrt(games) // 2, "without silence it wins half"
    assert cheat.wins > games * 9 // 10, "with silence nearly all"
    audit = cheat.audit
    cheat.found += map(str, audit.finish())
    assert audit.shut == cheat.shut
    assert audit.never == cheat.never
    assert set(audit.shut) == {"pia", "pol"}
    assert {name: tally.cents for name, tally in audit.tallies.items() if tally.cents} == {
        name: cents for name, cents in cheat.moved.items() if cents
    }
    assert audit.tallies["mallory"].cents > 5 * games > 0 > audit.tallies["honest"].cents
    assert not any("cuts:" in line for line in cheat.found), "each late text was taken"
    told = {finding.text: finding.severity for finding in audit.statistics()}
    assert told[f"pia withheld {cheat.shut['pia']} sealed texts, {cheat.never['pia']} of them"
                " for good"] == NOTE  # fmt: skip
    warned = [text for text, severity in told.items() if severity == WARNING]
    assert any("to mallory" in text and "chance does not explain" in text for text in warned)
    assert not any("honest" in text for text in warned)


def test_withholding_check_has_bounded_memory() -> None:
    """A game is kept until its texts have come, or for a day; then only sums remain."""
    cheat = SilentCheat(24)
    for number in range(1, 25):
        cheat.play(number)
    kept = len(cheat.audit.open)
    assert 0 < kept <= 12, "those of which no text came"
    cheat.found += map(str, cheat.audit.advance_to(24 * 60_000 + 24 * HOUR_MS + 1))
    assert not cheat.audit.open
    assert cheat.audit.never == cheat.never
