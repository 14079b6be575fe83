"""`casino bot`: play in the challenger's seat of a live table with a bot of one's own."""

from __future__ import annotations

import signal
from contextlib import suppress
from typing import Any

import click

from casino import fairness
from casino.bots import get_bot, is_own_bot
from casino.bots.match import choose
from casino.chips import format_chips
from casino.cli.common import (
    BotNameType,
    WholeNumber,
    config_checked,
    link_option,
    make_console,
    url_argument,
)
from casino.client.client import CasinoClient
from casino.client.contribution import OUTCOMES, ContributionReveal
from casino.client.seat_observer import SeatObserver
from casino.client.table_view import Message, describe
from casino.client.table_watcher import TableWatcher
from casino.ecarte import token
from casino.errors import CasinoError, Refused


@click.command(epilog="Example: casino bot --table petit --bot mybot:MyBot --games 10")
@config_checked
@click.option("--table", required=True, metavar="ID", help="The table.")
@click.option(
    "--bot", required=True, type=BotNameType(), metavar="BOT", help="Its name, or module:Class."
)
@click.option(
    "--name",
    metavar="NAME",
    help="The name to play under (default: your bot's class; needed for a built-in bot).",
)
@click.option(
    "--games", type=WholeNumber(1), metavar="N", help="Leave after N games, missed ones included."
)
@link_option
@url_argument
def command(
    table: str, bot: str, name: str | None, games: int | None, link: str | None, url: str
) -> None:
    """Take the challenger's seat at a table of the casino at URL, or queue for it, and play.

    The bot sees what a person in the seat would see, has the same time for each action, and seals a
    text in each game. The log and the page show that it is a bot.

    Ctrl-C, SIGTERM or SIGHUP ends the command after the current game; a second one gives it up.

    A password is read from the environment variable CASINO_PASSWORD, or prompted for.
    """
    if not name and not is_own_bot(bot):
        raise click.UsageError("A built-in bot has no name of its own: give a name with --name.")
    name = name or bot.rpartition(":")[2]
    client = CasinoClient(url, name)
    client.tables(table, link)
    client.enter_interactively(name)
    player = BotPlayer(client, table, name, bot, games)

    def interrupted(*_: Any) -> None:
        if player.is_leaving:
            raise KeyboardInterrupt
        player.is_leaving = True
        if player.game:
            click.echo("Leaving after this game; press Ctrl-C again to give it up.", err=True)

    player.watcher.connect()
    stops = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as `nohup` sets it
        stops.append(signal.SIGHUP)
    before = [(stop, signal.signal(stop, interrupted)) for stop in stops]
    try:
        player.play()
    finally:
        for stop, handler in before:
            signal.signal(stop, handler)
        if player.is_seated:
            with suppress(Refused):
                client.request("leave_seat", table=table)
        client.close()


