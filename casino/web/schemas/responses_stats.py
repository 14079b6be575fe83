"""Schemas of statistics over all games: leaderboards, statistics, players."""

from __future__ import annotations

from typing import Literal

from casino.web.schemas.responses import Form, Good, Pair, Seat


class Tally(Form):
    """Games won and lost."""

    won: int
    lost: int


class Leader(Tally):
    """A player on a leaderboard."""

    player: str


class Counted(Good):
    """Statistics over all finished games; `more`: some are not counted yet, ask again."""

    games: int
    more: bool


class Leaders(Counted):
    """Who won at the table, and who backed winners; the most reliable winners first."""

    challengers: list[Leader]
    backers: list[Leader]


class Pairing(Tally):
    """The results of a house bot against another bot, or (null) against all people."""

    house: str
    challenger: str | None


class FinalScore(Pair):
    """A final score and how often it occurred."""

    games: int


class Statistics(Counted):
    """How all games ended.

    `stakes` counts single, double and triple games; `course` has points of a curve: games played,
    games won by the house.
    """

    void: int
    pairs: list[Pairing]
    scores: list[FinalScore]
    stakes: list[int]
    course: list[list[int]]


class AgainstBot(Tally):
    """A player's results against a bot of the house."""

    bot: str


class Attended(Form):
    """A game that a player played or bet on: the side, and how it ended."""

    game: str
    at: int
    did: Literal["played", "backed"]
    side: Seat
    house: str
    challenger: str
    winner: Seat | None
    stake: int


class PublicPlayer(Counted):
    """A player's public record: no amounts, only wins; the last games, newest first."""

    player: str
    played: Tally
    backed: Tally
    against: list[AgainstBot]
    stakes: list[int]
    last: list[Attended]
