"""Outcome of a game between two bots, for the tests of cheating."""

from __future__ import annotations

from typing import Final

from casino.audit.checks.withholding import ReplayInput, play
from casino.betting import Book, Cover
from casino.cli.verify.audit import decide_again
from casino.ecarte import Laws
from casino.events.types import BotName
from casino.table.domain.state import BOT_VERSION

REGLE: Final = BotName(name="regle", version=BOT_VERSION, strength="")


def outcome(number: int, seed: bytes, cut: str, book: Book) -> tuple[int, int]:
    played = ReplayInput(
        game=f"t1-{number:06d}",
        server_seed=seed,
        laws=Laws(),
        loser_deals=None,
        bots=(REGLE, REGLE),
        slip_permille=0,
        book=book,
        cover=Cover(),
    )
    return play(played, cut, decide_again)