class BotPlayer:
    """Lets a bot play at a table; `game` is the running game if the bot is in it, or ""."""

    def __init__(
        self, client: CasinoClient, table: str, name: str, bot: str, games: int | None
    ) -> None:
        self.watcher = TableWatcher(client, table)
        self.game = ""
        self.is_leaving = False
        self.is_seated = False  # or in the queue
        self._client, self._name, self._games = client, name, games
        self._bot = get_bot(bot)
        self._draws = fairness.bot_draws(fairness.fresh_seed(), 0, 0)
        self._shuffle = ContributionReveal(client, name)
        self._seat = SeatObserver()
        self._console = make_console()
        self._seal_number, self._closed_game = 0, ""
        self._played = self._balance_cents = 0
        self._you: Message = {}
        self._chosen_at, self._answered_at = -1, -1

    def play(self) -> None:
        """Play until enough games are over or the command is interrupted."""
        self._balance_cents = self._client.get("/api/me")["balance_cents"]
        click.echo(f"Waiting for the challenger's seat at {self.watcher.table}.", err=True)
        while self.game or not self.is_leaving:
            for message in self.watcher.next_messages():
                self._hear(message)
            is_known = self.watcher.version is not None
            if is_known and not self.is_seated and not self.is_leaving:
                self.is_seated = self._request("take_seat", remote_bot=True) is not None
            self._act()

    def _request(self, message: str, **payload: Any) -> Message | None:
        """Send a message about the table; return None if it should be sent again."""
        try:
            return self._client.request(message, table=self.watcher.table, **payload)
        except Refused as refused:
            if refused.code not in ("unavailable", "rate_limited"):
                raise
            return None

    def _hear(self, message: Message) -> None:
        kind = message["type"]
        if kind in ("broken", "back"):
            click.echo(f"{describe(message).capitalize()}.", err=True)
        if kind == "you":
            self._you = message
            return
        self._seat.apply(message)
        if kind == "snapshot":
            self._look(message)
        elif kind == "game_opened":
            self._open(message)
        elif kind == "seat" and message["player"] == self._name:
            self.is_seated = message["what"] != "left"
            if message["what"] == "defaulted":
                reason = "ran out of time" if message.get("late") else "left"
                click.echo(f"{self._name} {reason} and has given up {self.game}.", err=True)
        if self.game and kind in ("game_opened", "game_over", "game_void"):
            self._console.print(describe(message))
        if self.game and kind == "game_over":
            with suppress(CasinoError):  # the next game may go on without the balance
                before, after = self._balance_cents, self._client.get("/api/me")["balance_cents"]
                self._balance_cents = after
                verb = "wins" if message["winner"] == "challenger" else "loses"
                cents = format_chips(abs(after - before))
                click.echo(f"{self._name} {verb} {cents}. Balance {format_chips(after)}.")
        if self.game and kind in ("book_locked", "betting_closed", "game_void"):
            self._reveal(message)
        if self.game and kind in ("game_over", "game_void"):
            self._end_game()

    def _end_game(self) -> None:
        self.game = ""
        self._played += 1
        self.is_leaving |= self._played == self._games

    def _look(self, snapshot: Message) -> None:
        if self.game and self.game != snapshot.get("game"):
            click.echo(f"{self.game} ended while the connection was lost.", err=True)
            self._end_game()
        self.game = ""
        if "game" in snapshot:
            self._open(snapshot)
        # A seat that another process took may be a person's: the casino refuses it to the bot.
        is_there = self._name in (snapshot["holder"], *snapshot["queue"])
        self.is_seated = bool(self.game) or (self.is_seated and is_there)
        if self.game:
            self._reveal(snapshot)

    def _open(self, opened: Message) -> None:
        if (opened["bots"].get("challenger"), opened["holder"]) != (self._name, self._name):
            return
        self.game = opened["game"]
        seals = {seal["player"]: seal["number"] for seal in opened.get("seals", ())}
        self._seal_number = seals.get(self._name, 0)
        if not self._seal_number and not opened.get("locked"):
            # If the book has just closed or has no room, the game is played without this text.
            with suppress(Refused):
                seal = self._shuffle.commit(self.game)
                answer = self._request("cut", game=self.game, **seal) or {}
                self._seal_number = answer.get("seal_number", 0)

    def _reveal(self, event: Message) -> None:
        if not self._seal_number or self._closed_game == self.game:
            return
        if result := self._shuffle.handle(event, self.watcher, self.game, self._seal_number):
            self._console.print(OUTCOMES[result])
            self._closed_game = self.game

    def _act(self) -> None:
        you, moved_at = self._you, self._seat.changed_at
        if self._answered_at == moved_at or not self.game or you.get("game") != self.game:
            return
        # The private state comes by itself: before or after the messages that it belongs to.
        if not moved_at <= you["version"] <= (self.watcher.version or 0):
            return
        if (decision := self._seat.decision(you)) is None:
            return
        if self._chosen_at != moved_at:
            self._seat.chosen = choose(self._bot, *decision, self._draws)
            self._chosen_at = moved_at
        try:
            answer = self._request("act", version=you["version"], action=token(self._seat.chosen))
        except Refused:
            answer = {}  # too late: the time was up
        if answer is not None:
            self._answered_at = moved_at
