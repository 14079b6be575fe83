"""`casino odds`: the exact odds of a hand, or of every hand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from casino.cli.options import config_option, refuse_conflicting, refuse_without, shorten
from casino.cli.output import make_console
from casino.ecarte import CardSet, Suit, card, cards, format_card, suit_of
from casino.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from casino.analysis.odds import Odds, OddsQuery, Points, TrickCounts
    from casino.config import Config

ROLES: Final = ("elder", "dealer")
GIVEN: Final = ("proposed", "stood")
SORTS: Final = ("elder", "dealer", "trumps", "hands")
FORMATS: Final = ("text", "csv", "json")

EXAMPLE: Final = """\b
Examples:
  casino odds --hand "7H KC QC JC 7S" --turn-up 8H --role elder --lead KC
  casino odds --hand "7H KC QC JC 7S" --turn-up 8H --role dealer --given proposed --score 3-2
  casino odds --table --sort dealer -o chart.csv
"""


@click.command("odds", epilog=EXAMPLE)
@click.option("--hand", help="The five cards held, such as '7H KC QC JC 7S'.")
@click.option("--turn-up", help="The card turned up; --table uses 7S by default.")
@click.option("--role", type=click.Choice(ROLES), help="Role of the hand's holder.")
@click.option("--lead", help="The first card led; by default the best one.")
@click.option("--given", "spoken", type=click.Choice(GIVEN), help="The elder's choice; see above.")
@click.option("--score", help="The score, the holder's points first; adds the expert's decision.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@click.option("--table", is_flag=True, help="Print the chart of all 31,913 classes of hands.")
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    help="Sort the chart by chances, trumps or number of hands (default: elder).",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Format of the chart (default: by the output file's name, or text).",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the chart to a file.",
)
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

    With --given the elder "stood" (played at once) or "proposed" (and the dealer refused): only
    hands with which the bot regle would have done so count. --given also decides who is
    vulnerable in --score: the elder who stood or the dealer who refused. Without it, the holder of
    the hand is vulnerable.

    In CSV and JSON, --table also shows how often, in percent, the expert proposes and accepts at
    each score, the elder's points first.

    --score adds the possible scores after the deal and the expert's decision before any exchange,
    with win probabilities.
    """
    refuse_conflicting("table", "hand", "role", "lead", "spoken", "score")
    refuse_without("table", "sort", "form", "output")
    refuse_conflicting("as_json", "form")
    if table:
        from casino.cli.play import chart  # only here: a single hand needs none of it

        turned = card(turn_up or "7S")
        chart.write(turned, config.laws, sort or SORTS[0], "json" if as_json else form, output)
        return
    if hand is None or turn_up is None or role is None:
        raise click.UsageError("Give --hand, --turn-up and --role, or give --table.")
    from casino.analysis.odds import OddsQuery

    question = OddsQuery(
        cards(hand),
        card(turn_up),
        role == "elder",
        None if lead is None else card(lead),
        config.laws,
        _may_hold(spoken, role, suit_of(card(turn_up))),
    )
    question.check()
    _tell(question, spoken, score, as_json=as_json)


def _tell(question: OddsQuery, spoken: str | None, score: str | None, *, as_json: bool) -> None:
    from casino.analysis.odds import compute_odds

    now = None if score is None else _score(score, question.laws.target)
    answer = compute_odds(question)
    after = {} if now is None else _scores_after(answer, now, spoken)
    expert = {} if now is None else _expert(question, now)
    if as_json:
        values = _as_json(answer, spoken, score, after)
        click.echo(json.dumps(values if now is None else {**values, "expert": expert}))
        return
    _print(answer, spoken, score, after)
    if expert:
        (word, best), (other, less) = expert.items()
        make_console().print(
            f"\nAt {score} the expert would {word}: {100 * best:.1f} % to win the game, against "
            f"{100 * less:.1f} % if he would {other}."
        )


def _may_hold(spoken: str | None, role: str, trumps: Suit) -> Callable[[CardSet], bool] | None:
    """Return a predicate for hands with which `regle` would say `spoken`, or None for all."""
    from casino.bots import rule_bot

    if spoken is None or (spoken, role) == ("stood", "elder"):
        return None
    if role == "elder":
        return lambda cards: rule_bot.should_refuse(cards, trumps)
    return lambda cards: rule_bot.should_stand(cards, trumps) == (spoken == "stood")


def _score(score: str, target: int) -> Points:
    match = re.fullmatch(r"([0-9]{1,2})-([0-9]{1,2})", score)
    points = (int(match[1]), int(match[2])) if match else (target, target)
    if max(points) >= target:
        raise InputError(
            f"--score {shorten(score)}: write two numbers from 0 to {target - 1}, such as 3-2"
        )
    return points


