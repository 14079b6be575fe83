"""Witnesses of a log: their cosignatures, and the protocol by which they verify and cosign it.

A witness checks that each checkpoint of a log extends the one before, and cosigns it with the time
(C2SP's `tlog-cosignature` and `tlog-witness`). A log can thus show different histories to different
people only with the help of its witnesses. Both sides are implemented here, without network access.

>>> log = SigningKey.from_seed("example.org/casino", bytes(32))
>>> witness = SigningKey.from_seed("example.org/witness", bytes(range(32)), notes.COSIGNATURE)
>>> note = notes.sign_checkpoint(log, 0, bytes(32))
>>> cosigning_times(note + cosign(witness, note, 1_700_000_000), [witness.public])
{'example.org/witness': 1700000000}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from http import HTTPStatus
from typing import Final, NamedTuple

from casino.errors import FileError
from casino.ledger.tlog import note as notes
from casino.ledger.tlog.merkle import EMPTY_ROOT, Hash, parse_hash, verify_consistency
from casino.ledger.tlog.note import DASH, Checkpoint, PublicKey, SigningKey

_TIME_BYTES: Final = 8


class WitnessAddress(NamedTuple):
    """Public key and URL of a witness."""

    key: PublicKey
    address: str


def parse_witnesses(text: str) -> tuple[WitnessAddress, ...]:
    """Parse a comma-separated list of witnesses, each of the form `URL KEY`."""
    addresses = []
    for part in filter(None, map(str.strip, text.split(","))):
        address, _, key = part.partition(" ")
        if not address.startswith(("http://", "https://")) or not key:
            raise FileError(f"{part[:60]!r} is not a URL and a key: write URL KEY")
        addresses.append(WitnessAddress(PublicKey.parse(key, notes.COSIGNATURE), address))
    return tuple(addresses)


def cosign(key: SigningKey, note: str, at_seconds: int) -> str:
    """Return the signature line that a witness adds to a checkpoint."""
    time = at_seconds.to_bytes(_TIME_BYTES, "big")
    signature = key.secret.sign(_message(note, at_seconds).encode())
    return f"{DASH}{key.name} {notes.to_base64(key.public.key_id + time + signature)}\n"


def cosigning_times(note: str, witnesses: Iterable[PublicKey]) -> dict[str, int]:
    """Return each witness's cosigning time in seconds; raise `FileError` if one is invalid."""
    times: dict[str, int] = {}
    for witness in witnesses:
        for signature in notes.signatures_by(note, witness):
            time = int.from_bytes(signature[:_TIME_BYTES], "big")
            if not notes.is_signed(witness, signature[_TIME_BYTES:], _message(note, time)):
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


PATH: Final = "/add-checkpoint"
SIZE_TYPE: Final = "text/x.tlog.size"
TEXT_TYPE: Final = "text/plain; charset=utf-8"
MAX_HASHES: Final = 63


class WitnessRequest(NamedTuple):
    """A checkpoint to cosign, the size cosigned last, and a consistency proof from that size."""

    old: int
    proof: list[Hash]
    note: str

    def text(self) -> str:
        """Return the request body."""
        return "".join(
            [f"old {self.old}\n", *(f"{notes.to_base64(h)}\n" for h in self.proof), "\n", self.note]
        )


class WitnessReply(NamedTuple):
    """The HTTP response of a witness."""

    status: int
    body: str
    content_type: str = TEXT_TYPE


def read_request(text: str) -> WitnessRequest:
    """Parse a request body; raise `FileError` if it is malformed."""
    head, gap, note = text.partition("\n\n")
    first, *lines = head.split("\n")
    old = first.removeprefix("old ")
    if not gap or old == first or not notes.is_canonical_number(old) or len(lines) > MAX_HASHES:
        raise FileError("a request is `old SIZE`, up to 63 hashes, an empty line and a checkpoint")
    return WitnessRequest(
        int(old), [parse_hash(notes.from_base64(line, "a hash")) for line in lines], note
    )


class Witness:
    """Witness for the log that signs with `log`; `save` makes a cosigned checkpoint durable.

    `seen` is the checkpoint that it cosigned last, or None before the first.
    Calls must not overlap, because comparing and replacing the last checkpoint must be atomic.
    """

    def __init__(
        self, key: SigningKey, log: PublicKey, seen: Checkpoint | None, save: Callable[[str], None]
    ) -> None:
        self.log = log
        self._key = key
        self._seen = seen or Checkpoint(log.name, 0, EMPTY_ROOT)
        self._save = save

    def answer(self, text: str, at_seconds: int) -> WitnessReply:
        """Cosign a checkpoint that extends the last one, or return an error response."""
        try:
            request = read_request(text)
            claimed = notes.open_checkpoint(request.note, None)
        except FileError as error:
            return WitnessReply(HTTPStatus.BAD_REQUEST, f"{error}\n")
        if claimed.origin != self.log.name:
            fault = f"this witness does not know the log {claimed.origin[:60]}\n"
            return WitnessReply(HTTPStatus.NOT_FOUND, fault)
        try:
            checkpoint = notes.open_checkpoint(request.note, self.log)
        except FileError as error:
            return WitnessReply(HTTPStatus.FORBIDDEN, f"{error}\n")
        if request.old > checkpoint.size:
            fault = "the old size is larger than the checkpoint's\n"
            return WitnessReply(HTTPStatus.BAD_REQUEST, fault)
        if request.old != self._seen.size:
            return WitnessReply(HTTPStatus.CONFLICT, f"{self._seen.size}\n", SIZE_TYPE)
        seen, proof = self._seen, request.proof
        if not verify_consistency(seen.size, checkpoint.size, proof, seen.root, checkpoint.root):
            fault = "the checkpoint does not extend the last one seen\n"
            return WitnessReply(HTTPStatus.UNPROCESSABLE_ENTITY, fault)
        line = cosign(self._key, request.note, at_seconds)
        # Save first: after a crash the witness must not cosign a fork of what it has sent.
        self._save(request.note + line)
        self._seen = checkpoint
        return WitnessReply(HTTPStatus.OK, line)
