"""Public state of a table in a form that can be sent to another process.

It consists of the table before the running game, and the events of that game so far. Applying them
yields the current state; later batches of events continue from there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from casino.events.types import Event, TermsSet
from casino.table.domain.poule import PouleState
from casino.table.domain.settings import TableSettings, from_event, to_event
from casino.table.public.state import PublicTable


class TableTransfer(Struct, frozen=True):
    """A table before the running game, and the events of that game so far."""

    rules: TermsSet
    coming: tuple[TermsSet, ...]
    number: int
    abandoned: bool
    holder: str
    queue: tuple[str, ...]
    road: tuple[dict[str, Any], ...]
    since: int
    events: tuple[Event, ...]
    poule: PouleState | None = None

    @property
    def before_game(self) -> PublicTable:
        """Public state before the running game."""
        return PublicTable(
            rules=from_event(self.rules),
            coming=tuple((terms.from_game, from_event(terms)) for terms in self.coming),
            number=self.number,
            abandoned=self.abandoned,
            holder=self.holder,
            queue=self.queue,
            road=self.road,
            since=self.since,
            poule=self.poule,
        )


def make_transfer(rest: PublicTable, events: Iterable[Event]) -> TableTransfer:
    """Return a table's transfer from its state before the running game and the events since."""
    return TableTransfer(
        rules=_terms(rest.rules, rest.number),
        coming=tuple(_terms(rules, first) for first, rules in rest.coming),
        number=rest.number,
        abandoned=rest.abandoned,
        holder=rest.holder,
        queue=rest.queue,
        road=rest.road,
        since=rest.since,
        events=tuple(events),
        poule=rest.poule,
    )


def _terms(rules: TableSettings, from_game: int) -> TermsSet:
    return replace(to_event(rules, from_game), at=0)
