"""A table's state after an event: the fast constructors equal `_replace`."""

from __future__ import annotations

from casino.betting import Bet, BetSizeLimits, BettingRules, Book
from casino.ecarte import CHALLENGER, HOUSE, PACK, PROPOSE, Laws, apply, new_deal
from casino.events import factories
from casino.events.types import ActionTaken
from casino.table.domain.reducers import evolve
from casino.table.domain.state import GameState, TableState

BOOK = Book("novice", 1_000, BettingRules(), BetSizeLimits(100, 1_000, 10_000, 100_000))


def test_evolve_changes_only_expected_fields() -> None:
    deal = new_deal(Laws(), CHALLENGER, PACK)
    game = GameState(*GameState._fields)._replace(deal=deal, made=(0, 0), book=BOOK)  # type: ignore[arg-type]
    before = TableState(*TableState._fields)._replace(running=game, turn=5)  # type: ignore[arg-type]
    bet = Bet(1, "ann", HOUSE, 100)
    after = evolve(before, factories.bet_accepted("t1-000001", bet))
    assert after == before._replace(running=game._replace(book=BOOK._replace(bets=(bet,))))
    said = ActionTaken(action="P", game="t1-000001")
    acted = evolve(before, said)
    played = game._replace(deal=apply(deal, PROPOSE), made=(1, 0))
    assert acted == before._replace(turn=6, running=played)
