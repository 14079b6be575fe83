"""A bettor's contribution against honest and lying casinos: nothing early, no deception unseen."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import click
import pytest
from msgspec.structs import replace

from casino.client.client import CasinoClient
from casino.client.contribution import OUTCOMES, ContributionKeeper, ContributionReveal
from casino.client.table_watcher import TableWatcher
from casino.errors import DeceptionError, RefusalReason, Refused
from casino.fairness import check_contribution, commitment_to
from casino.ledger.entries import encode
from casino.ledger.tlog.key_rotation import make_rotation
from casino.ledger.tlog.merkle import leaf_hash
from casino.ledger.tlog.note import SigningKey
from tests.cli.logs import KEY, LAST, NEXT, THIEF, ShownLog

GAME = "t1-000001"
NUMBERS = count()


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def new_keeper(file: Path | None = None) -> ContributionKeeper:
    made = ContributionKeeper(file or Path(f"{next(NUMBERS)}.json"))
    made.check_key(KEY.public.text())
    return made


def a_log() -> ShownLog:
    log = ShownLog()
    log.add(type="game_opened", game=GAME)
    log.add(type="bet", game=GAME, player="ann")
    return log


def locked_log() -> tuple[ShownLog, str]:
    log = a_log()
    return log, log.proof(log.add(type="book_locked", game=GAME, seals=1))


def test_no_text_is_revealed_without_a_lock_of_its_book() -> None:
    ann, log = new_keeper(), a_log()
    ann.commit(GAME, "ann")
    other = log.add(type="book_locked", game="t1-000002", seals=1)
    for index in (0, 1, other):
        with pytest.raises(DeceptionError, match="does not show that this book is locked"):
            ann.reveal(GAME, log.proof(index))
    assert ann.state(GAME) == "sealed"


def test_a_lock_outside_the_signed_log_is_rejected() -> None:
    ann, (log, proof) = new_keeper(), locked_log()
    ann.commit(GAME, "ann")
    unlogged = log.proof(1).replace(log.proof(1).split("\n")[1], proof.split("\n")[1])
    other_key = SigningKey.from_seed("ecarte-casino", bytes([1]) * 32)
    forged = ShownLog(*log.leaves, key=other_key).proof(2)
    broken = proof[:-10] + ("A" if proof[-10] != "A" else "B") + proof[-9:]
    for false in (unlogged, forged, broken, "", "x\n\ny"):
        with pytest.raises(DeceptionError, match="the proof that the book is locked is invalid"):
            ann.reveal(GAME, false)
    assert ann.state(GAME) == "sealed"


def test_a_shorter_or_forked_log_is_detected_before_revealing() -> None:
    ann, (log, proof) = new_keeper(), locked_log()
    ann.commit(GAME, "ann")
    longer = ShownLog(*log.leaves)
    longer.add(type="seat")
    ann.check_consistency(longer.note(), longer.subtrees)
    with pytest.raises(DeceptionError, match="shorter log than before") as caught:
        ann.reveal(GAME, proof)
    assert longer.note() in str(caught.value) and log.note() in str(caught.value)
    ann = new_keeper()
    ann.commit(GAME, "ann")
    other = a_log()
    other.add(type="bet", player="eve")
    ann.check_consistency(other.note(), other.subtrees)
    with pytest.raises(DeceptionError, match="a different log than before"):
        ann.reveal(GAME, proof)
    assert ann.state(GAME) == "sealed"


def test_two_versions_of_a_book_are_detected_after_the_game() -> None:
    ann, (_, proof) = new_keeper(), locked_log()
    ann.commit(GAME, "ann")
    ann.reveal(GAME, proof)
    public = a_log()
    public.add(type="bet", game=GAME, player="puppet")
    public.add(type="book_locked", game=GAME, seals=1)
    public.add(type="game_over", game=GAME)
    with pytest.raises(DeceptionError, match="different log than before; both signed") as caught:
        ann.check_consistency(public.note(), public.subtrees)
    assert public.note() in str(caught.value) and proof.partition("\n\n")[2] in str(caught.value)


def test_a_proven_key_rotation_is_followed(tmp_path: Path) -> None:
    file = tmp_path / "cuts.json"
    ann, log = new_keeper(file), a_log()
    ann.check_consistency(log.note(), log.subtrees)
    ann.commit(GAME, "ann")
    proofs = [log.rotate_key(KEY, NEXT)]
    log.add(type="seat")
    proofs.append(log.rotate_key(NEXT, LAST))
    ann.check_key(LAST.public.text(), proofs)
    ann.check_consistency(log.note(), log.subtrees)
    again = ContributionKeeper(file)
    again.check_key(LAST.public.text(), proofs)
    again.reveal(GAME, log.proof(log.add(type="book_locked", game=GAME, seals=1)))
    again.check_consistency(log.note(), log.subtrees)
    with pytest.raises(DeceptionError, match="a different key than before"):
        again.check_key(KEY.public.text(), proofs)
    log.key = NEXT
    with pytest.raises(DeceptionError, match="checkpoint is invalid"):
        again.check_consistency(log.note(), log.subtrees)


def test_an_unproven_key_is_rejected() -> None:
    honest = a_log()
    proof = honest.rotate_key(KEY, NEXT)
    by_itself, theirs = a_log(), make_rotation(2, NEXT, THIEF)
    forged = replace(theirs, at=1, old=KEY.public.text(), old_signature=theirs.new_signature)
    by_itself.leaves.append(encode(forged))
    by_itself.key = THIEF
    elsewhere, stranger = a_log(), a_log()
    elsewhere.leaves = [*elsewhere.leaves, b"{}", honest.leaves[-1]]
    elsewhere.key = NEXT
    not_signed = a_log()
    not_signed.rotate_key(KEY, NEXT)
    not_signed.key = THIEF
    unlogged = proof.replace(proof.split("\n")[1], by_itself.proof(2).split("\n")[1])
    cases = [
        (THIEF, [by_itself.proof(2)], "has not signed this rotation"),
        (NEXT, [elsewhere.proof(3)], "has not signed this rotation"),
        (NEXT, [not_signed.proof(2)], "is not signed by the key"),
        (NEXT, [unlogged], "is not covered by the root"),
        (NEXT, ["nonsense"], "a receipt begins"),
        (THIEF, [stranger.rotate_key(NEXT, THIEF)], "shows a different key than before"),
        (THIEF, [proof], "shows a different key than before"),
        (NEXT, [], "shows a different key than before"),
    ]
    for key, proofs, said in cases:
        ann = new_keeper()
        with pytest.raises(DeceptionError, match=said):
            ann.check_key(key.public.text(), proofs)


def test_a_key_rotation_shown_to_one_bettor_is_detected() -> None:
    ann, log = new_keeper(), a_log()
    ann.check_key(NEXT.public.text(), [log.rotate_key(KEY, NEXT)])
    public = a_log()
    public.add(type="bet", game=GAME, player="puppet")
    public.key = NEXT
    public.add(type="game_over", game=GAME)
    with pytest.raises(DeceptionError, match="a different log than before"):
        ann.check_consistency(public.note(), public.subtrees)
    shorter = new_keeper()
    longer = ShownLog(*public.leaves, b"{}")
    shorter.check_consistency(longer.note(), longer.subtrees)
    with pytest.raises(DeceptionError, match="shorter log than before"):
        shorter.check_key(NEXT.public.text(), [a_log().rotate_key(KEY, NEXT)])


def test_state_survives_in_a_private_file(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "cuts.json"
    ann, (log, proof) = new_keeper(file), locked_log()
    seal = ann.commit(GAME, "ann")
    assert file.stat().st_mode & 0o777 == 0o600
    again = new_keeper(file)
    assert again.commit(GAME, "ann") == seal
    again.reveal(GAME, proof)
    third = new_keeper(file)
    assert third.state(GAME) == "opened"
    with pytest.raises(DeceptionError, match="shorter log"):
        third.check_consistency(log.note(1), log.subtrees)
    assert file.stat().st_mode & 0o777 == 0o600


def test_two_processes_of_a_name_share_a_text_and_keep_each_others(tmp_path: Path) -> None:
    file, other = tmp_path / "cuts.json", "t2-000001"
    ann, again = new_keeper(file), new_keeper(file)
    assert ann.commit(GAME, "ann") == again.commit(GAME, "ann")
    log, proof = locked_log()
    again.commit(other, "ann")
    text = ann.reveal(GAME, proof)
    ann.mark_closed(GAME, counted=True)
    again.check_consistency(log.note(), log.subtrees)
    last = new_keeper(file)
    assert (last.state(GAME), last.state(other), last.counted()) == ("counted", "sealed", [GAME])
    last.check_end(GAME, [["ann", text]])


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
        self.void: str | None = None

    def get(self, path: str) -> dict[str, Any]:
        """Return a checkpoint of the whole log, or the record of a finished game."""
        if path in self.no:
            raise Refused(RefusalReason("no", self.no[path], "no"))
        if path == f"/api/games/{GAME}":
            self.records.append(path)
            if self.cuts is None:
                raise Refused(RefusalReason("no", "unknown_game", "no"))
            return {"record": {"fairness": {"cuts": self.cuts}}, "void": self.void}
        shown = {"key": self.key, "checkpoint": self.log.note()}
        return {**shown, "handed_on": self.handed_on}

    def read(self, path: str) -> bytes:
        width = int(path.rpartition(".p/")[2])
        return b"".join(map(leaf_hash, self.log.leaves[:width]))

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


def hear(ann: ContributionReveal, casino: Casino, *events: dict[str, Any]) -> str:
    """Return the state of the text after some events about a table."""
    watcher = TableWatcher(casino, "t1")
    return [ann.handle(event, watcher, GAME, BET) for event in events][-1]


def test_a_text_is_revealed_at_the_lock_and_counted(casino: Casino) -> None:
    ann = ContributionReveal(casino, "ann")
    seal = ann.commit(GAME)["seal"]
    assert hear(ann, casino, {**closing_event(), "game": "t2-000001"}) == ""
    assert hear(ann, casino, casino.lock(), closing_event(3, BET)) == "counted"
    ((kind, asked),) = casino.asked
    assert (kind, asked["table"], asked["game"]) == ("open_cut", "t1", GAME)
    assert commitment_to(GAME, "ann", asked["text"]) == seal
    assert check_contribution(asked["text"]) == asked["text"]
    assert OUTCOMES["counted"] == "Your text counted: no one foresaw the cards of this game."


def test_a_snapshot_makes_up_for_missed_events(casino: Casino) -> None:
    ann = ContributionReveal(casino, "ann")
    ann.commit(GAME)
    snapshot = {"type": "snapshot", "game": GAME, "locked": None, "closed": False}
    assert hear(ann, casino, snapshot) == ""
    locked = {**snapshot, "locked": {"seals": 1}, "proof": casino.lock()["proof"]}
    casino.no["/api/checkpoint"] = "unavailable"
    assert hear(ann, casino, locked) == "" and not casino.asked
    del casino.no["/api/checkpoint"]
    assert hear(ann, casino, locked) == "" and casino.asked
    assert hear(ann, casino, {**locked, "closed": True, "opened": [BET]}) == "counted"
    casino.cuts = [["ben", "x"]]
    over = {**snapshot, "game": "t1-000002"}
    assert hear(ann, casino, over) == "not counted"
    casino.void = "bot_failed"
    assert hear(ann, casino, over) == "void"


def test_a_counted_text_is_verified_in_the_record(casino: Casino) -> None:
    ann = ContributionReveal(casino, "ann")
    ann.commit(GAME)
    assert hear(ann, casino, casino.lock(), closing_event(BET)) == "counted" and not casino.records
    ContributionReveal(casino, "ann")
    casino.no[f"/api/games/{GAME}"] = "rate"
    with pytest.raises(Refused):
        ContributionReveal(casino, "ann")
    del casino.no[f"/api/games/{GAME}"]
    text = casino.asked[0][1]["text"]
    for cuts in ([], [["ben", text]], [["ann", text + "0"]]):
        casino.cuts = cuts
        with pytest.raises(DeceptionError, match="counted your text, but the record lacks it"):
            ContributionReveal(casino, "ann")
    casino.cuts = [["ben", "x"], ["ann", text]]
    for _ in range(2):
        ContributionReveal(casino, "ann")
    assert len(casino.records) == 5


def test_a_new_name_trusts_only_the_key_that_the_address_has_shown(casino: Casino) -> None:
    ContributionReveal(casino, "ann")
    casino.handed_on = [casino.log.rotate_key(KEY, NEXT)]
    casino.key = NEXT.public.text()
    ContributionReveal(casino, "ben")
    casino.log, casino.key, casino.handed_on = ShownLog(key=THIEF), THIEF.public.text(), []
    for _ in range(2):
        with pytest.raises(DeceptionError, match=r"x/\*\.cuts\.json to another folder"):
            ContributionReveal(casino, "cy")


def test_a_late_reveal_is_not_counted(casino: Casino) -> None:
    for code, late in (("betting_closed", True), ("rate", False)):
        casino.no["open_cut"] = code
        ann = ContributionReveal(casino, f"ann-{code}")
        ann.commit(GAME)
        if late:
            assert hear(ann, casino, casino.lock(), closing_event()) == "not counted"
            ContributionReveal(casino, "ann-betting_closed")
            assert not casino.records
        else:
            with pytest.raises(Refused):
                hear(ann, casino, casino.lock(), closing_event())


def test_no_text_is_sent_when_another_log_is_shown(casino: Casino) -> None:
    ann = ContributionReveal(casino, "ann")
    ann.commit(GAME)
    casino.log = ShownLog()
    casino.log.add(type="game_opened", game="t9-000001")
    with pytest.raises(DeceptionError, match="a different log than before"):
        hear(ann, casino, casino.lock())
    assert not casino.asked
