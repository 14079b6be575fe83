"""Faults injected into the program, each of which the simulator must find."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from casino.ecarte import CHALLENGER
from casino.ledger.storage.sqlite import SqliteStore
from casino.ledger.transaction import CommitGroup, Transaction
from casino.table.public import private_view
from casino.table.public.feed import TableFeed
from casino.table.runtime import recovery
from casino.table.runtime.service import TableService
from casino.web.broadcast import broadcaster
from casino.web.ipc.client import EventSubscriber
from tests.simulator import disk
from tests.simulator.virtual_time import replace


def unsynced_commits() -> None:
    """A commit does not wait for the disk."""
    replace(disk, SYNCHRONOUS="OFF")


def forgotten_ids() -> None:
    """A command that is sent again is carried out again."""
    replace(SqliteStore, stored_replies=lambda self, commands: {})


def doubt_means_success() -> None:
    """A commit with an unclear result is taken for a success."""
    replace(SqliteStore, holds=lambda self, rows: True)


def double_settlement() -> None:
    """Winnings are posted twice."""
    post = Transaction.post

    def twice(self: Transaction, entry: Any) -> int:
        number = post(self, entry)
        return post(self, entry) if entry.move == "settle" else number

    replace(Transaction, post=twice)


def missed_message() -> None:
    """A client that was away for a moment is not sent the first message it missed."""
    since = TableFeed.messages_since

    def forgetful(self: TableFeed, *args: Any) -> Any:
        messages = since(self, *args)
        return messages and messages[1:]

    replace(TableFeed, messages_since=forgetful)


def hand_for_everyone() -> None:
    """Everyone is sent the challenger's hand."""
    replace(private_view, viewer_seat=lambda state, player: CHALLENGER)


def hand_in_a_message() -> None:
    """A message to all names the next trick's cards."""
    tell = broadcaster.Broadcaster._tell

    def leak(self: Any, group: Any) -> None:
        tell(self, group)
        feed = self._feeds[group.table]
        state = getattr(self._shared.backend, "states", {}).get(group.table)  # in the backend
        if state and state.running is not None and state.running.deal is not None:
            hand = private_view.hand_message(state, CHALLENGER)["hand"]
            notice = {"type": "notice", "hint": hand, **feed.betting_status()}
            self.send_events(feed.name, [feed.notice(notice)])

    replace(broadcaster.Broadcaster, _tell=leak)


def bet_lost_at_start() -> None:
    """A start forgets the newest bet of the running game."""
    load = recovery.load_table

    def forgetful(*args: Any) -> Any:
        state: Any = load(*args)
        if state.running is None or not state.running.book.bets:
            return state
        book = state.running.book
        book = book._replace(bets=book.bets[:-1])
        return state._replace(running=state.running._replace(book=book))

    replace(recovery, load_table=forgetful)


def ignored_gap() -> None:
    """A web process that missed messages goes on with the next one."""

    def follow(self: Any, sent: Any) -> None:
        self._position = sent.run, sent.n
        self._broadcaster.handle(sent.message)

    replace(EventSubscriber, _handle=follow)


def told_too_early() -> None:
    """Events are published before they are durable."""
    commit = TableService.on_committed
    replace(TableService, on_storing=commit)


def time_goes_back() -> None:
    """The log takes the clock as it is."""
    init = Transaction.__init__

    def begin(self: Transaction, group: CommitGroup, now: int) -> None:
        init(self, group, now)
        self.now = now

    replace(Transaction, __init__=begin)


FAULTS: Final[dict[str, Callable[[], None]]] = {
    fault.__name__: fault
    for fault in (
        unsynced_commits, forgotten_ids, doubt_means_success, double_settlement, missed_message,
        hand_for_everyone, hand_in_a_message, bet_lost_at_start, ignored_gap, told_too_early,
        time_goes_back,
    )
}  # fmt: skip
