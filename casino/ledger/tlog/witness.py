"""C2SP's `tlog-witness` protocol, by which a witness verifies and cosigns a log's checkpoints.

Both sides are implemented here, without network access.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from casino.errors import FileError
from casino.ledger.tlog import note as notes
from casino.ledger.tlog.cosignature import cosign
from casino.ledger.tlog.merkle import EMPTY_ROOT, Hash, parse_hash, verify_consistency
from casino.ledger.tlog.note import Checkpoint, PublicKey, SigningKey

PATH: Final = "/add-checkpoint"
SIZE_TYPE: Final = "text/x.tlog.size"
TEXT_TYPE: Final = "text/plain; charset=utf-8"
MAX_HASHES: Final = 63

OK: Final = 200
MALFORMED: Final = 400
NOT_SIGNED: Final = 403
UNKNOWN_LOG: Final = 404
OTHER_SIZE: Final = 409
INCONSISTENT: Final = 422


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
            return WitnessReply(MALFORMED, f"{error}\n")
        if claimed.origin != self.log.name:
            return WitnessReply(
                UNKNOWN_LOG, f"this witness does not know the log {claimed.origin[:60]}\n"
            )
        try:
            checkpoint = notes.open_checkpoint(request.note, self.log)
        except FileError as error:
            return WitnessReply(NOT_SIGNED, f"{error}\n")
        if request.old > checkpoint.size:
            return WitnessReply(MALFORMED, "the old size is larger than the checkpoint's\n")
        if request.old != self._seen.size:
            return WitnessReply(OTHER_SIZE, f"{self._seen.size}\n", SIZE_TYPE)
        if not _continues(self._seen, checkpoint, request.proof):
            return WitnessReply(INCONSISTENT, "the checkpoint does not extend the last one seen\n")
        line = cosign(self._key, request.note, at_seconds)
        # Save first: after a crash the witness must not cosign a fork of what it has sent.
        self._save(request.note + line)
        self._seen = checkpoint
        return WitnessReply(OK, line)


def _continues(seen: Checkpoint, checkpoint: Checkpoint, proof: list[Hash]) -> bool:
    if checkpoint.size == 0:
        return not proof and checkpoint.root == EMPTY_ROOT
    return verify_consistency(seen.size, checkpoint.size, proof, seen.root, checkpoint.root)


class CosignResult(NamedTuple):
    """Outcome of a request: cosignature lines, the size to prove consistency from, or an error."""

    lines: tuple[str, ...] = ()
    prove_from: int | None = None
    trouble: str = ""
    rolled_back: bool = False


def read_reply(reply: WitnessReply, request: WitnessRequest, size: int) -> CosignResult:
    """Interpret a witness's response to a checkpoint of `size` leaves (L24)."""
    if reply.status == OK:
        return CosignResult(tuple(re.findall("^— .+$", reply.body, re.MULTILINE)))
    # A 409 contains the size that the witness cosigned last.
    body_text = reply.body.strip()
    if reply.status == OTHER_SIZE and notes.is_canonical_number(body_text):
        seen = int(body_text)
        if seen > size:
            text = f"it has seen {seen} leaves of this log, which now has {size}"
            return CosignResult(trouble=text, rolled_back=True)
        if seen != request.old:
            return CosignResult(prove_from=seen)
    if reply.status == INCONSISTENT:
        text = f"it saw {request.old} leaves of this log, which the {size} now do not extend"
        return CosignResult(trouble=text, rolled_back=True)
    return CosignResult(trouble=f"it answered {reply.status}: {body_text[:100]}")
