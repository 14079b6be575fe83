"""A bettor's contribution to the cut, against a casino that is a log in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from casino.client.client import CasinoClient
from casino.client.contribution import ContributionReveal
from casino.errors import DeceptionError, RefusalReason, Refused
from casino.fairness import commitment_to
from tests.cli.logs import KEY, ShownLog

GAME = "t1-000001"
BET = 7


class Casino(CasinoClient):
    """A client whose requests are answered from a log in this process."""

    def __init__(self) -> None:
        self.url = "http://x"
        self.log = ShownLog()
        self.log.add(type="game_opened", game=GAME)
        self.key = KEY.public.text()
        self.handed_on: list[str] = []
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.no: dict[str, str] = {}
        self.records: list[str] = []
        self.cuts: list[list[str]] | None = None

    def get(self, path: str) -> dict[str, Any]:
        """Return a checkpoint of the whole log, or the record of a finished game."""
        if path in self.no:
            raise Refused(RefusalReason("no", self.no[path], "no"))
        if path == f"/api/games/{GAME}":
            self.records.append(path)
            if self.cuts is None:
                raise Refused(RefusalReason("no", "unknown_game", "no"))
            return {"record": {"fairness": {"cuts": self.cuts}}}
        shown = {"key": self.key, "checkpoint": self.log.note()}
        return {**shown, "handed_on": self.handed_on}

    def read(self, path: str) -> bytes:
        width = int(path.rpartition(".p/")[2])
        return b"".join(self.log.subtrees(width).hashes)

    def request(self, message: str, **payload: Any) -> dict[str, Any]:
        self.asked.append((message, payload))
        if message in self.no:
            raise Refused(RefusalReason("no", self.no[message], "no"))
        return {}

    def lock(self) -> dict[str, Any]:
        proof = self.log.proof(self.log.add(type="book_locked", game=GAME, seals=1))
        return {"type": "book_locked", "game": GAME, "proof": proof}


@pytest.fixture
def casino(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Casino:
    """A casino, and an empty folder for the bettors' texts."""
    monkeypatch.setattr(click, "get_app_dir", lambda _: str(tmp_path))
    return Casino()


def closing_event(*opened: int) -> dict[str, Any]:
    """Return the event that closes the book, with the bets whose texts were opened."""
    return {"type": "betting_closed", "game": GAME, "opened": list(opened)}


def test_a_text_is_revealed_at_the_lock_and_counted(casino: Casino) -> None:
    ann = ContributionReveal(casino, "ann")
    seal = ann.commit(GAME)["seal"]
    ann.on_event({"type": "betting_closed", "game": "t2-000001", "opened": []})
    ann.on_event(casino.lock())
    ann.on_event(closing_event(3, BET))
    assert ann.wait_until_closed("t1", GAME, BET) == "counted"
    ((kind, asked),) = casino.asked
    assert (kind, asked["table"], asked["game"]) == ("open_cut", "t1", GAME)
    assert commitment_to(GAME, "ann", asked["text"]) == seal
    assert ann.describe("counted") == "Your text counted: no one foresaw the cards of this game."


def test_a_counted_text_is_verified_in_the_record(casino: Casino) -> None:
    ann = ContributionReveal(casino, "ann")
    ann.commit(GAME)
    ann.on_event(casino.lock())
    ann.on_event(closing_event(BET))
    assert ann.wait_until_closed("t1", GAME, BET) == "counted" and not casino.records
    ContributionReveal(casino, "ann")
    casino.no[f"/api/games/{GAME}"] = "rate"
    with pytest.raises(Refused):
        ContributionReveal(casino, "ann")
    del casino.no[f"/api/games/{GAME}"]
    casino.cuts = [["ben", "x"]]
    for _ in range(2):
        with pytest.raises(DeceptionError, match="the record is without it"):
            ContributionReveal(casino, "ann")
    casino.cuts = [["ben", "x"], ["ann", casino.asked[0][1]["text"]]]
    for _ in range(2):
        ContributionReveal(casino, "ann")
    assert len(casino.records) == 4


def test_a_late_reveal_is_not_counted(casino: Casino) -> None:
    for code, late in (("betting_closed", True), ("rate", False)):
        casino.no["open_cut"] = code
        ann = ContributionReveal(casino, f"ann-{code}")
        ann.commit(GAME)
        ann.on_event(casino.lock())
        ann.on_event(closing_event())
        if late:
            assert ann.wait_until_closed("t1", GAME, BET) == "not counted"
        else:
            with pytest.raises(Refused):
                ann.wait_until_closed("t1", GAME, BET)


def test_no_text_is_sent_when_another_log_is_shown(casino: Casino) -> None:
    ann = ContributionReveal(casino, "ann")
    ann.commit(GAME)
    casino.log = ShownLog()
    casino.log.add(type="game_opened", game="t9-000001")
    ann.on_event(casino.lock())
    with pytest.raises(DeceptionError, match="another log than before"):
        ann.wait_until_closed("t1", GAME, BET)
    assert not casino.asked
