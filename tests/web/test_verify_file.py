"""The verifier agrees with the casino on all files that it gives out, and on changes of its key."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from casino.audit import ExportSource, audit
from casino.betting import BettingRules, Cover
from casino.errors import FileError
from casino.ledger.entries import encode
from casino.ledger.tlog.key_rotation import make_rotation
from casino.ledger.tlog.note import PublicKey, SigningKey, verify_receipt
from casino.reports.export import export
from casino.web.backend import queries
from tests.cli.logs import KEY, LAST, NEXT, THIEF, ShownLog
from tests.ledger.game_simulator import GameSimulator, open_ledger
from tests.web.server import JsonObject
from tests.web.test_scripts import node_lines
from tests.web.test_verify import receipts

Change = Callable[[JsonObject], object]


def checked(key: str, *files: Path) -> list[JsonObject]:
    """Return the verifier's findings for some files."""
    return node_lines("saved_file.mjs", key, *files)


LAWS = [
    BettingRules(),
    BettingRules(matching="last_in_first_out", commission_base="gross"),
    BettingRules(gallery_stakes="single", commission_bp=333, principal_commission_bp=250),
]


def write(file: Path, *lines: str) -> Path:
    file.write_text("".join(lines), "utf-8")
    return file


@pytest.fixture(scope="module")
def ledger_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games under several laws, a void one, one that is not over, and a key rotation."""
    path = tmp_path_factory.mktemp("ledger_path") / "casino.db"
    bank = open_ledger(path)
    for seed, (gallery, cover) in enumerate(product(LAWS, (Cover(), Cover(50_000, 50_000)))):
        table = GameSimulator(bank, seed, f"t{seed}", gallery=gallery, cover=cover, bettors=7)
        table.play_game()
        table.play_game("void")
    bank.rotate_key()
    bank = open_ledger(path)
    GameSimulator(bank, 9, "last").play_game()
    GameSimulator(bank, 10, "open").play_game("open")
    bank.close()
    return path


@pytest.fixture(scope="module")
def lines(ledger_path: Path) -> list[str]:
    return list(export(ledger_path, "jsonl"))


def test_verifier_and_audit_agree_on_an_export(ledger_path: Path, lines: list[str]) -> None:
    file = write(ledger_path.with_name("export.jsonl"), *lines)
    report = audit(ExportSource(file), workers=1)
    assert report.is_clean
    root = b64encode(bytes.fromhex(report.root)).decode()
    whole = {"kind": "export", "wrong": [], "faults": 0, "games": report.games, "root": root}
    key = Path(f"{ledger_path}.pub").read_text("ascii").strip()
    assert checked(key, file) == [{**whole, "signed": True}]
    assert checked("", file) == [{**whole, "signed": None}]
    (stranger,) = checked(KEY.public.text(), file)
    assert (stranger["wrong"], stranger["signed"]) == (["foreign"], False)


def forged(lines: list[str], kind: str, change: Change) -> list[str]:
    """Return an export with the first leaf of a kind changed."""
    for at, line in enumerate(lines):
        outer = json.loads(line)
        leaf = json.loads(outer.get("leaf", "{}"))
        if leaf.get("type") == kind:
            change(leaf)
            outer["leaf"] = json.dumps(leaf, separators=(",", ":"))
            return [*lines[:at], json.dumps(outer) + "\n", *lines[at + 1 :]]
    raise AssertionError(f"no leaf of type {kind}")


FORGED: list[tuple[str, Change, str]] = [
    ("bet", lambda leaf: leaf.update(unit_cents=101), "balance"),
    ("bet", lambda leaf: leaf.update(order=2), "book"),
    ("turned_up", lambda leaf: leaf.update(card=leaf["card"][::-1]), "turn-up"),
    ("terms", lambda leaf: leaf["gallery"].update(commission_bp=9), "balance"),
    ("game_over", lambda leaf: leaf.update(exchanges=["7S"] * 9), "exchanges"),
    ("game_over", lambda leaf: leaf.update(server_seed="0" * 64), "commitment"),
    ("game_over", lambda leaf: leaf.update(stake=7), "result"),
    ("cut_opened", lambda leaf: leaf.update(text="x"), "seals"),
    ("betting_closed", lambda leaf: leaf.update(withheld=[9]), "seals"),
    ("betting_closed", lambda leaf: leaf.update(matched_cents=1), "matching"),
    ("betting_closed", lambda leaf: leaf.update(cut="0" * 64), "cut"),
    ("book_locked", lambda leaf: leaf.update(seals=9), "book"),
    ("seed_chain", lambda leaf: leaf.update(anchor="0" * 64), "chain"),
    ("game_opened", lambda leaf: leaf.update(commitment="0" * 64), "chain"),
    ("dealt", lambda leaf: leaf.update(dealer="x"), "play"),
    ("dealt", lambda leaf: leaf.update(deal=2), "turn-up"),
    ("entry", lambda leaf: leaf.update(postings=[["treasury", 5]]), "entry"),
    ("entry", lambda leaf: leaf.update(entry=2), "entry"),
    ("key_rotated", lambda leaf: leaf.update(new=KEY.public.text()), "key"),
]


def test_forged_leaves_are_reported(lines: list[str], tmp_path: Path) -> None:
    files = [
        write(tmp_path / f"{at}.jsonl", *forged(lines, kind, change))
        for at, (kind, change, _) in enumerate(FORGED)
    ]
    for found, (kind, _, what) in zip(checked("", *files), FORGED, strict=True):
        assert {what, "tree"} <= set(found["wrong"]), kind


def test_changed_characters_are_reported(lines: list[str], tmp_path: Path) -> None:
    note = next(at for at, line in enumerate(lines) if '"checkpoint"' in line)
    root = lines[note].index("=")
    leaf = next(at for at, line in enumerate(lines) if '"n":2,' in line)

    def changed(at: int, line: str) -> list[str]:
        assert line != lines[at]
        return [*lines[:at], line, *lines[at + 1 :]]

    changes = {
        "number": changed(leaf, lines[leaf].replace('"n":2', '"n":3', 1)),
        "leaf": changed(leaf, lines[leaf].replace("bank_cents", "bank_cemts", 1)),
        "brace": changed(leaf, lines[leaf][1:]),
        "root": changed(note, flip(lines[note], root - 9)),
        "signature": changed(note, flip(lines[note], root + 90)),
        "gone": [*lines[:leaf], *lines[leaf + 1 :]],
    }
    files = [write(tmp_path / name, *those) for name, those in changes.items()]
    found = dict(zip(changes, checked("", *files), strict=True))
    assert {name: one["wrong"][0] for name, one in found.items()} == {
        "number": "number", "leaf": "tree", "brace": "line",
        "root": "tree", "signature": "signature", "gone": "number",
    }  # fmt: skip
    unsigned = [line for line in lines if '"checkpoint"' not in line]
    (bare,) = checked(KEY.public.text(), write(tmp_path / "unsigned", *unsigned))
    assert bare["signed"] is None
    assert found["signature"]["faults"] == found["root"]["faults"] == 1


def flip(text: str, at: int) -> str:
    return text[:at] + ("B" if text[at] != "B" else "C") + text[at:][1:]


def spoil(record: JsonObject, *path: str | int, value: object) -> str:
    """Return a record with one value replaced, indented over many lines."""
    whole = inner = json.loads(json.dumps(record))
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(whole, indent=1)


def test_records_are_checked_without_a_log(ledger_path: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "games.jsonl", *export(ledger_path, "egr"))
    record = json.loads(file.read_text("utf-8").splitlines()[0])
    deck = record["deals"][0]["deck"]
    spoilt = {
        "commitment": spoil(record, "fairness", "commitment", value="0" * 64),
        "cut": spoil(record, "fairness", "cuts", value=[["ann", "x"]]),
        "deck": spoil(record, "deals", 0, "deck", value=deck[2:] + deck[:2]),
        "play": spoil(record, "deals", 0, "actions", value="K"),
        "result": spoil(record, "result", "stake", value=7),
        "game": spoil(record, "fairness", "server_seed", value="x"),
        "seed": spoil(record, "fairness", value={}),
    }
    good, *bad = checked("", file, *(write(tmp_path / what, one) for what, one in spoilt.items()))
    assert good == {
        "kind": "record", "wrong": [], "faults": 0, "signed": False, "games": 7, "root": "",
    }  # fmt: skip
    for what, found in zip(spoilt, bad, strict=True):
        assert what in found["wrong"]


def test_receipts_are_checked_with_and_without_a_key(tmp_path: Path) -> None:
    good, key = receipts(tmp_path / "casino.db")
    assert len(good) > 10
    lines, text = good[0].splitlines(keepends=True), good[0]
    middles = [text.index(line) + len(line) // 2 for line in lines if len(line) > 1]
    texts = [*good, text + "\n", text[:100], *(flip(text, at) for at in middles)]
    files = [write(tmp_path / f"{n}.tlog-proof", text) for n, text in enumerate(texts)]
    found = checked(key, *files)
    whole = len(good) + 1
    assert [one.get("signed") for one in found] == [True] * whole + [None] * (len(files) - whole)
    for file, one in zip(files[whole:], found[whole:], strict=True):
        assert one["error"]
        with pytest.raises(FileError):
            verify_receipt(file.read_text("utf-8"), PublicKey.parse(key))
    assert checked("", files[0])[0]["signed"] is None
    assert checked(KEY.public.text(), files[0]) == [{"error": "The signature is not the casino's."}]


def test_other_files_are_refused(tmp_path: Path) -> None:
    key = write(tmp_path / "casino.db.pub", KEY.public.text() + "\n")
    other, known = checked("", write(tmp_path / "x", "x"), key)
    assert other == {"error": "This is not a record, receipt, export or key of a casino."}
    assert known["kind"] == "key"


ALARM = {
    "alarm": "The casino signs with another key than before: ask who runs it, "
    "then clear this site's data."
}


def browse(*cases: dict[str, Any]) -> list[dict[str, Any]]:
    return node_lines("keys.mjs", given=cases)


def shown(known: SigningKey, key: SigningKey, *proofs: str, **more: Any) -> dict[str, Any]:
    return {"known": known.public.text(), "key": key.public.text(), "handed_on": proofs, **more}


def follows(key: SigningKey, notes: int) -> dict[str, Any]:
    """Return the result of accepting a key, with the number of notes kept."""
    return {"key": key.public.text(), "notes": notes}


def a_log() -> ShownLog:
    log = ShownLog()
    log.add(type="game_opened", game="t1-000001")
    log.add(type="seat")
    return log


def test_a_browser_follows_proven_key_rotations() -> None:
    log = a_log()
    proofs = [log.rotate_key(KEY, NEXT)]
    log.add(type="seat")
    proofs.append(log.rotate_key(NEXT, LAST))
    found = browse(
        shown(KEY, LAST, *proofs),
        shown(NEXT, LAST, *proofs),
        shown(LAST, LAST, *proofs),
        shown(KEY, KEY),
        shown(KEY, LAST, *proofs, notes=[a_log().note()]),
    )
    assert found == [
        follows(LAST, 2), follows(LAST, 1), follows(LAST, 0), follows(KEY, 0), follows(LAST, 3),
    ]  # fmt: skip


def test_a_browser_rejects_unproven_keys() -> None:
    log = a_log()
    proof = log.rotate_key(KEY, NEXT)
    theirs = make_rotation(2, NEXT, THIEF)
    forged = replace(theirs, at=1, old=KEY.public.text(), old_signature=theirs.new_signature)
    by_itself = a_log()
    by_itself.leaves.append(encode(forged))
    by_itself.key = THIEF
    elsewhere, not_signed, stranger = a_log(), a_log(), a_log()
    elsewhere.leaves += [b"{}", log.leaves[-1]]
    elsewhere.key = NEXT
    not_signed.rotate_key(KEY, NEXT)
    not_signed.key = THIEF
    found = browse(
        shown(KEY, THIEF, by_itself.proof(2)),
        shown(KEY, NEXT, elsewhere.proof(3)),
        shown(KEY, NEXT, not_signed.proof(2)),
        shown(KEY, THIEF, stranger.rotate_key(NEXT, THIEF)),
        shown(KEY, THIEF, proof),
        shown(KEY, NEXT),
        shown(NEXT, KEY, proof),
    )
    assert found == [ALARM] * len(found)
    unlogged = proof.replace(proof.split("\n")[1], by_itself.proof(2).split("\n")[1])
    longer = ShownLog(*log.leaves, b"{}").note()
    damaged, cut, shorter = browse(
        shown(KEY, NEXT, unlogged),
        shown(KEY, NEXT, proof[:40]),
        shown(KEY, NEXT, proof, notes=[longer]),
    )
    assert damaged == {"alarm": "The casino has not proved that its key was changed."}
    assert cut == {"alarm": "something is missing at the end"}
    assert shorter == {"alarm": "The casino shows less than it had signed before."}


def test_old_receipts_are_checked_with_the_key_of_their_time() -> None:
    log = a_log()
    before = log.proof(0)
    proofs = [log.rotate_key(KEY, NEXT)]
    log.add(type="seat")
    after, thiefs = log.proof(0), ShownLog(*log.leaves, key=KEY).proof(0)
    stranger = a_log().rotate_key(THIEF, LAST)
    found = browse(
        shown(NEXT, NEXT, *proofs, receipt=before),
        shown(NEXT, NEXT, *proofs, receipt=after),
        shown(NEXT, NEXT, *proofs, receipt=thiefs),
        shown(NEXT, NEXT, stranger, receipt=before),
    )
    keys = (KEY, NEXT, NEXT, NEXT)
    assert found == [{"key": key.public.text()} for key in keys]


def test_a_casino_proves_each_key_rotation(tmp_path: Path) -> None:
    bank = open_ledger(tmp_path / "casino.db")
    first = bank.key
    bank.close()
    bank = open_ledger(tmp_path / "casino.db")
    assert queries.checkpoint(bank.reader())["handed_on"] == []
    bank.rotate_key()
    bank = open_ledger(tmp_path / "casino.db")
    (proof,) = queries.checkpoint(bank.reader())["handed_on"]
    leaf = json.loads(verify_receipt(proof, None)[0].leaf)
    assert (leaf["old"], leaf["new"]) == (first.public.text(), bank.key.public.text())
    assert PublicKey.parse(leaf["new"]) == bank.key.public
    assert browse(shown(first, bank.key, proof)) == [follows(bank.key, 1)]
    bank.close()
