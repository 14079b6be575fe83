"""`casino review`: show what each decision cost, and which action was best."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import click

from casino import ecarte
from casino.cli import common
from casino.cli.play.replay import read_lines
from casino.config import Config
from casino.ecarte import EXCHANGE, SEATS, Action, Record, cards_in, format_card
from casino.ecarte.records.commentary import names_of, plain, title
from casino.errors import InputError, RecordError, card_sign
from casino.events.game_record import finished_game, record_of
from casino.events.types import decode
from casino.ledger.storage.location import LogLocation, open_log
from casino.solver.evaluation.review import Decision, review, review_json

EXAMPLE: Final = """\b
Examples:
  casino review games.egr.jsonl
  casino review t1-000012 --db casino.db
  casino simulate --games 1 --challenger novice --records - | casino review - --json
"""

_SAID: Final = {
    ecarte.PROPOSE: "propose",
    ecarte.STAND: "stand",
    ecarte.ACCEPT: "accept",
    ecarte.REFUSE: "refuse",
    ecarte.MARK: "announce the king",
}


@click.command("review", epilog=EXAMPLE)
@common.db_option
@click.option("--seat", type=click.Choice(SEATS), help="Review one seat only.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON for each game.")
@click.argument("game", metavar="RECORD|GAME")
@common.config_option
def command(db: str | None, seat: str | None, as_json: bool, game: str, config: Config) -> None:
    """Review a game: rate each decision by win probability.

    RECORD is a file of game records, or - for standard input; GAME is a finished game of the
    casino's file.

    Each decision is judged by what its seat could see, and by how the expert would continue. The
    probabilities are estimates from 200 hands that the other side may hold: differences below 1 %
    mean nothing.
    """
    seats = SEATS if seat is None else (seat,)
    numbers = [SEATS.index(seat_name) for seat_name in seats]
    for record, actions in _records(game, common.log_location(config, db)):
        try:
            decisions = review(record, numbers, actions=actions)
        except RecordError as error:
            name = f"game {record.game}" if record.game else "the record"
            raise InputError(f"{error.locate(name)}: {error.text}") from None
        if as_json:
            click.echo(json.dumps(review_json(record, decisions)))
        else:
            _tell(record, decisions, seats)


def _records(game: str, location: LogLocation) -> Iterator[tuple[Record, int | None]]:
    """Yield each record with the number of actions to review, or None for all."""
    file = Path(game)
    if file != common.DASH and not file.is_file():
        yield _of_casino(game, location)
        return
    for number, line in read_lines(file):
        try:
            yield ecarte.read_record(line), None
        except RecordError as error:
            raise InputError(f"{error.locate(f'line {number}')}: {error.text}") from None


def _of_casino(game: str, location: LogLocation) -> tuple[Record, int]:
    if not location.exists():
        raise InputError(
            f"{game} is not a file of records, and {location} does not exist: give a file or --db"
        )
    with closing(open_log(location)) as log:
        terms = [decode(leaf.body) for leaf in log.of_kinds(("terms",))]
        events = [decode(leaf.body) for leaf in log.of_subject(common.full_game_name(game))]
    finished = finished_game(events, terms) if events else None
    if finished is None:
        raise InputError(
            f"{game} is neither a file of records nor a finished game in {location}: check its"
            " name, or give another file with --db"
        )
    return record_of(finished), finished.actions


def _tell(record: Record, decisions: Sequence[Decision], seats: Sequence[str]) -> None:
    terminal = common.make_console()
    names = names_of(record.players)
    terminal.print(plain(title(record.laws, names, record.game)), markup=False)
    deal = 0
    for decision in decisions:
        if decision.deal != deal:
            deal = decision.deal
            terminal.print(f"\nDeal {deal}")
        action, chance = _words(decision.done.action), 100 * decision.done.win_probability
        line = f"  {SEATS[decision.seat] + ':':<12}{action:<32}{chance:5.1f} %"
        if decision.cost >= 0.01:
            better = f"{_words(decision.best.action)}, {100 * decision.best.win_probability:.1f} %"
            line += f"   [bold]better: {better}[/bold]"
        terminal.print(line)
    terminal.print()
    for seat in seats:
        mine = [decision for decision in decisions if SEATS[decision.seat] == seat]
        lost = sum(decision.cost for decision in mine)
        worst = max((decision.cost for decision in mine), default=0.0)
        terminal.print(
            f"The {seat} gave away {100 * lost:.1f} % of a game in {len(mine)} decisions, "
            f"{100 * worst:.1f} % in the worst of them."
        )


def _words(action: Action) -> str:
    if action in _SAID:
        return _SAID[action]
    is_exchange = bool(action & EXCHANGE)
    cards = cards_in(action ^ EXCHANGE) if is_exchange else (action,)
    verb = "exchange" if is_exchange else "play"
    return " ".join((verb, *(card_sign(format_card(card)) for card in cards)))
