"""Replay of a finished game as the messages that spectators saw."""

from __future__ import annotations

from collections.abc import Sequence

from casino.ecarte import SEATS, cards_in, format_cards, replay_steps, token
from casino.events import game_record
from casino.events.types import ActionTaken, Event, HandsShown, PackDealt, TurnedUp
from casino.table.domain.settings import from_event
from casino.table.domain.table_base import game_number
from casino.table.public.feed import EventBatcher, TableFeed, TableTransfer
from casino.table.public.messages import snapshot
from casino.table.public.state import Message, PublicTable


def replay(events: Sequence[Event], game: game_record.FinishedGame) -> Message:
    """Return a finished game's messages, with exchanged cards shown.

    `snapshot` is the table before the game; each of the `steps` holds a `message` and both `hands`
    after it. No one played the deals that end a game after it was given up: they are left out.
    """
    table = PublicTable(from_event(game.terms), number=game_number(game.opened.game) - 1)
    feed, grouping = TableFeed(TableTransfer(table)), EventBatcher(table.rules.name)
    positions = replay_steps(game_record.record_of(game))
    hands: dict[str, str] = {}
    steps: list[Message] = []
    for event in events:
        action = None
        is_played = isinstance(event, PackDealt | TurnedUp | ActionTaken | HandsShown)
        running = feed.table.running
        if running is not None and running.abandoned and is_played:
            feed.skip(event, 0)
            continue
        if is_played and not isinstance(event, HandsShown):
            _, action, deal = next(positions)
            hands = {SEATS[seat]: format_cards(cards_in(deal.hands[seat])) for seat in range(2)}
        for group in grouping.add(event, 0, event.at):
            for message in feed.publish(group):
                if action is not None and "action" in message:
                    message = {**message, "action": token(action)}
                steps.append({"message": message, "hands": hands})
    return {"snapshot": {**snapshot(table), "version": 0}, "steps": steps}
