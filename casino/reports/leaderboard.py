"""Leaderboards and statistics, updated game by game.

They use only public facts: who played, who won and who bet on which side. Amounts are not counted,
so nothing reveals a balance.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from casino.events.types import BetAccepted, Event, GameOpened, GameOver, GameVoid, Side
from casino.ledger.accounts import HOUSE
from casino.simulate.statistics import sure_win_rate

GAMES_KEPT: Final = 50  # recent games remembered for each player
MAX_LEADERS: Final = 100
POINTS: Final = 120  # of the curve of games that the house won
COUNTED: Final = ("game_opened", "bet", "game_over", "game_void")  # the leaf types that are counted

Part: TypeAlias = Literal["played", "backed"]


@dataclass(slots=True)
class ResultTally:
    """The numbers of games won and lost."""

    won: int = 0
    lost: int = 0

    def add(self, won: bool) -> None:
        """Count one game."""
        self.won += won
        self.lost += not won

    @property
    def games(self) -> int:
        """The number of games counted."""
        return self.won + self.lost


class GamesPlayed(NamedTuple):
    """A game that a player played or bet on."""

    game: str
    at: int
    did: Part
    side: Side
    house: str
    challenger: str
    winner: Side | None
    stake: int


class PlayerRecord:
    """A player's public record: results as challenger, as bettor and against bots; recent games.

    `is_bot` is set if a program has ever played for them.
    """

    def __init__(self) -> None:
        self.is_bot = False
        self.played = ResultTally()
        self.backed = ResultTally()
        self.against: dict[str, ResultTally] = {}
        self.stakes: Counter[int] = Counter()
        self.last: deque[GamesPlayed] = deque(maxlen=GAMES_KEPT)

    def json(self) -> dict[str, Any]:
        """Return the record as JSON values, the newest game first."""
        against = sorted(self.against.items(), key=lambda pair: -pair[1].games)
        return {
            "played": asdict(self.played),
            "backed": asdict(self.backed),
            "against": [{"bot": bot, **asdict(tally)} for bot, tally in against],
            "stakes": [self.stakes[stake] for stake in (1, 2, 3)],
            "last": [game._asdict() for game in reversed(self.last)],
        }


class LeaderboardBuilder:
    """Results of all finished games, in total and by player."""

    def __init__(self) -> None:
        self.players: dict[str, PlayerRecord] = {}
        # The house's results against each bot, and against all people (None).
        self.pairs: dict[tuple[str, str | None], ResultTally] = {}
        self.scores: Counter[tuple[int, int]] = Counter()
        self.stakes: Counter[int] = Counter()
        self.winners = bytearray()  # 1 for each game the house won, 0 for each it lost, in order
        self.void = 0

    @property
    def games(self) -> int:
        """The number of games with a winner."""
        return len(self.winners)

    def add(self, events: Iterable[Event]) -> None:
        """Count a finished game, given all its events."""
        leaves = list(events)
        by_type: dict[type, Any] = {type(event): event for event in leaves}
        opened, end = by_type[GameOpened], by_type.get(GameOver) or by_type[GameVoid]
        bets = [event for event in leaves if isinstance(event, BetAccepted)]
        self._gallery(opened, end, {bet.player: bet.side for bet in bets})
        if isinstance(end, GameVoid):
            self.void += 1
        else:
            self._won(opened, end)

    def _won(self, opened: GameOpened, end: GameOver) -> None:
        house_won = end.winner == "house"
        self.winners.append(house_won)
        self.scores[end.score.house, end.score.challenger] += 1
        self.stakes[end.stake] += 1
        house, challenger = opened.players.house, opened.players.challenger
        is_bot = opened.bots.challenger is not None
        pair = house, challenger if is_bot else None
        self.pairs.setdefault(pair, ResultTally()).add(house_won)
        # A game between two bots counts for no player.
        if is_bot:
            return
        player = self.player(challenger)
        player.is_bot |= opened.played_by is not None
        player.played.add(not house_won)
        player.against.setdefault(house, ResultTally()).add(not house_won)
        if not house_won:
            player.stakes[end.stake] += 1

    def _gallery(
        self, opened: GameOpened, end: GameOver | GameVoid, sides: dict[str, Side]
    ) -> None:
        winner = end.winner if isinstance(end, GameOver) else None
        stake = end.stake if isinstance(end, GameOver) else 0
        house, challenger = opened.players.house, opened.players.challenger
        there: dict[str, tuple[Part, Side]]
        there = {name: ("backed", side) for name, side in sides.items()}
        if opened.bots.challenger is None:
            there[challenger] = "played", "challenger"
        for name, (did, side) in there.items():
            if is_person(name):
                player = self.player(name)
                player.last.append(
                    GamesPlayed(opened.game, end.at, did, side, house, challenger, winner, stake)
                )
                if did == "backed" and winner is not None:
                    player.backed.add(side == winner)

    def player(self, name: str) -> PlayerRecord:
        """Return a player's record, creating an empty one if needed."""
        return self.players.setdefault(name, PlayerRecord())

    def leaders_json(self, part: Part) -> list[dict[str, Any]]:
        """Return the leaderboard of challengers or of bettors as JSON values."""
        tallies = {name: getattr(player, part) for name, player in self.players.items()}
        ranked = [(name, tally) for name, tally in tallies.items() if tally.games]
        ranked.sort(key=lambda row: (-sure_win_rate(row[1].won, row[1].lost), row[1].lost, row[0]))
        return [
            {"player": name, **asdict(tally), "is_bot": self.players[name].is_bot}
            for name, tally in ranked[:MAX_LEADERS]
        ]

    def statistics_json(self) -> dict[str, Any]:
        """Return the statistics of all games counted as JSON values."""
        pairs = sorted(self.pairs.items(), key=lambda pair: (pair[0][1] is None, -pair[1].games))
        return {
            "void": self.void,
            "pairs": [
                {"house": house, "challenger": challenger, **asdict(tally)}
                for (house, challenger), tally in pairs
            ],
            "scores": [
                {"house": house, "challenger": challenger, "games": games}
                for (house, challenger), games in sorted(self.scores.items())
            ],
            "stakes": [self.stakes[stake] for stake in (1, 2, 3)],
            "course": self._course(),
        }

    def _course(self) -> list[list[int]]:
        won = [0, *accumulate(self.winners)]
        ends = sorted({self.games * point // POINTS for point in range(1, POINTS + 1)} - {0})
        return [[end, won[end]] for end in ends]


def is_person(name: str) -> bool:
    """Return True unless a name belongs to the house or to a simulated bettor.

    >>> is_person("ann"), is_person("Ines*"), is_person("house")
    (True, False, False)
    """
    return name != HOUSE and "*" not in name
