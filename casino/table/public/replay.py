"""Replay of a finished game, as its messages with both hands after each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from casino.ecarte import SEATS, Record, cards_in, format_cards, replay_steps, token
from casino.events.codec import decode
from casino.events.game_record import finished_game, record_of
from casino.events.types import ActionTaken, Event, PackDealt, TurnedUp
from casino.ledger.storage.base import StoredLeaf
from casino.table.domain.settings import from_event
from casino.table.public.feed import EventBatcher, TableFeed, TableTransfer
from casino.table.public.messages import snapshot
from casino.table.public.state import Message, PublicTable

_MOVES_CARDS = (PackDealt, TurnedUp, ActionTaken)


def replay_messages(leaves: Iterable[StoredLeaf], terms: Iterable[StoredLeaf]) -> Message | None:
    """Return a game's replay from its leaves, or None if it is not finished.

    `snapshot` is the table before the game. Each item of `steps` contains a `message`, which
    shows exchanged cards, and both `hands` after it.
    """
    events = [decode(leaf.body) for leaf in leaves]
    game = finished_game(events, (decode(leaf.body) for leaf in terms)) if events else None
    if game is None:
        return None
    number = int(game.opened.game.rpartition("-")[2])
    table = PublicTable(from_event(game.terms), number=number - 1)
    return {
        "snapshot": {**snapshot(table), "version": 0},
        "steps": _steps(table, events, record_of(game)),
    }


def _steps(table: PublicTable, events: Sequence[Event], record: Record) -> list[Message]:
    feed, grouping, positions = (
        TableFeed(TableTransfer(table)),
        EventBatcher(table.rules.name, 0),
        replay_steps(record),
    )
    hands: dict[str, str] = {}
    messages: list[Message] = []
    for event in events:
        action = None
        if isinstance(event, _MOVES_CARDS):
            _, action, deal = next(positions)
            hands = {SEATS[seat]: format_cards(cards_in(deal.hands[seat])) for seat in range(2)}
        for group in grouping.add(event, 0, event.at):
            for message in feed.publish(group):
                names = action is not None and "action" in message
                known = {"action": token(action)} if action is not None and names else {}
                messages.append({"message": {**message, **known}, "hands": hands})
    return messages
