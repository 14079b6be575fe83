"""`casino odds`: the odds of a hand, or the chart of all hands, as text, CSV or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.table import Column, Table

from casino import ecarte
from casino.bots import rule_bot
from casino.cli import common
from casino.config import Config
from casino.ecarte import Card, CardSet, Laws, Suit, card, card_set, format_card, suit_of
from casino.errors import InputError
from casino.solver.evaluation.advice import first_advice
from casino.solver.evaluation.hand_chart import (
    OPPONENTS,
    HandClass,
    as_csv,
    class_of,
    classes,
    expert_percents,
    scores_of,
)

if TYPE_CHECKING:
    from casino.solver.evaluation.odds import OddsQuery, Points

ROLES: Final = ("elder", "dealer")
GIVEN: Final = ("proposed", "stood")
# Each order of the chart, with the property of a row that it sorts by.
SORTS: Final = {
    "elder": "elder_wins", "dealer": "dealer_wins", "trumps": "trumps", "hands": "hands"
}  # fmt: skip

_WORDS: Final = {
    ecarte.STAND: ("stand", "stood"),
    ecarte.PROPOSE: ("propose", "proposed"),
    ecarte.ACCEPT: ("accept", "accepted"),
    ecarte.REFUSE: ("refuse", "refused"),
}

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
@click.option("-o", "--output", type=common.FILE, help="Write the chart to a new file.")
@common.config_option
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
    common.refuse_conflicting("table", "hand", "role", "lead", "spoken", "score")
    common.refuse_without("table", "sort", "form", "output")
    common.refuse_conflicting("as_json", "form")
    from casino.solver.evaluation.odds import OddsQuery  # only here: --help needs no numpy

    if table:
        turned, by = card(turn_up or "7S"), SORTS[sort or "elder"]
        _write_chart(turned, config.laws, by, "json" if as_json else form, output)
        return
    if hand is None or turn_up is None or role is None:
        raise click.UsageError("give --hand, --turn-up and --role, or give --table.")
    if (spoken, role) == ("stood", "elder"):
        raise click.UsageError(
            "--given stood narrows the elder's hand only: leave it out, or give --role dealer."
        )
    cards, turned = ecarte.cards(hand), card(turn_up)
    led = None if lead is None else card(lead)
    is_possible = _may_hold(spoken, role, suit_of(turned))
    question = OddsQuery(cards, turned, role == "elder", led, config.laws, is_possible)
    now = None if score is None else _score(score, config.laws.target)
    _write_odds(question, spoken, now, as_json)


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
            f"--score {common.shorten(score)}: write two numbers from 0 to {target - 1},"
            " such as 3-2"
        )
    return points


def _write_odds(question: OddsQuery, spoken: str | None, now: Points | None, as_json: bool) -> None:
    """Print the odds of a hand and, if `now` is a score, the expert's decision at that score."""
    from casino.solver.evaluation.odds import compute_odds, count_wins, score_distribution

    answer = compute_odds(question)

    def counts(tricks: Sequence[int]) -> dict[str, Any]:
        return {"wins": count_wins(tricks), "tricks": list(tricks)}

    values: dict[str, Any] = {
        "hand": list(map(format_card, question.hand)),
        "turn_up": format_card(question.turn_up),
        "role": "elder" if question.elder else "dealer",
        "opponents": answer.opponents,
        **counts(answer.tricks),
        "leads": {format_card(led): counts(tricks) for led, tricks in answer.leads.items()},
    }
    if question.lead is not None:
        values["lead"] = format_card(question.lead)
    if spoken is not None:
        values["given"] = spoken
    if now is not None:
        elder_vulnerable = question.elder if spoken is None else spoken == "stood"
        after = score_distribution(answer, now, elder_vulnerable)
        options = first_advice(question.hand, question.turn_up, question.elder, now, question.laws)
        values |= {
            "score": "{}-{}".format(*now),
            "scores_after": {"{}-{}".format(*score): number for score, number in after.items()},
            "expert": {_WORDS[action][0]: round(chance, 4) for action, chance in options},
        }
    if as_json:
        click.echo(json.dumps(values))
        return
    terminal = common.make_console()
    rules = class_of(card_set(question.hand), question.turn_up).regle
    terminal.print(_summary(values, rules[not question.elder]), _table_of_leads(values), sep="\n")
    if now is None:
        return
    terminal.print(f"\nFrom {values['score']} the score becomes:")
    table = Table(*(Column(name, justify="right") for name in ("score", "hands", "%")), box=None)
    for name, number in values["scores_after"].items():
        table.add_row(name, f"{number:,}", _percent(number, answer.opponents))
    terminal.print(table)
    if options:
        (word, best), (_, less) = values["expert"].items()
        _, past = _WORDS[options[1][0]]
        terminal.print(
            f"\nAt {values['score']} the expert would {word}: {100 * best:.1f} % to win the game, "
            f"against {100 * less:.1f} % if it {past}."
        )


