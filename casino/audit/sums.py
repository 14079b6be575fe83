"""A second way to check a game's money: plain sums over its postings.

This shares no code with the gallery's settlement: it only knows who backed which side, who won,
how many units were paid, and what every account was moved by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from casino.audit.findings import Finding
from casino.bank.leaves import Entry
from casino.events.kinds import GameOpened, GameSettled, StandingRow


class Moved(NamedTuple):
    """What each account of a game was moved by: escrow by its owner, the others by their names."""

    escrow: Counter[str]
    others: Counter[str]


def moved(game: str, entries: Iterable[Entry]) -> Moved:
    """What the entries of a game add up to."""
    whole: dict[str, int] = {}
    for entry in entries:
        for account, cents in entry.postings:
            whole[account] = whole.get(account, 0) + cents
    prefix = f"escrow/{game}/"
    escrow: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for account, cents in whole.items():
        if account.startswith(prefix):
            escrow[account.removeprefix(prefix)] = cents
        else:
            others[account] = cents
    return Moved(escrow, others)


def check_sums(game: str, leaf: int, money: Moved) -> list[Finding]:
    """A finished game has nothing in escrow, and what went in came out."""
    escrow, others = money
    wrong = [
        f"{owner} has {cents} cents left in escrow" for owner, cents in escrow.items() if cents
    ]
    if sum(others.values()) != 0:
        wrong.append(f"{sum(others.values())} cents more came out than went in")
    return [Finding("sums", text, leaf, game) for text in wrong]


def check_sides(
    game: str,
    leaf: int,
    money: Moved,
    stands: Sequence[StandingRow],
    opened: GameOpened,
    settled: GameSettled,
    stake_cents: int,
) -> list[Finding]:
    """Losers lost their units, winners won as much less the commission, and nobody else moved."""
    others = money.others.copy()
    winner, multiplier = settled.winner, settled.multiplier
    units = multiplier if opened.gallery.gallery_stakes == "game" else 1
    challenger, stake = opened.players.challenger, stake_cents
    due: Counter[str] = Counter()
    for owner, side in (("house/bank", "house"), (f"wallet/{challenger}", "challenger")):
        due[owner] += multiplier * stake * (1 if side == winner else -1)
    for _, player, side, _, matched in stands:
        owner = "house/bank" if player == "house" else f"wallet/{player}"
        due[owner] += units * matched * (1 if side == winner else -1)
    fees = others.pop("house/commission", 0)
    findings = []
    if sum(others.values()) + fees != 0 or sum(due.values()) != 0:
        findings.append("the two sides do not pay each other")
    for owner in due.keys() | others.keys():
        short = due[owner] - others[owner]
        if short < 0 or (short and due[owner] <= 0):
            findings.append(f"{owner} was moved by {others[owner]} cents, not by {due[owner]}")
    if sum(due[owner] - others[owner] for owner in due) != fees:
        findings.append(f"{fees} cents of commission are not what the winners were charged")
    return [Finding("sums", text, leaf, game) for text in findings]
