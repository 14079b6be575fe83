"""The casino's file holds no secrets: no future seed, no exchanged card, no master."""

from __future__ import annotations

import base64
import hmac
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from casino import fairness
from casino.ecarte import EXCHANGE, token
from casino.errors import FileError
from casino.table.domain.settings import TableSettings
from casino.table.domain.state import COVER, SEED, ChainState, TableState, current_deal
from casino.table.runtime.seed_chains import LOST_MASTER, SeedKeeper, load_master
from tests.table.casino_harness import exchanged_casino

IDLE = TableState(TableSettings("t1"))


def test_file_and_wal_contain_no_seeds_or_exchanged_cards(tmp_path: Path) -> None:
    harness, said = exchanged_casino(tmp_path / "casino.db", spectators=3)
    assert len(said) > len("XKH")
    assert any(one & EXCHANGE and token(one) == said for one in current_deal(harness.state).history)
    keeper, chain = harness.house.service.seeds, harness.state.chain
    assert chain is not None
    later = [keeper.seed("t1", chain, number) for number in (1, 2, 10_000)]
    found = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"game_opened" in found
    for seed in (*later, keeper._master()):
        for written in (seed, seed.hex().encode(), base64.b64encode(seed).rstrip(b"=")):
            assert written not in found
    for secret in (said.encode(), f"|{said}".encode(), said[1:].encode(), b"777123"):
        assert secret not in found


def test_master_is_created_once_and_readable_by_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    master = load_master(path)
    file = tmp_path / "casino.db.master"
    assert (len(master), load_master(path)) == (32, master)
    assert file.stat().st_mode & 0o777 == 0o600
    assert load_master(tmp_path / "other.db") != master
    for spoilt in ("x", "0" * 63):
        file.write_text(spoilt)
        with pytest.raises(FileError, match="is not a master secret: put a copy back, or move it"):
            load_master(path)


def seeds(master: bytes = bytes(32)) -> SeedKeeper:
    return SeedKeeper(lambda: master, 5)


def test_new_chain_begins_at_start_at_chain_end_and_on_lost_master() -> None:
    first = seeds().chain_to_begin(IDLE)
    assert first is not None
    assert (first.length, first.reason) == (5, "")
    assert first.anchor == fairness.SeedChain(bytes(32), "t1", 1, 5).anchor
    chained = IDLE._replace(chain=ChainState(1, 5, first.anchor, 1))
    assert seeds().chain_to_begin(chained) is None
    assert seeds().chain_to_begin(chained._replace(number=4)) is None
    at_end = seeds().chain_to_begin(chained._replace(number=5))
    assert at_end is not None and at_end.reason == ""
    lost = seeds(b"x" * 32).chain_to_begin(chained)
    assert lost is not None and lost.reason == LOST_MASTER
    assert lost.anchor == fairness.SeedChain(b"x" * 32, "t1", 2, 5).anchor


def test_seed_follows_position_of_game_in_chain() -> None:
    chain = ChainState(1, 5, fairness.SeedChain(bytes(32), "t1", 1, 5).anchor, 3)
    state = IDLE._replace(number=3, chain=chain)
    assert seeds().next_seed(state) == fairness.SeedChain(bytes(32), "t1", 1, 5).seed(2)
    assert seeds().seed("t1", chain, 2) == seeds().next_seed(state)
    assert seeds(b"x" * 32).seed("t1", chain, 2) == b""
    assert seeds().seed("t1", chain, 6) == b""


def test_l22_former_master_reveals_only_seeds_of_its_own_chains() -> None:
    anchor = fairness.SeedChain(b"f" * 32, "t1", 3, 5).anchor
    chain = ChainState(3, 5, anchor, 1)
    for former, seed in (
        (b"f" * 32, fairness.SeedChain(b"f" * 32, "t1", 3, 5).seed(2)),
        (b"x" * 32, b""),
        (b"", b""),
    ):
        restored = SeedKeeper(lambda: bytes(32), 5, lambda former=former: former)  # type: ignore[misc]
        assert restored.former_seed("t1", chain, 2) == seed
        assert restored.seed("t1", chain, 2) == b"", "its own master made another chain"
        assert restored.former_seed("t2", chain, 2) == b""
    assert seeds().former_seed("t1", chain, 2) == b""


# The subject of an offer names the player.
@pytest.mark.parametrize("subject", ["t1-000001", "t1/Zoë"])
def test_secrets_decrypt_only_with_their_master(subject: str) -> None:
    secrets = {SEED: b"s", COVER: b"700", "action 2 5": b"X7H", "abandoned": b"1"}
    kept = seeds().encrypt(subject, secrets)
    assert sorted(kept) == ["abandoned", "action 2 5", "cover"]
    for name, place in (("action 2 5", "2|5"), (COVER, "0|0"), ("abandoned", "0|1")):
        nonce, sealed = kept[name][:12], kept[name][12:]
        assert len(sealed) == len(secrets[name]) + 16
        cipher = ChaCha20Poly1305(hmac.digest(bytes(32), f"file|{subject}".encode(), "sha256"))
        assert cipher.decrypt(nonce, sealed, f"{subject}|{place}".encode()) == secrets[name]
        assert kept[name] != seeds().encrypt(subject, secrets)[name], "a nonce is used once"
    shown = seeds().decrypt(subject, kept)
    assert shown == {name: value for name, value in secrets.items() if name != SEED}
    assert seeds(b"x" * 32).decrypt(subject, kept) == {}
    assert seeds().decrypt("t1-000002", kept) == {}
    box = kept["action 2 5"]
    moved = {"action 1 5": box, "action 2 6": box, "abandoned": box, COVER: box[:9]}
    assert seeds().decrypt(subject, moved) == {}