def _summary(values: dict[str, Any], rule: str) -> str:
    condition = f", given that the elder {values['given']}" if "given" in values else ""
    led = f", {values['lead']} led" if "lead" in values else ""
    wins, opponents = values["wins"], values["opponents"]
    return (
        f"{' '.join(values['hand'])} as {values['role']}, "
        f"{values['turn_up']} turned up{led}{condition}:\n"
        f"makes the point against [bold]{wins:,}[/bold] of {opponents:,} hands, "
        f"[bold]{_percent(wins, opponents)}[/bold].\n"
        f"The rule of thumb says: {rule}.\n\n"
        "Hands against which the holder takes 0 to 5 tricks:"
    )


def _table_of_leads(values: dict[str, Any]) -> Table:
    alike = dict[tuple[int, ...], list[str]]()  # leads by their counts: tricks, then wins
    for name, counts in values["leads"].items():
        alike.setdefault((*counts["tricks"], counts["wins"]), []).append(name)
    titles = ("0", "1", "2", "3", "4", "5", "wins", "%")
    columns = (Column(title, justify="right", no_wrap=True) for title in titles)
    table = Table("lead" if values["role"] == "elder" else "elder leads", *columns, box=None)
    rows = sorted(alike.items(), key=lambda row: -row[0][-1] / max(1, sum(row[0][:-1])))
    first = (*values["tricks"], values["wins"]), [values.get("lead", "best")]
    for numbers, names in (first, *rows):
        cells = [f"{number:,}" for number in numbers]
        table.add_row(" ".join(names), *cells, _percent(numbers[-1], sum(numbers[:-1])))
    return table


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "–"


def _write_chart(
    turn_up: Card, laws: Laws, sort: str, form: str | None, output: Path | None
) -> None:
    """Write the chart to a file or stdout, in `form` or else the format of the file's ending.

    The rows are sorted by the property `sort`, the greatest first.
    """
    if form is None:
        ending = output.suffix[1:].lower() if output else ""
        form = "text" if ending in ("", "txt") else ending
        if form not in _WRITERS:
            raise InputError(f"{output}: name it .txt, .csv or .json, or give --format")

    def text() -> str:
        rows = classes(turn_up, strict=laws.play == "strict")
        return _WRITERS[form](sorted(rows, key=attrgetter(sort), reverse=True), turn_up)

    if output is None:
        click.echo(text(), nl=False)
        return
    with common.writing(output), output.open("x", encoding="utf-8") as file:
        file.write(text())


def _as_text(chart: Sequence[HandClass], _: Card) -> str:
    lines = [f"{'hand':<18}{'hands':>6}{'as elder':>10}{'':>9}{'as dealer':>12}{'':>9}   regle\n"]
    lines += [
        f"{row.text:<18}{row.hands:>6}"
        f"{row.elder_wins:>10,}{100 * row.elder_wins / OPPONENTS:>7.2f} %"
        f"{row.dealer_wins:>12,}{100 * row.dealer_wins / OPPONENTS:>7.2f} %"
        f"   {', '.join(row.regle)}\n"
        for row in chart
    ]
    return "".join(lines)


def _as_json(chart: Sequence[HandClass], turn_up: Card) -> str:
    rows = [
        {
            "hand": row.text.replace("/", "").split(),
            "trumps": row.trumps,
            "hands": row.hands,
            "elder": {"wins": row.elder_wins, "tricks": row.elder, "regle": row.regle[0]},
            "dealer": {"wins": row.dealer_wins, "tricks": row.dealer, "regle": row.regle[1]},
            **dict(zip(("proposes", "accepts"), expert_percents(row.hand, turn_up), strict=True)),
        }
        for row in chart
    ]
    scores = [f"{elder}-{dealer}" for elder, dealer in scores_of(turn_up)]
    return json.dumps({"opponents": OPPONENTS, "scores": scores, "classes": rows}) + "\n"


_WRITERS: Final[dict[str, Callable[[Sequence[HandClass], Card], str]]] = {
    "text": _as_text,
    "csv": lambda chart, turn_up: "".join(as_csv(chart, turn_up)),
    "json": _as_json,
}
