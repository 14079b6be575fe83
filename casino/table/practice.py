"""Practice games against a bot, without stake, clock, gallery or log.

Practice runs the code of real tables, so the same rules apply, but nothing is stored. A game can be
rebuilt at any time from its seed and the person's actions.
"""

from __future__ import annotations

from collections.abc import Sequence

from casino import fairness
from casino.ecarte import CHALLENGER, Action, View, legal_for, view
from casino.ledger.entries import Entry
from casino.table.domain.commands import (
    BeginChain,
    CloseBetting,
    DealCards,
    OpenGame,
    PlayAction,
    TableCommand,
    TakeSeat,
)
from casino.table.domain.decide import decide
from casino.table.domain.handlers import play
from casino.table.domain.settings import TableSettings
from casino.table.domain.state import TableState
from casino.table.public.feed import EventBatch, TableFeed
from casino.table.public.private_view import private_view
from casino.table.public.state import Message, PublicTable
from casino.table.runtime.headless.plan import UNLIMITED, bot_command

START = 0  # timestamp of all events, as there is no clock


class PracticeGame:
    """Practice game that either waits for the person's action or is over."""

    def __init__(self, rules: TableSettings, player: str, seed: bytes) -> None:
        rules = rules._replace(stake_cents=0, slip_permille=0, challenger="")
        self.player = player
        self.done: list[Action] = []
        self._yous: list[Message] = []
        self.state = TableState(rules)
        self.feed = TableFeed(PublicTable(rules), 0, 0)
        table = rules.name
        self._do(BeginChain(table, fairness.commitment_of(seed), 1))
        self._do(TakeSeat(table, player, 0))
        self._do(OpenGame(table, seed))
        assert self.state.running is not None
        self.game = self.state.running.id
        self._do(CloseBetting(table, self.game))
        self.opening = self.feed.snapshot(START)
        self._play_on()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.state.running is None

    def act(self, action: Action) -> None:
        """Apply the person's action, then the bot's actions until it is the person's turn again."""
        self._do(PlayAction(self.state.rules.name, self.state.turn, self.player, action))
        self.done.append(action)
        self._play_on()

    def messages_since(self, since: int | None) -> Message:
        """Return the messages after version `since` or, if it is None, all and the first snapshot.

        `yous` lists the private messages to the person, each with the feed version it follows.
        """
        first = self.opening["version"] if since is None else since
        events = self.feed.messages_since(first, START)
        yous = [you for you in self._yous if you["version"] > first]
        message: Message = {"version": self.feed.version, "events": events or [], "yous": yous}
        if since is None:
            message["snapshot"] = self.opening
        return message | {"over": self.is_over}

    def view(self) -> tuple[View, Sequence[Action]] | None:
        """Return the person's view and legal actions, or None when the game is over."""
        running = self.state.running
        if running is None or running.deal is None:
            return None
        return view(running.deal, CHALLENGER), legal_for(running.deal, CHALLENGER)

    def _play_on(self) -> None:
        table = self.state.rules.name
        while (running := self.state.running) is not None:
            if running.is_between_deals:
                self._do(DealCards(table, self.state.turn))
            elif play.waits_for_person(running):
                return
            else:
                self._do(bot_command(self.state, running))

    def _do(self, command: TableCommand) -> None:
        for event, _, after in decide(self.state, command, UNLIMITED):
            self.state = after
            if not isinstance(event, Entry):
                self.feed.publish(EventBatch(after.rules.name, (event,), after.turn, START))
                you = private_view(after, self.feed.table, self.player)
                self._yous.append({"name": self.player, "version": self.feed.version, **you})
