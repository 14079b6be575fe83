"""`casino rng`: the stream and the decks it writes are those that are dealt."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice

from click.testing import CliRunner

from casino.cli.research.rng import command
from casino.ecarte import format_cards
from casino.fairness import blocks, combine, deck

SEED = bytes(range(32))


def run(*args: str) -> bytes:
    result = CliRunner().invoke(command, args, catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout_bytes


def casino(*args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "casino", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def test_decks_are_those_of_a_game_called_rng() -> None:
    decks = [format_cards(deck(SEED, "rng", combine([]), number)) for number in (1, 2, 3)]
    assert run("--decks", "3", "--seed", SEED.hex()).decode() == "".join(f"{d}\n" for d in decks)


def test_the_raw_stream_goes_on_until_the_reader_has_gone() -> None:
    with casino("rng", "--raw", "--seed", SEED.hex()) as program:
        assert program.stdout is not None
        found = program.stdout.read(200_000)
        program.stdout.close()
        assert program.wait(timeout=60) != 0
        assert program.stderr is not None
        assert program.stderr.read() == b""
    stream = b"".join(islice(blocks(SEED, f"rng|1|{combine([])}"), 6250))
    assert found == stream
