"""Lies about the cut that a leaf may tell: its kind, its field, and which leaf of the kind."""

from __future__ import annotations

from collections.abc import Callable

FORGERIES: list[tuple[str, str, object, int]] = [
    ("seed_chain", "anchor", "0" * 64, 0),
    ("game_opened", "number", 99, 1),
    ("terms", "slip_permille", 1000, 0),
    ("cut", "seal", "0" * 64, 0),
    ("bet", "seal", "0" * 64, 0),
    ("book_locked", "bets", 99, 0),
    ("book_locked", "seals", 99, 0),
    ("cut_opened", "text", "0" * 32, 0),
    ("cut_opened", "number", 99, 0),
    ("betting_closed", "withheld", [99], 0),
    ("game_over", "exchanges", ["7S"], 0),
    ("game_over", "server_seed", "0" * 64, 0),
    ("game_over", "score", {"challenger": 5, "house": 5}, 0),
    ("cut_late", "text", "0" * 32, 0),
]


def forgery(field: str, value: object) -> Callable[[dict[str, object]], None]:
    def forge(leaf: dict[str, object]) -> None:
        leaf[field] = value

    return forge
