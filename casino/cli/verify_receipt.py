"""`casino verify-receipt`: check offline that the log contains a bet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from casino.cli.options import Whole, config_option
from casino.errors import BadFile

if TYPE_CHECKING:
    from casino.bank.notes import PublicKey
    from casino.config import Config


@click.command(
    epilog="Example: casino verify-receipt bet.tlog-proof --key casino.db.pub",
    short_help="Check a bet's receipt offline.",
)
@config_option
@click.option("--key", metavar="KEY", help="The log's public key, or the file that holds it.")
@click.option(
    "--witness", "witnesses", multiple=True, metavar="KEY", help="The key of a witness you trust."
)
@click.option(
    "--quorum",
    type=Whole(1),
    metavar="N",
    help="How many of these must have cosigned; all by default.",
)
@click.argument("file", type=click.Path(path_type=Path))
def command(
    config: Config, key: str | None, witnesses: tuple[str, ...], quorum: int | None, file: Path
) -> int:
    """Check the receipt in FILE: its leaf, the path to the root, the checkpoint's signature.

    Without --key it uses the key beside the casino's file. Exits with 1 if the receipt is false.
    """
    from casino.bank.cosignatures import check_quorum  # only here: --help needs none of it
    from casino.bank.notes import COSIGNATURE, ED25519, verify_receipt

    if quorum is not None and quorum > len(witnesses):
        raise click.UsageError(f"--quorum {quorum} needs as many --witness KEY.")
    public = _key(key or f"{config.bank.db}.pub", ED25519, "--key")
    trusted = [_key(one, COSIGNATURE, "--witness") for one in witnesses]
    text = _read(file)
    try:
        receipt, checkpoint = verify_receipt(text, public)
        seen = check_quorum(receipt.note, trusted, len(trusted) if quorum is None else quorum)
    except BadFile as error:
        click.echo(f"casino: {file}: {error}", err=True)
        return 1
    click.echo(receipt.leaf.decode("utf-8", "replace"))
    by = f", cosigned by {', '.join(seen)}" if seen else ""
    click.echo(f"leaf {receipt.place} of {checkpoint.size}, signed by {public.name}{by}: good")
    return 0


def _key(given: str, kind: bytes, option: str) -> PublicKey:
    """The key that a text states, or the file it names."""
    from casino.bank.notes import PublicKey

    named = Path(given)
    if named.is_file():
        return PublicKey.parse(_read(named), kind)
    if "+" not in given:
        raise BadFile(
            f"{given} does not exist: give the key, or a file that holds it, with {option}"
        )
    return PublicKey.parse(given, kind)


def _read(file: Path) -> str:
    """The text of a file."""
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise BadFile(f"cannot read {file} ({error.strerror}): name another file") from None
    except UnicodeDecodeError:
        raise BadFile(f"{file} is not text: name a receipt or a key") from None
