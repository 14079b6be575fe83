"""`casino verify-receipt`: check offline that the log contains a bet."""

from __future__ import annotations

import json
from contextlib import closing, suppress
from pathlib import Path

import click

from casino.chips import format_chips
from casino.cli import common
from casino.config import Config
from casino.errors import FileError, escape_unprintable, moment
from casino.ledger.storage.location import open_log
from casino.ledger.tlog import (
    PublicKey,
    check_quorum,
    read_key,
    read_receipt,
    signatures_by,
    verify_receipt,
)


@click.command(epilog="Example: casino verify-receipt bet.tlog-proof --key casino.db.pub")
@common.config_option
@click.option("--key", metavar="KEY", help="The log's public key, or the file that holds it.")
@common.witness_options()
@click.argument("file", type=common.PATH)
def command(
    config: Config, key: str | None, witnesses: tuple[str, ...], quorum: int | None, file: Path
) -> int:
    """Check the receipt in FILE: its leaf, the path to the root, the checkpoint's signature.

    Without --key it uses the key next to the casino's file, or for another log the one that
    `casino bet` kept. If the log is here too, its former keys are accepted. Give - as FILE to read
    standard input. Exits with 1 if the receipt is invalid, with 2 if FILE is not one.
    """
    trusted, needed = common.parse_witnesses(witnesses, quorum)
    text = common.read_text(file)
    try:
        note = read_receipt(text).note
    except FileError as error:
        fault = _damage(text) or f"{error}: give a receipt"
        raise FileError(f"{file}: {fault}") from None
    beside = Path(f"{config.bank.db}.pub")
    public = read_key(key or beside) if key or beside.exists() else None
    if public is None or not (key or note.startswith(f"{public.name}\n")):
        public = _kept_key(note) or public or read_key(beside)
    former = _former_key(note, public, config)
    try:
        receipt, checkpoint = verify_receipt(text, former or public)
        seen = check_quorum(receipt.note, trusted, needed)
    except FileError as error:
        fault = f"casino: {file}: {error}{_advice(text, public)}"
        click.echo(escape_unprintable(fault), err=True)
        return 1
    if sentence := _describe(receipt.leaf):
        click.echo(escape_unprintable(sentence))
    click.echo(escape_unprintable(receipt.leaf.decode("utf-8", "replace")))
    by = f", cosigned by {', '.join(seen)}" if seen else ""
    whose = f"a former key of {public.name}" if former else public.name
    signed_by = f"leaf {receipt.leaf_index} of {checkpoint.size}, signed by {whose}{by}"
    click.echo(f"{escape_unprintable(signed_by)}: good")
    return 0


def _kept_key(note: str) -> PublicKey | None:
    """Return the key of a note's log that this user's clients have kept, if possible its signer."""
    from casino.client.contribution import kept_keys  # only here: few need it

    keys = [key for key in kept_keys() if note.startswith(f"{key.name}\n")]
    with suppress(FileError):
        keys.sort(key=lambda key: not signatures_by(note, key))
    return keys[0] if keys else None


def _former_key(note: str, public: PublicKey, config: Config) -> PublicKey | None:
    """Return the key that signed a note before the casino's own log was rotated to `public`."""
    with suppress(FileError):
        if not signatures_by(note, public):
            with closing(open_log(common.log_location(config, None))) as log:
                keys = log.keys()
            keys.open(note)
            if keys.newest == public:
                return next(link.key for link in keys.links if signatures_by(note, link.key))
    return None


def _advice(receipt: str, public: PublicKey) -> str:
    """Return a hint if the receipt is damaged, or not signed by the key at all."""
    if damage := _damage(receipt):
        return f": {damage}"
    with suppress(FileError):
        if not signatures_by(verify_receipt(receipt, None)[0].note, public):
            signer = "if another log, or this one before a rotation, signed it"
            return f": {signer}, give that log's .pub file with --key"
    return ""


def _damage(receipt: str) -> str:
    """Return a hint if a receipt was changed on its way."""
    if "\r\n" in receipt:
        return "its line ends were changed: get it again as a binary file"
    is_cut = receipt.startswith("c2sp.org/") and not receipt.endswith("\n")
    return "it ends within a line, so it may be cut short: get it again" if is_cut else ""


def _describe(leaf: bytes) -> str:
    """Return a bet in words, or "" for any other leaf: a hostile log may contain anything."""
    with suppress(ArithmeticError, LookupError, TypeError, ValueError):
        bet = json.loads(leaf)
        unit, at = format_chips(bet["unit_cents"]), moment(bet["at"])
        return f"{bet['player']} bet {unit} on the {bet['side']} in {bet['game']}, {at}"
    return ""
