"""What `casino odds` prints: the odds of a hand, or a chart of all, as text, CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import click
from rich.table import Column, Table

from casino.cli.common import make_console, writing
from casino.ecarte import ACCEPT, PROPOSE, REFUSE, STAND, Card, Laws, card_set, format_card
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
from casino.solver.evaluation.odds import (
    Odds,
    OddsQuery,
    Points,
    TrickCounts,
    compute_odds,
    count_wins,
    score_distribution,
)

_WORDS: Final = {STAND: "stand", PROPOSE: "propose", ACCEPT: "accept", REFUSE: "refuse"}
_PAST: Final = {"stand": "stood", "propose": "proposed", "accept": "accepted", "refuse": "refused"}


def write_odds(
    question: OddsQuery, spoken: str | None, now: Points | None, *, as_json: bool
) -> None:
    """Print the odds of a hand and, if `now` is a score, the expert's decision at that score."""
    answer = compute_odds(question)
    values = _odds_json(answer, spoken)
    if now is not None:
        elder_vulnerable = question.elder if spoken is None else spoken == "stood"
        after = score_distribution(answer, now, elder_vulnerable)
        options = first_advice(question.hand, question.turn_up, question.elder, now, question.laws)
        values |= {
            "score": "{}-{}".format(*now),
            "scores_after": {"{}-{}".format(*score): number for score, number in after.items()},
            "expert": {_WORDS[action]: round(chance, 4) for action, chance in options},
        }
    if as_json:
        click.echo(json.dumps(values))
        return
    terminal = make_console()
    terminal.print(_summary(answer, spoken), _table_of_leads(answer), sep="\n")
    if now is None:
        return
    terminal.print(f"\nFrom {values['score']} the score becomes:")
    table = Table(*(Column(name, justify="right") for name in ("score", "hands", "%")), box=None)
    for name, number in values["scores_after"].items():
        table.add_row(name, f"{number:,}", _percent(number, answer.opponents))
    terminal.print(table)
    if options:
        (word, best), (other, less) = values["expert"].items()
        terminal.print(
            f"\nAt {values['score']} the expert would {word}: {100 * best:.1f} % to win the game, "
            f"against {100 * less:.1f} % if it {_PAST[other]}."
        )


def _odds_json(answer: Odds, spoken: str | None) -> dict[str, Any]:
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
    return values


def _counts_json(tricks: TrickCounts) -> dict[str, Any]:
    return {"wins": count_wins(tricks), "tricks": list(tricks)}


def _summary(answer: Odds, spoken: str | None) -> str:
    question = answer.question
    held = " ".join(format_card(card) for card in question.hand)
    condition = f", given that the elder {spoken}" if spoken else ""
    led = f", {format_card(question.lead)} led" if question.lead is not None else ""
    elder_says, dealer_says = class_of(card_set(question.hand), question.turn_up).regle
    return (
        f"{held} as {_role(question.elder)}, "
        f"{format_card(question.turn_up)} turned up{led}{condition}:\n"
        f"makes the point against [bold]{answer.wins:,}[/bold] of {answer.opponents:,} hands, "
        f"[bold]{_percent(answer.wins, answer.opponents)}[/bold].\n"
        f"The rule of thumb says: {elder_says if question.elder else dealer_says}.\n\n"
        "Hands against which the holder takes 0 to 5 tricks:"
    )


def _table_of_leads(answer: Odds) -> Table:
    question, alike = answer.question, dict[TrickCounts, list[str]]()
    for card, counts in answer.leads.items():
        alike.setdefault(counts, []).append(format_card(card))
    titles = ("0", "1", "2", "3", "4", "5", "wins", "%")
    columns = (Column(title, justify="right", no_wrap=True) for title in titles)
    table = Table("lead" if question.elder else "elder leads", *columns, box=None)
    first = "best" if question.lead is None else format_card(question.lead)
    rows = sorted(alike.items(), key=lambda row: -count_wins(row[0]) / max(1, sum(row[0])))
    for counts, names in [(answer.tricks, [first]), *rows]:
        won = count_wins(counts)
        cells = [f"{number:,}" for number in (*counts, won)]
        table.add_row(" ".join(names), *cells, _percent(won, sum(counts)))
    return table


def _role(elder: bool) -> str:
    return "elder" if elder else "dealer"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "–"


def write_chart(
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
    with writing(output), output.open("x", encoding="utf-8") as file:
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
