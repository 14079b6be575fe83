"""A browser whose house signs with another key goes on where the old one has signed for that."""

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
from tests.ledger.night import open_bank
from tests.web.test_scripts import node
from tests.web.test_verify import SCRIPTS

NEXT, LAST, THIEF = (
    SigningKey.from_seed("ecarte-casino", bytes([number]) * 32) for number in (2, 3, 4)
)
ALARM = {
    "alarm": "The house signs with another key than before: ask who runs it, "
    "then clear this site's data."
}


def said(*cases: dict[str, Any]) -> list[dict[str, Any]]:
    run = node(SCRIPTS / "keys.mjs", given="".join(json.dumps(case) + "\n" for case in cases))
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def shown(known: SigningKey, key: SigningKey, *proofs: str, **more: Any) -> dict[str, Any]:
    return {"known": known.public.text(), "key": key.public.text(), "handed_on": proofs, **more}


def went_on(key: SigningKey, notes: int) -> dict[str, Any]:
    """The browser goes by this key now, and keeps so many notes."""
    return {"key": key.public.text(), "notes": notes}


def hand_on(log: ShownLog, old: SigningKey, new: SigningKey) -> str:
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


def test_a_browser_follows_the_keys_that_a_log_was_handed_on_to() -> None:
    log = a_log()
    proofs = [hand_on(log, KEY, NEXT)]
    log.add(type="seat")
    proofs.append(hand_on(log, NEXT, LAST))
    found = said(
        shown(KEY, LAST, *proofs),
        shown(NEXT, LAST, *proofs),
        shown(LAST, LAST, *proofs),
        shown(KEY, KEY),
        shown(KEY, LAST, *proofs, notes=[a_log().note()]),
    )
    assert found == [
        went_on(LAST, 2), went_on(LAST, 1), went_on(LAST, 0), went_on(KEY, 0), went_on(LAST, 3),
    ]  # fmt: skip


def test_a_browser_is_not_led_to_a_key_that_the_old_one_has_not_signed_for() -> None:
    log = a_log()
    proof = hand_on(log, KEY, NEXT)
    theirs = make_rotation(2, NEXT, THIEF)
    forged = replace(theirs, at=1, old=KEY.public.text(), old_signature=theirs.new_signature)
    by_itself = a_log()
    by_itself.leaves.append(encode(forged))
    by_itself.key = THIEF
    elsewhere, not_signed, stranger = a_log(), a_log(), a_log()
    elsewhere.leaves += [b"{}", log.leaves[-1]]
    elsewhere.key = NEXT
    hand_on(not_signed, KEY, NEXT)
    not_signed.key = THIEF
    found = said(
        shown(KEY, THIEF, by_itself.proof(2)),
        shown(KEY, NEXT, elsewhere.proof(3)),
        shown(KEY, NEXT, not_signed.proof(2)),
        shown(KEY, THIEF, hand_on(stranger, NEXT, THIEF)),
        shown(KEY, THIEF, proof),
        shown(KEY, NEXT),
        shown(NEXT, KEY, proof),
    )
    assert found == [ALARM] * len(found)
    unlogged = proof.replace(proof.split("\n")[1], by_itself.proof(2).split("\n")[1])
    longer = ShownLog(*log.leaves, b"{}").note()
    damaged, cut, shorter = said(
        shown(KEY, NEXT, unlogged),
        shown(KEY, NEXT, proof[:40]),
        shown(KEY, NEXT, proof, notes=[longer]),
    )
    assert damaged == {"alarm": "The house has not proved that its key was changed."}
    assert cut == {"alarm": "something is missing at the end"}
    assert shorter == {"alarm": "The house shows less than it had signed before."}


def test_old_receipts_are_checked_by_the_key_that_had_to_sign_them() -> None:
    log = a_log()
    before = log.proof(0)
    proofs = [hand_on(log, KEY, NEXT)]
    log.add(type="seat")
    after, thiefs = log.proof(0), ShownLog(*log.leaves, key=KEY).proof(0)
    stranger = hand_on(a_log(), THIEF, LAST)
    found = said(
        shown(NEXT, NEXT, *proofs, receipt=before),
        shown(NEXT, NEXT, *proofs, receipt=after),
        shown(NEXT, NEXT, *proofs, receipt=thiefs),
        shown(NEXT, NEXT, stranger, receipt=before),
    )
    keys = (KEY, NEXT, NEXT, NEXT)
    assert found == [{"key": key.public.text()} for key in keys]


def test_a_casino_proves_each_handing_on(tmp_path: Path) -> None:
    bank = open_bank(tmp_path / "casino.db")
    first = bank.key
    bank.close()
    bank = open_bank(tmp_path / "casino.db")
    assert queries.checkpoint(bank.reader())["handed_on"] == []
    bank.rotate_key()
    bank = open_bank(tmp_path / "casino.db")
    (proof,) = queries.checkpoint(bank.reader())["handed_on"]
    leaf = json.loads(verify_receipt(proof, None)[0].leaf)
    assert (leaf["old"], leaf["new"]) == (first.public.text(), bank.key.public.text())
    assert PublicKey.parse(leaf["new"]) == bank.key.public
    assert said(shown(first, bank.key, proof)) == [went_on(bank.key, 1)]
    bank.close()
