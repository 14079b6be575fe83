"""Witness cosignatures of checkpoints, in C2SP's `tlog-cosignature` format.

A witness checks that each checkpoint of a log extends the one before, and cosigns it with the time.
A log can thus show different histories to different people only with the help of its witnesses.

>>> from casino.ledger.tlog.note import COSIGNATURE, sign_checkpoint
>>> log = SigningKey.from_seed("example.org/casino", bytes(32))
>>> witness = SigningKey.from_seed("example.org/witness", bytes(range(32)), COSIGNATURE)
>>> note = sign_checkpoint(log, 0, bytes(32))
>>> cosigning_times(note + cosign(witness, note, 1_700_000_000), [witness.public])
{'example.org/witness': 1700000000}
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from casino.errors import FileError
from casino.ledger.tlog.note import DASH, PublicKey, SigningKey, is_signed, signatures_by, to_base64

_TIME_BYTES: Final = 8


def cosign(key: SigningKey, note: str, at_seconds: int) -> str:
    """Return the signature line that a witness adds to a checkpoint."""
    time = at_seconds.to_bytes(_TIME_BYTES, "big")
    signature = key.secret.sign(_message(note, at_seconds).encode())
    return f"{DASH}{key.name} {to_base64(key.public.key_id + time + signature)}\n"


def cosigning_times(note: str, witnesses: Iterable[PublicKey]) -> dict[str, int]:
    """Return each witness's cosigning time in seconds; raise `FileError` if one is invalid."""
    times: dict[str, int] = {}
    for witness in witnesses:
        for signature in signatures_by(note, witness):
            time = int.from_bytes(signature[:_TIME_BYTES], "big")
            if not is_signed(witness, signature[_TIME_BYTES:], _message(note, time)):
                raise FileError(f"the cosignature of {witness.name} is invalid")
            times[witness.name] = time
    return times


def check_quorum(note: str, witnesses: Sequence[PublicKey], quorum: int) -> dict[str, int]:
    """Return `cosigning_times`; raise `FileError` if fewer distinct keys than `quorum` signed."""
    times = cosigning_times(note, witnesses)
    keys = {witness.raw for witness in witnesses if witness.name in times}
    if len(keys) < quorum:
        names = ", ".join(times) or "none"
        text = f"{len(times)} of {len(witnesses)} known witnesses cosigned it ({names})"
        if len(keys) < len(times):
            text += f" by {len(keys)} key" + "s" * (len(keys) > 1)
        raise FileError(f"{text}, but {quorum} are needed: try again later, or lower the quorum")
    return times


def with_cosignatures(note: str, lines: Iterable[str], witness: PublicKey) -> str:
    """Verify a witness's own cosignature lines, and return the checkpoint with them added."""
    mine = [line for line in lines if line.startswith(f"{DASH}{witness.name} ")]
    added = note + "".join(f"{line}\n" for line in mine if f"{line}\n" not in note)
    if witness.name not in cosigning_times(added, [witness]):
        raise FileError(f"{witness.name} answered without its own cosignature")
    return added


def _message(note: str, at_seconds: int) -> str:
    body = note.partition("\n\n")[0]
    return f"cosignature/v1\ntime {at_seconds}\n{body}\n"
