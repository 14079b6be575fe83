"""Practice games against a bot, without stake, clock, gallery or log.

Practice runs the code of real tables, so the same rules apply, but nothing is stored. A game can be
rebuilt at any time from its seed and the person's actions. It can also begin in the middle of a
finished game, whose seed is public: all its cards, and the bot's draws, are those of that game.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from casino import ecarte, fairness
from casino.ecarte import CHALLENGER, Action, Record, View
from casino.events.types import SIDES, Entry
from casino.table.domain import commands
from casino.table.domain.commands import TableCommand
from casino.table.domain.handlers import decide
from casino.table.domain.settings import TableSettings
from casino.table.domain.state import TableState
from casino.table.domain.table_base import Commitment
from casino.table.public.feed import EventBatch, TableFeed, TableTransfer
from casino.table.public.private_view import private_view
from casino.table.public.state import Message, PublicTable
from casino.table.runtime.headless import UNLIMITED, bot_command

START = 0  # timestamp of all events, as there is no clock
PLAYER = "you"  # the person's name, as practice needs no account


class GamePosition(NamedTuple):
    """Position in a finished game's record after `actions` actions, counted across all deals."""

    record: Record
    actions: int

    @property
    def seed(self) -> bytes | None:
        """The game's seed; None if the game is void and its seed was lost."""
        seed = (self.record.fairness or {}).get("server_seed")
        return None if seed is None else bytes.fromhex(seed)


class PracticeGame:
    """Practice game that either waits for the person's action or is over."""

    def __init__(
        self, rules: TableSettings, seed: bytes, start: GamePosition | None = None
    ) -> None:
        rules = rules._replace(stake_cents=0, challenger="", hosted=None)
        number = 0
        if start is None:
            rules = rules._replace(slip_permille=0)
        else:
            name, _, digits = (start.record.game or "").rpartition("-")
            rules, number = rules._replace(name=name, laws=start.record.laws), int(digits) - 1
        self.done: list[Action] = []
        self._yous: list[Message] = []
        self.state = TableState(rules, number=number)
        self.feed = TableFeed(TableTransfer(PublicTable(rules, number=number)))
        table = rules.name
        self._do(commands.BeginChain(table, fairness.commitment_of(seed), 1))
        self._do(commands.TakeSeat(table, PLAYER, 0))
        self._do(commands.OpenGame(table, seed))
        assert self.state.running is not None
        self.game = self.state.running.id
        if start is not None:
            self._share_shuffle(start.record)
        self._do(commands.CloseBetting(table, self.game))
        if start is not None:
            self._repeat(start)
        self.opening = self.feed.snapshot(START)
        self._play_on()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.state.running is None

    def act(self, action: Action) -> None:
        """Apply the person's action, then the bot's actions until it is the person's turn again."""
        self._do(commands.PlayAction(self.state.rules.name, self.state.turn, PLAYER, action))
        self.done.append(action)
        self._play_on()

    def messages_since(self, since: int | None) -> Message:
        """Return the messages after version `since`, or all and the first snapshot if it is None.

        `yous` lists the private messages to the person, each with the feed version it follows.
        """
        first = self.opening["version"] if since is None else since
        events = self.feed.messages_since(first, START)
        yous = [you for you in self._yous if you["version"] >= first + (since is not None)]
        message: Message = {"version": self.feed.version, "events": events or [], "yous": yous}
        if since is None:
            message["snapshot"] = self.opening
        return message | {"over": self.is_over}

    def view(self) -> tuple[View, Sequence[Action]] | None:
        """Return the person's view and legal actions, or None when the game is over."""
        running = self.state.running
        if running is None or running.deal is None:
            return None
        return ecarte.view(running.deal, CHALLENGER), ecarte.legal_for(running.deal, CHALLENGER)

    def _share_shuffle(self, record: Record) -> None:
        """Open the contributions of a finished game, so that the same cards are dealt."""
        assert self.state.running is not None
        cuts = list(enumerate((record.fairness or {}).get("cuts", ()), 1))
        dealer = SIDES[record.first_dealer]
        running = self.state.running._replace(
            opened=replace(self.state.running.opened, loser_deals=dealer),
            seals=tuple(Commitment(number, player, "") for number, (player, _) in cuts),
            texts=tuple((number, text) for number, (_, text) in cuts),
        )
        self.state = self.state._replace(running=running)

    def _repeat(self, start: GamePosition) -> None:
        """Replay the first actions of a finished game."""
        table = self.state.rules.name
        if self.state.running is not None and self.state.running.closing is None:
            self._do(commands.CloseReveals(table, self.game))
        tokens = (token for deal in start.record.deals for token in deal.actions.split())
        for action in map(ecarte.parse_token, islice(tokens, start.actions)):
            running = self.state.running
            if running is not None and running.is_between_deals:
                self._do(commands.DealCards(table, self.state.turn))
                running = self.state.running
            # Dealing has already exposed the same cards, as the seed is the same.
            if running is None or running.deal is None or ecarte.EXPOSE <= action < ecarte.LEAD_OUT:
                continue
            if running.deal.actor(action) == CHALLENGER:
                self._do(commands.PlayAction(table, self.state.turn, PLAYER, action))
            else:
                self._do(commands.PlayBotActions(table, self.state.turn, (action,)))

    def _play_on(self) -> None:
        table = self.state.rules.name
        while (running := self.state.running) is not None:
            if running.is_between_deals:
                self._do(commands.DealCards(table, self.state.turn))
            elif running.waits_for_person:
                return
            else:
                self._do(bot_command(self.state, running))

    def _do(self, command: TableCommand) -> None:
        for event, _, after in decide(self.state, command, UNLIMITED):
            self.state = after
            if not isinstance(event, Entry):
                self.feed.publish(EventBatch(after.rules.name, (event,), after.turn, START))
                you = private_view(after, self.feed.table, PLAYER)
                self._yous.append({"name": PLAYER, "version": self.feed.version, **you})