def _expert(question: OddsQuery, score: Points) -> dict[str, float]:
    from casino.ecarte import ACCEPT, PROPOSE, REFUSE, STAND
    from casino.solver.evaluation.advice import first_advice

    words = {STAND: "stand", PROPOSE: "propose", ACCEPT: "accept", REFUSE: "refuse"}
    options = first_advice(question.hand, question.turn_up, question.elder, score, question.laws)
    return {words[option.action]: round(option.chance, 4) for option in options}


def _scores_after(answer: Odds, score: Points, spoken: str | None) -> dict[str, int]:
    from casino.analysis.odds import score_distribution

    elder_vulnerable = answer.question.elder if spoken is None else spoken == "stood"
    distribution = score_distribution(answer, score, elder_vulnerable)
    return {f"{mine}-{theirs}": number for (mine, theirs), number in distribution.items()}


def _as_json(
    answer: Odds, spoken: str | None, score: str | None, after: dict[str, int]
) -> dict[str, Any]:
    question = answer.question
    values: dict[str, Any] = {
        "hand": [format_card(card) for card in question.hand],
        "turn_up": format_card(question.turn_up),
        "role": _role(question.elder),
        "opponents": answer.opponents,
        **_counts_json(answer.tricks),
        "leads": {format_card(card): _counts_json(counts) for card, counts in answer.leads.items()},
    }
    if question.lead is not None:
        values["lead"] = format_card(question.lead)
    if spoken is not None:
        values["given"] = spoken
    if score is not None:
        values |= {"score": score, "scores_after": after}
    return values


def _counts_json(tricks: TrickCounts) -> dict[str, Any]:
    from casino.analysis.odds import count_wins

    return {"wins": count_wins(tricks), "tricks": list(tricks)}


def _print(answer: Odds, spoken: str | None, score: str | None, after: dict[str, int]) -> None:
    question = answer.question
    held = " ".join(format_card(card) for card in question.hand)
    condition = f", given that the elder {spoken}" if spoken else ""
    led = f", {format_card(question.lead)} led" if question.lead is not None else ""
    terminal = make_console()
    terminal.print(
        f"{held} as {_role(question.elder)}, "
        f"{format_card(question.turn_up)} turned up{led}{condition}:\n"
        f"makes the point against [bold]{answer.wins:,}[/bold] of {answer.opponents:,} hands, "
        f"[bold]{_percent(answer.wins, answer.opponents)}[/bold]."
    )
    terminal.print(_advice(answer))
    terminal.print("\nHands against which the holder takes 0 to 5 tricks:")
    terminal.print(_table_of_leads(answer))
    if score is not None:
        terminal.print(f"\nFrom {score} the score becomes:")
        terminal.print(_table_of_scores(after, answer.opponents))


def _advice(answer: Odds) -> str:
    from casino.bots import rule_bot
    from casino.ecarte import card_set

    question = answer.question
    hand, trumps = card_set(question.hand), suit_of(question.turn_up)
    if question.elder:
        word = "stand" if rule_bot.should_stand(hand, trumps) else "propose"
    else:
        word = "refuse" if rule_bot.should_refuse(hand, trumps) else "accept"
    return f"The rule of thumb says: {word}."


def _table_of_leads(answer: Odds) -> Table:
    from rich.table import Table

    from casino.analysis.odds import count_wins

    question = answer.question
    table = Table(box=None)
    table.add_column("lead" if question.elder else "elder leads")
    for name in ("0", "1", "2", "3", "4", "5", "wins", "%"):
        table.add_column(name, justify="right", no_wrap=True)
    first = "best" if question.lead is None else format_card(question.lead)
    rows = sorted(
        _by_counts(answer).items(), key=lambda row: -count_wins(row[0]) / max(1, sum(row[0]))
    )
    for counts, name in [(answer.tricks, first), *rows]:
        won = count_wins(counts)
        cells = [f"{number:,}" for number in (*counts, won)]
        table.add_row(name, *cells, _percent(won, sum(counts)))
    return table


def _by_counts(answer: Odds) -> dict[TrickCounts, str]:
    rows: dict[TrickCounts, str] = {}
    for lead, counts in answer.leads.items():
        rows[counts] = (
            f"{rows[counts]} {format_card(lead)}" if counts in rows else format_card(lead)
        )
    return rows


def _table_of_scores(after: dict[str, int], opponents: int) -> Table:
    from rich.table import Table

    table = Table(box=None)
    for name in ("score", "hands", "%"):
        table.add_column(name, justify="right")
    for name, number in after.items():
        table.add_row(name, f"{number:,}", _percent(number, opponents))
    return table


def _role(elder: bool) -> str:
    return ROLES[0] if elder else ROLES[1]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "–"
