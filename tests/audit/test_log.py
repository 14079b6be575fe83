"""L18: names, what happens to a seat, and how a log begins are among those listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from casino.audit.check import RunningGames
from casino.audit.checks.log import OrderCheck
from casino.events import factories
from casino.events.types import BetAccepted, CutSealed, SeatChanged
from casino.ledger.entries import Leaf, LogOpened, RunStarted, RunStopped
from casino.ledger.transaction import Answer, Transaction
from tests.audit.test_forgeries import found_after

SEAL = "0" * 64


def seat(player: str, what: str) -> SeatChanged:
    return SeatChanged(player=player, table="t1", what=what)


def bet(player: str, seal: str | None = None) -> BetAccepted:
    return BetAccepted(
        game="t1-000001", order=1, player=player, seal=seal, side="house", unit_cents=100
    )


def opened(version: int) -> LogOpened:
    return LogOpened(key="k", name="casino", version=version)


LEAVES: dict[str, tuple[Leaf, str]] = {
    "a queue": (seat("ann", "queued"), ""),
    "a seat taken": (seat("ann", "seated"), ""),
    "a seat left": (seat("ann", "left"), ""),
    "a dance": (seat("ann", "danced"), "'danced' is nothing that happens to a seat"),
    "nothing": (seat("ann", ""), "'' is nothing that happens to a seat"),
    "a seat of the house": (seat("house", "queued"), "'house' cannot be a player's name"),
    "a name with a slash": (seat("a/b", "queued"), "'a/b' cannot be a player's name"),
    "a name that is too long": (seat("a" * 41, "queued"), "cannot be a player's name"),
    "the longest name": (seat("a" * 40, "queued"), ""),
    "no name": (factories.limit_set("", {"day_loss_cents": 5}, 0), "'' cannot be a player's name"),
    "a name with spaces around it": (
        CutSealed(game="t1-000001", player=" ann", seal=SEAL), "' ann' cannot be a player's name"
    ),
    "a name with a line in it": (
        factories.limit_set("a\nb", {"day_loss_cents": 5}, 0), "cannot be a player's name"
    ),
    "a text of a simulated spectator": (
        CutSealed(game="t1-000001", player="Léa*", seal=SEAL), "'Léa*' is simulated, and seals"
    ),
    "a bet of a simulated spectator with a text": (
        bet("Léa*", seal=SEAL), "'Léa*' is simulated, and seals a text"
    ),
    "a bet of a simulated spectator": (bet("Léa*"), ""),
    "a bet of a person with a text": (bet("ann", seal=SEAL), ""),
    "a second beginning": (opened(3), "the log begins a second time"),
    "a version that is not known": (opened(9), "version 9 of the log is not known"),
}  # fmt: skip


@pytest.mark.parametrize("name", LEAVES)
def test_l18_what_is_not_listed_is_found(tmp_path: Path, name: str) -> None:
    """Though the casino's own program has written and signed it; what is listed is no fault."""
    leaf, said = LEAVES[name]

    def work(tx: Transaction) -> Answer:
        return {"leaf": tx.log(leaf)}

    found = [line for line in found_after(tmp_path, work) if line.startswith("rules")]
    assert len(found) >= (said != "")
    assert any(said in line for line in found) is (said != "")


START, STOP, LEAF = RunStarted(at=5), RunStopped(at=5), seat("ann", "queued")


@pytest.mark.parametrize(
    ("leaves", "found"),
    [
        ([opened(3), START, LEAF], []),
        ([opened(3), LEAF, LEAF], [1]),
        ([opened(3), START, LEAF, STOP, START, LEAF], []),
        ([opened(3), START, STOP, LEAF, START], [3]),
        ([opened(3), START, STOP, STOP, START], [3]),
        ([opened(3), START, START, LEAF, STOP], []),
    ],
)
def test_every_leaf_is_written_while_a_program_runs(leaves: list[Leaf], found: list[int]) -> None:
    """From its start to its stop; one that is killed says no stop."""
    order = OrderCheck(RunningGames())
    told = [one for n, leaf in enumerate(leaves) for one in order.on_event(n, leaf)]
    assert [one.leaf for one in told if one.check == "rules"] == found


def test_l19_time_never_goes_back() -> None:
    order = OrderCheck(RunningGames())
    told = [
        one for n, at in enumerate((1, 1, 0, 3)) for one in order.on_event(n, RunStarted(at=at))
    ]
    assert [(one.text, one.leaf) for one in told] == [("time goes back", 2)]
