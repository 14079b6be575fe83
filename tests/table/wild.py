"""Wild nights: random commands, sensible and not, in any order, with crashes anywhere.

Everything follows from the seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from casino import fairness
from casino.audit import Finding
from casino.betting import BetSizeLimits, BettingRules
from casino.ecarte import Laws, parse_token
from casino.errors import Refused
from casino.table.domain.commands import (
    CloseBetting,
    CloseReveals,
    Command,
    DealCards,
    LeaveSeat,
    OpenCut,
    OpenGame,
    PlaceBet,
    PlayAction,
    PlayBotActions,
    SealCut,
    SetLimit,
    TakeSeat,
    TimeOutPlayer,
    VoidGame,
)
from casino.table.domain.handlers.play import waits_for_person
from casino.table.domain.limit_state import KEYS
from casino.table.domain.settings import TableSettings
from casino.table.public.private_view import hand_message, viewer_seat
from casino.table.runtime.casino import TablePlan
from tests.table.nights import HABITS, PACE, Evening, audited

PEOPLE = ("ann", "ben", "cy", "dee")
STEPS = 500
NO_FAULTS = [("silence", "note"), ("voids", "note"), ("pace", "warning")]
"""What an audit says of texts that stayed shut, of void games, and of closings asked for early."""


class WildNight:
    """A night in which anything is asked for; `run` gives what the audit finds."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = Random(seed)
        self.seed = seed
        self.path = folder / f"{seed}.db"
        self.evening = Evening(self.path, [self.table()], seed)
        self.counted: Counter[str] = Counter()
        self.found: list[Finding] = []
        self.sent: list[PlaceBet] = []
        for player in PEOPLE:
            self.evening.chips(player, self.pick([2_000, 200_000, 500_000]))

    def pick(self, choices: Sequence[Any]) -> Any:
        return choices[self.random.randrange(len(choices))]

    def table(self) -> TablePlan:
        laws = Laws(
            target=self.pick([5, 5, 7]),
            play=self.pick(["strict", "ordinary"]),
            packets=self.pick([(3, 2), (2, 3)]),
            deal=self.pick(["alternate", "alternate", "house"]),
            first_dealer=self.pick(["cut", "loser", "house", "challenger"]),
            enforcement=self.pick(["strict", "claims"]),
        )
        if laws.deal == "house":
            laws = laws._replace(first_dealer="house")
        gallery = BettingRules(
            self.pick(["game", "single"]),
            self.pick(["pro_rata", "last_in_first_out"]),
            self.pick(["winnings", "gross"]),
            self.pick([0, 333, 500]),
            self.pick([0, 100]),
        )
        rules = TableSettings(
            "t1",
            laws,
            gallery,
            BetSizeLimits(10, 5_000, 9_000, 20_000),
            stake_cents=self.pick([0, 100, 1_000]),
            house_cover_cents=self.pick([0, 700, 50_000]),
            house=self.pick(["regle", "novice"]),
            challenger=self.pick(["novice", "regle", "novice", ""]),
            refill_cents=self.pick([0, 10_000]),
            abandon=self.pick(["concede", "void"]),
            slip_permille=self.pick([0, 300]),
            day_cents=self.pick([0, 0, 30_000]),
        )
        return TablePlan(rules, PACE, self.random.randrange(4), HABITS, 10, 900, 5_000)

    def run(self) -> list[Finding]:
        for _ in range(STEPS):
            self.step()
        self.finish()
        self.evening.house.close()
        found = audited(self.path).findings
        return self.found + [one for one in found if (one.check, one.severity) not in NO_FAULTS]

    def step(self) -> None:
        chance = self.random.randrange(100)
        if chance < 2:
            self.crash()
        elif chance < 75:
            self.likely()
        else:
            self.ask(self.pick(ASKED)(self))

    def crash(self) -> None:
        """The house falls over, whatever is going on; what it leaves is audited, and it reopens."""
        self.evening.house.close()
        findings = audited(self.path).findings
        self.found += [finding for finding in findings if finding.severity == "error"]
        self.evening.again()
        self.counted["crash"] += 1

    def likely(self) -> None:
        """What makes sense: bets while the book is open, a card from who is to act, or time."""
        running = self.evening.state.running
        if running is None and not self.evening.state.queue and self.random.randrange(3) == 0:
            self.ask(TakeSeat("t1", self.pick(PEOPLE), self.pick([0, 500])))
        elif running is not None and running.locked and not running.closing:
            self.ask(self.open_cut()) if self.random.randrange(3) else self.evening.go()
        elif running is not None and running.closing is None and self.random.randrange(4):
            self.ask(self.bet())
        elif running is not None and waits_for_person(running) and self.random.randrange(40):
            self.ask(self.act())
        else:
            self.evening.go()

    def ask(self, command: Command) -> None:
        for _ in range(1 + (self.random.randrange(10) == 0)):
            name = type(command).__name__
            try:
                self.evening.house.service.submit(command).result(timeout=30)
                self.counted[name] += 1
            except Refused as refusal:
                self.counted[f"{name} {refusal.code}"] += 1

    def finish(self) -> None:
        for _ in range(2_000):
            running = self.evening.state.running
            if running is None:
                return
            if self.random.randrange(1_000) == 0:
                self.ask(VoidGame("t1", running.id, "closing time"))
            self.evening.go()
        raise AssertionError(f"seed {self.seed}: the game does not end")

    # What may be asked.

    def game(self) -> str:
        number = max(1, self.evening.state.number - (self.random.randrange(8) == 0))
        return f"t1-{number:06d}"

    def turn(self) -> int:
        late = self.random.randrange(3) if self.random.randrange(6) == 0 else 0
        return self.evening.state.turn - late

    def bet(self) -> Command:
        """A bet, perhaps one that was sent before, perhaps with another content."""
        chance = self.random.randrange(10)
        if self.sent and chance < 2:
            again: PlaceBet = self.pick(self.sent)
            return again
        name = f"b{len(self.sent)}"
        player, side = self.pick([*PEOPLE, *PEOPLE, "house"]), self.pick([0, 1, 1, 0, 0, 1, 2])
        if self.sent and chance == 2:
            name = self.pick(self.sent).bet_id
        bet = PlaceBet(
            "t1",
            self.game(),
            name,
            player,
            side,
            self.pick([10, 77, 350, 350, 1_234, 1_234, 5_001, 9, -5]),
        )
        if self.random.randrange(2):
            seal = fairness.commitment_to(bet.game, player, self.text(bet.game, player))
            bet = bet._replace(seal=seal)
        self.sent.append(bet)
        return bet

    @staticmethod
    def text(game: str, player: str) -> str:
        return fairness.make_contribution("♠", sha256(f"{game}{player}".encode()).digest()[:16])

    def seal_cut(self) -> Command:
        """The seal of who has the seat, or, now and then, of anybody, or none."""
        game, player = self.game(), self.evening.state.holder or self.pick(PEOPLE)
        seal = fairness.commitment_to(game, player, self.text(game, player))
        return SealCut("t1", game, player, seal if self.random.randrange(6) else "")

    def open_cut(self) -> Command:
        """A text that was sealed, in time or late; or, now and then, another."""
        seals = [(self.game(), player) for player in PEOPLE]
        running = self.evening.state.running
        if running is not None and running.unrevealed and self.random.randrange(4):
            seals = [(running.id, seal.player) for seal in running.unrevealed]
        game, player = self.pick(seals)
        other = self.pick(PEOPLE) if self.random.randrange(6) == 0 else player
        return OpenCut("t1", game, player, self.text(game, other))

    def act(self) -> Command:
        """What the person in the seat may do, or, now and then, anything."""
        state = self.evening.state
        running = state.running
        player = running.challenger if running is not None else "ann"
        legal = hand_message(state, viewer_seat(state, player))["legal"]
        if legal and self.random.randrange(12):
            said = self.pick([one for one in legal if one[0] not in "CL"] or legal)
            said = said if self.random.randrange(20) else self.pick(legal)
        else:
            said = self.pick(["P", "S", "A", "R", "XKH", "KH", "7S", "K", "C", "V", "W", "EKH"])
        return PlayAction("t1", self.turn(), player, parse_token(said))


