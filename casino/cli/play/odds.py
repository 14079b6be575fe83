"""`casino odds`: the exact odds of a hand, or of every hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from casino import ecarte
from casino.bots import rule_bot
from casino.cli.common import FILE, config_option, refuse_conflicting, refuse_without, shorten
from casino.config import Config
from casino.ecarte import CardSet, Suit, card, suit_of
from casino.errors import InputError

ROLES: Final = ("elder", "dealer")
GIVEN: Final = ("proposed", "stood")
# Each order of the chart, with the property of a row that it sorts by.
SORTS: Final = {
    "elder": "elder_wins", "dealer": "dealer_wins", "trumps": "trumps", "hands": "hands"
}  # fmt: skip

EXAMPLE: Final = """\b
Examples:
  casino odds --hand "7H KC QC JC 7S" --turn-up 8H --role elder --lead KC
  casino odds --hand "7H KC QC JC 7S" --turn-up 8H --role dealer --given proposed --score 3-2
  casino odds --table --sort dealer -o chart.csv
"""


@click.command("odds", epilog=EXAMPLE)
@click.option("--hand", help="The five cards held, such as '7H KC QC JC 7S'.")
@click.option("--turn-up", help="The card turned up; --table uses 7S by default.")
@click.option("--role", type=click.Choice(ROLES), help="The role of the player who holds the hand.")
@click.option("--lead", help="The first card led (default: the best one).")
@click.option("--given", "spoken", type=click.Choice(GIVEN), help="The elder's choice; see above.")
@click.option("--score", help="The score, the holder's points first; adds the expert's decision.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@click.option("--table", is_flag=True, help="Print the chart of all 31,913 classes of hands.")
@click.option(
    "--sort",
    type=click.Choice(list(SORTS)),
    help="Sort the chart by chances, trumps or number of hands (default: elder).",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "csv", "json"]),
    help="Format of the chart (default: by the output file's name, or text).",
)
@click.option("-o", "--output", type=FILE, help="Write the chart to a new file.")
@config_option
def command(
    hand: str | None,
    turn_up: str | None,
    role: str | None,
    lead: str | None,
    spoken: str | None,
    score: str | None,
    as_json: bool,
    table: bool,
    sort: str | None,
    form: str | None,
    output: Path | None,
    config: Config,
) -> None:
    """Show the exact odds of a hand, or the chart of all hands.

    The hand is played as dealt, with open cards, against all 65,780 hands that the other side
    may hold. The elder leads, and both sides play their best. A win is three tricks or more.

    Each lead has its own odds; for a dealer's hand these count only the hands that contain the
    card led.

    --given says that the elder "stood" (played at once) or "proposed" (and the dealer refused):
    only hands with which the bot regle would have done so count.

    --score adds the scores that the deal can lead to and the expert's decision before any exchange,
    with win probabilities. The elder who stood, or the dealer who refused, is vulnerable: losing
    gives the other side 2 points. Without --given, the holder of the hand counts as vulnerable.

    In CSV and JSON, --table also shows how often, in percent, the expert proposes and accepts at
    each score, the elder's points first.
    """
    refuse_conflicting("table", "hand", "role", "lead", "spoken", "score")
    refuse_without("table", "sort", "form", "output")
    refuse_conflicting("as_json", "form")
    if table:
        from casino.cli.play.odds_report import write_chart  # only here: --help needs none of it

        turned, by = card(turn_up or "7S"), SORTS[sort or "elder"]
        write_chart(turned, config.laws, by, "json" if as_json else form, output)
        return
    if hand is None or turn_up is None or role is None:
        raise click.UsageError("give --hand, --turn-up and --role, or give --table.")
    if (spoken, role) == ("stood", "elder"):
        raise click.UsageError(
            "--given stood narrows the elder's hand only: leave it out, or give --role dealer."
        )
    from casino.cli.play.odds_report import write_odds
    from casino.solver.evaluation.odds import OddsQuery

    cards, turned = ecarte.cards(hand), card(turn_up)
    led = None if lead is None else card(lead)
    is_possible = _may_hold(spoken, role, suit_of(turned))
    question = OddsQuery(cards, turned, role == "elder", led, config.laws, is_possible)
    now = None if score is None else _score(score, config.laws.target)
    write_odds(question, spoken, now, as_json=as_json)


def _may_hold(spoken: str | None, role: str, trumps: Suit) -> Callable[[CardSet], bool] | None:
    """Return a predicate for hands with which `regle` would do as `spoken`, or None for any."""
    if spoken is None:
        return None
    if role == "elder":
        return lambda cards: rule_bot.should_refuse(cards, trumps)
    return lambda cards: rule_bot.should_stand(cards, trumps) == (spoken == "stood")


def _score(score: str, target: int) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,2})-([0-9]{1,2})", score)
    points = (int(match[1]), int(match[2])) if match else (target, target)
    if max(points) >= target:
        raise InputError(
            f"--score {shorten(score)}: write two numbers from 0 to {target - 1}, such as 3-2"
        )
    return points
