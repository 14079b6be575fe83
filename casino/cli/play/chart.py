"""The chart of `casino odds --table`: every hand class, as text, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import click

from casino.analysis.double_dummy import trick_table
from casino.analysis.enumeration import count_class_tricks, hand_classes
from casino.bots import rule_bot
from casino.cli.output import writing
from casino.ecarte import Card, CardSet, Laws, count, suit_of, suit_set
from casino.errors import InputError
from casino.solver.evaluation.hand_chart import OPPONENTS, hand_text, scores_of, word_rows
from casino.solver.policy.infosets import STEPS, bucket_of
from casino.solver.policy.infosets import buckets as bucket_tables
from casino.solver.policy.tables import load_packed


class OddsRow(NamedTuple):
    """A hand class: its size, its odds in both roles, and the decisions of `regle`.

    `proposes` and `accepts` are the expert's frequencies in percent at each score of `scores_of`.
    """

    hand: str
    trumps: int
    hands: int
    elder: Sequence[int]
    dealer: Sequence[int]
    stands: bool
    refuses: bool
    proposes: Sequence[int]
    accepts: Sequence[int]

    @property
    def elder_wins(self) -> int:
        """Number of opposing hands that this hand beats as elder, with three tricks or more."""
        return sum(self.elder[3:])

    @property
    def dealer_wins(self) -> int:
        """Number of opposing hands that this hand beats as dealer, with three tricks or more."""
        return sum(self.dealer[3:])


ORDERS: Final[dict[str, Callable[[OddsRow], int]]] = {
    "elder": lambda row: -row.elder_wins,
    "dealer": lambda row: -row.dealer_wins,
    "trumps": lambda row: -row.trumps,
    "hands": lambda row: -row.hands,
}


def write(turn_up: Card, laws: Laws, sort: str, form: str | None, output: Path | None) -> None:
    """Write the chart to a file or stdout, in `form` or else the format of the file's ending."""
    write_as = _WRITERS[form or _form_of(output)]

    def text() -> str:
        return write_as(sorted(rows(turn_up, laws), key=ORDERS[sort]), turn_up)

    if output is None:
        click.echo(text(), nl=False)
        return
    with writing(output), output.open("w", encoding="utf-8") as file:
        file.write(text())


def rows(turn_up: Card, laws: Laws) -> list[OddsRow]:
    """Return all rows of the chart, in the order of `hand_classes`."""
    law = trick_table(laws.play == "strict")
    classes = hand_classes(turn_up)
    trumps = suit_of(turn_up)
    proposes, accepts = _expert_words(classes.hands.tolist(), turn_up)
    return [
        OddsRow(
            hand_text(hand, trumps),
            count(hand & suit_set(trumps)),
            size,
            elder,
            dealer,
            rule_bot.should_stand(hand, trumps),
            rule_bot.should_refuse(hand, trumps),
            *bids,
        )
        for hand, size, elder, dealer, *bids in zip(
            classes.hands.tolist(),
            classes.sizes.tolist(),
            count_class_tricks(law, classes.hands, turn_up, True).tolist(),
            count_class_tricks(law, classes.hands, turn_up, False).tolist(),
            proposes,
            accepts,
            strict=True,
        )
    ]


def _expert_words(hands: Sequence[CardSet], turn_up: Card) -> list[list[list[int]]]:
    table, bids = bucket_tables(), load_packed().bids
    buckets = [bucket_of(table, hand, turn_up) for hand in hands]
    return [
        [[100 * bids[row + bucket] // STEPS for row in rows] for bucket in buckets]
        for rows in word_rows(turn_up)
    ]


def _form_of(output: Path | None) -> str:
    ending = output.suffix[1:].lower() if output else ""
    form = "text" if ending in ("", "txt") else ending
    if form not in _WRITERS:
        raise InputError(f"{output}: end its name in .txt, .csv or .json, or give --format")
    return form


def _as_text(chart: Iterable[OddsRow], _: Card) -> str:
    lines = [f"{'hand':<18}{'hands':>6}{'as elder':>10}{'':>9}{'as dealer':>12}{'':>9}   regle\n"]
    lines += [
        f"{row.hand:<18}{row.hands:>6}"
        f"{row.elder_wins:>10,}{100 * row.elder_wins / OPPONENTS:>7.2f} %"
        f"{row.dealer_wins:>12,}{100 * row.dealer_wins / OPPONENTS:>7.2f} %"
        f"   {_stands(row)}, {_refuses(row)}\n"
        for row in chart
    ]
    return "".join(lines)


def _as_csv(chart: Iterable[OddsRow], turn_up: Card) -> str:
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    roles = ("elder", "dealer")
    tricks = [f"{role}_{taken}" for role in roles for taken in range(6)]
    wins = [f"{role}_wins" for role in roles]
    bids = [f"{role}_regle" for role in roles]
    scores = [f"{elder}-{dealer}" for elder, dealer in scores_of(turn_up)]
    expert = [f"{word}_{score}" for word in ("proposes", "accepts") for score in scores]
    lines.writerow(("hand", "trumps", "hands", *wins, *tricks, *bids, *expert))
    for row in chart:
        won = (row.elder_wins, row.dealer_wins)
        spoken = (_stands(row), _refuses(row))
        odds = (*won, *row.elder, *row.dealer, *spoken, *row.proposes, *row.accepts)
        lines.writerow((row.hand, row.trumps, row.hands, *odds))
    return written.getvalue()


def _as_json(chart: Iterable[OddsRow], turn_up: Card) -> str:
    rows = [
        {
            "hand": row.hand.replace("/", "").split(),
            "trumps": row.trumps,
            "hands": row.hands,
            "elder": {"wins": row.elder_wins, "tricks": row.elder, "regle": _stands(row)},
            "dealer": {"wins": row.dealer_wins, "tricks": row.dealer, "regle": _refuses(row)},
            "proposes": row.proposes,
            "accepts": row.accepts,
        }
        for row in chart
    ]
    scores = [f"{elder}-{dealer}" for elder, dealer in scores_of(turn_up)]
    return json.dumps({"opponents": OPPONENTS, "scores": scores, "classes": rows}) + "\n"


def _stands(row: OddsRow) -> str:
    return "stand" if row.stands else "propose"


def _refuses(row: OddsRow) -> str:
    return "refuse" if row.refuses else "accept"


_WRITERS: Final[dict[str, Callable[[Iterable[OddsRow], Card], str]]] = {
    "text": _as_text,
    "csv": _as_csv,
    "json": _as_json,
}