ASKED: list[Callable[[WildNight], Command]] = [
    WildNight.bet,
    WildNight.bet,
    WildNight.bet,
    WildNight.act,
    WildNight.act,
    WildNight.act,
    WildNight.act,
    WildNight.seal_cut,
    WildNight.open_cut,
    lambda night: CloseReveals("t1", night.game()),
    lambda night: TakeSeat("t1", night.pick(PEOPLE), night.pick([0, 500])),
    lambda night: LeaveSeat("t1", night.pick(PEOPLE)) if night.random.randrange(4) == 0
    else TakeSeat("t1", "ann"),
    lambda night: CloseBetting("t1", night.game(), night.pick(["", "ann", "ben"])),
    lambda night: DealCards("t1", night.turn()),
    lambda night: PlayBotActions("t1", night.turn() - 1, (night.pick([32, 33, 35, 37, 5, 41]),)),
    lambda night: TimeOutPlayer("t1", night.turn())
    if night.random.randrange(20) == 0
    else DealCards("t1", 0),
    lambda night: VoidGame("t1", night.game(), "a whim")
    if night.random.randrange(30) == 0
    else VoidGame("t1", "t1-000000", "never"),
    lambda night: OpenGame("t1", bytes(32))
    if night.evening.state.running is not None
    else OpenCut("t1", "t1-999999", "ann", "late"),
    lambda night: SetLimit(
        night.pick(PEOPLE), night.pick([*KEYS, "x"]), night.pick([0, 500, 90_000])
    ),
]  # fmt: skip
