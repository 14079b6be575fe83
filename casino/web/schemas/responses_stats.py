"""The forms of what is counted over all games: leader boards, statistics, players."""

from __future__ import annotations

from typing import Literal

from casino.web.schemas.responses import Form, Good, Pair, Seat


class Tally(Form):
    """Won and lost."""

    won: int
    lost: int


class Leader(Tally):
    """A player on a leader board."""

    player: str


class Counted(Good):
    """What is counted over all finished games; `more`: some are not counted yet, ask again."""

    games: int
    more: bool


class Leaders(Counted):
    """Who won at the table, and who backed winners; the most certain winners stand first."""

    challengers: list[Leader]
    backers: list[Leader]


class Pairing(Tally):
    """What a bot of the house won and lost against another bot, or (null) against all people."""

    house: str
    challenger: str | None


class FinalScore(Pair):
    """How many games ended so."""

    games: int


class Statistics(Counted):
    """How all games ended.

    `stakes` counts single, double and triple games; `course` has points of a curve: after so many
    games the house had won so many.
    """

    void: int
    pairs: list[Pairing]
    scores: list[FinalScore]
    stakes: list[int]
    course: list[list[int]]


class AgainstBot(Tally):
    """What a player won and lost against a bot of the house."""

    bot: str


class Attended(Form):
    """A game that a player played or bet on: which side was his, and how it ended."""

    game: str
    at: int
    did: Literal["played", "backed"]
    side: Seat
    house: str
    challenger: str
    winner: Seat | None
    stake: int


class PublicPlayer(Counted):
    """What is public of a player: no amount, only who won; the last games, the newest first."""

    player: str
    played: Tally
    backed: Tally
    against: list[AgainstBot]
    stakes: list[int]
    last: list[Attended]
