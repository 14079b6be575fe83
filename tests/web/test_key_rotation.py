"""Key rotation in the browser: a new key is accepted only if the old one has signed for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from casino.ledger.entries import encode
from casino.ledger.tlog.key_rotation import make_rotation
from casino.ledger.tlog.note import PublicKey, SigningKey, verify_receipt
from casino.web.backend import queries
from tests.cli.logs import KEY, ShownLog
from tests.ledger.game_simulator import open_ledger
from tests.web.test_scripts import node
from tests.web.test_verify import SCRIPTS

NEXT, LAST, THIEF = (
    SigningKey.from_seed("ecarte-casino", bytes([number]) * 32) for number in (2, 3, 4)
)
ALARM = {
    "alarm": "The house signs with another key than before: ask who runs it, "
    "then clear this site's data."
}


def run_script(*cases: dict[str, Any]) -> list[dict[str, Any]]:
    run = node(SCRIPTS / "keys.mjs", given="".join(json.dumps(case) + "\n" for case in cases))
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def shown(known: SigningKey, key: SigningKey, *proofs: str, **more: Any) -> dict[str, Any]:
    return {"known": known.public.text(), "key": key.public.text(), "handed_on": proofs, **more}


def follows(key: SigningKey, notes: int) -> dict[str, Any]:
    """Return the result of accepting a key, with the number of notes kept."""
    return {"key": key.public.text(), "notes": notes}


def rotate_key(log: ShownLog, old: SigningKey, new: SigningKey) -> str:
    log.leaves.append(
        encode(replace(make_rotation(len(log.leaves), old, new), at=1_700_000_000_000))
    )
    log.key = new
    return log.proof(len(log.leaves) - 1)


def a_log() -> ShownLog:
    log = ShownLog()
    log.add(type="game_opened", game="t1-000001")
    log.add(type="seat")
    return log


def test_a_browser_follows_proven_key_rotations() -> None:
    log = a_log()
    proofs = [rotate_key(log, KEY, NEXT)]
    log.add(type="seat")
    proofs.append(rotate_key(log, NEXT, LAST))
    found = run_script(
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
    proof = rotate_key(log, KEY, NEXT)
    theirs = make_rotation(2, NEXT, THIEF)
    forged = replace(theirs, at=1, old=KEY.public.text(), old_signature=theirs.new_signature)
    by_itself = a_log()
    by_itself.leaves.append(encode(forged))
    by_itself.key = THIEF
    elsewhere, not_signed, stranger = a_log(), a_log(), a_log()
    elsewhere.leaves += [b"{}", log.leaves[-1]]
    elsewhere.key = NEXT
    rotate_key(not_signed, KEY, NEXT)
    not_signed.key = THIEF
    found = run_script(
        shown(KEY, THIEF, by_itself.proof(2)),
        shown(KEY, NEXT, elsewhere.proof(3)),
        shown(KEY, NEXT, not_signed.proof(2)),
        shown(KEY, THIEF, rotate_key(stranger, NEXT, THIEF)),
        shown(KEY, THIEF, proof),
        shown(KEY, NEXT),
        shown(NEXT, KEY, proof),
    )
    assert found == [ALARM] * len(found)
    unlogged = proof.replace(proof.split("\n")[1], by_itself.proof(2).split("\n")[1])
    longer = ShownLog(*log.leaves, b"{}").note()
    damaged, cut, shorter = run_script(
        shown(KEY, NEXT, unlogged),
        shown(KEY, NEXT, proof[:40]),
        shown(KEY, NEXT, proof, notes=[longer]),
    )
    assert damaged == {"alarm": "The house has not proved that its key was changed."}
    assert cut == {"alarm": "something is missing at the end"}
    assert shorter == {"alarm": "The house shows less than it had signed before."}


def test_old_receipts_are_checked_with_the_key_of_their_time() -> None:
    log = a_log()
    before = log.proof(0)
    proofs = [rotate_key(log, KEY, NEXT)]
    log.add(type="seat")
    after, thiefs = log.proof(0), ShownLog(*log.leaves, key=KEY).proof(0)
    stranger = rotate_key(a_log(), THIEF, LAST)
    found = run_script(
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
    assert run_script(shown(first, bank.key, proof)) == [follows(bank.key, 1)]
    bank.close()
