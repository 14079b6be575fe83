"""`casino review`: what each decision of a game was worth, and what would have been better."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from casino.cli.options import config_option, db_option, log_location
from casino.cli.play.replay import read_lines
from casino.cli.streams import make_console
from casino.ecarte import (
    ACCEPT,
    EXCHANGE,
    MARK,
    PROPOSE,
    REFUSE,
    SEATS,
    STAND,
    Action,
    Record,
    cards_in,
    format_card,
    read_record,
)
from casino.ecarte.records.commentary import names_of, plain, title
from casino.errors import InputError, RecordError

if TYPE_CHECKING:
    from casino.config import Config
    from casino.ledger.storage.location import LogLocation
    from casino.solver.evaluation.review import Decision

EXAMPLE: Final = """\b
Examples:
  casino review games.egr.jsonl
  casino review t1-0000012 --db casino.db
  casino simulate --games 1 --challenger novice --records - | casino review - --json
"""

STDIN: Final = "-"
_SAID: Final = {
    PROPOSE: "propose",
    STAND: "stand",
    ACCEPT: "accept",
    REFUSE: "refuse",
    MARK: "announce the king",
}


@click.command("review", epilog=EXAMPLE, short_help="Say what each decision was worth.")
@db_option
@click.option("--seat", type=click.Choice(SEATS), help="Review one seat only.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON for each game.")
@click.argument("game", metavar="RECORD|GAME")
@config_option
def command(db: str | None, seat: str | None, as_json: bool, game: str, config: Config) -> None:
    """Review a game: what each decision was worth, in win probability.

    RECORD is a file of game records, or - for standard input; GAME is a finished game of the
    casino's file. A decision is judged by what its seat could see, and by how the expert would
    continue. The probabilities come from 200 hands that the other side may hold: less than 1 % is
    no difference.
    """
    from casino.solver.evaluation.review import review, review_json

    seats = SEATS if seat is None else (seat,)
    for record in _records(game, log_location(config, db)):
        try:
            found = review(record, [SEATS.index(one) for one in seats])
        except RecordError as error:
            name = f"game {record.game}" if record.game else "the record"
            raise InputError(f"{error.locate(name)}: {error.text}") from None
        if as_json:
            click.echo(json.dumps(review_json(record, found)))
        else:
            _tell(record, found, seats)


def _records(game: str, place: LogLocation) -> Iterator[Record]:
    if game != STDIN and not Path(game).is_file():
        yield _of_casino(game, place)
        return
    for number, line in read_lines(Path(game)):
        try:
            yield read_record(line)
        except RecordError as error:
            raise InputError(f"{error.locate(f'line {number}')}: {error.text}") from None


def _of_casino(game: str, place: LogLocation) -> Record:
    from casino.events.codec import decode
    from casino.ledger.ledger import open_log
    from casino.reports.game_json import full_game

    if not place.exists():
        raise InputError(
            f"{game}: is no file of records, and there is no {place} to look for a game in"
        )
    log = open_log(place)
    try:
        terms = [decode(leaf.body) for leaf in log.of_kinds(("terms",))]
        told = full_game([decode(leaf.body) for leaf in log.of_subject(game)], terms)
    finally:
        log.close()
    if told is None:
        raise InputError(f"{game}: is neither a file of records nor a finished game of {place}")
    return read_record(json.dumps(told["record"]))


def _tell(record: Record, decisions: Sequence[Decision], seats: Sequence[str]) -> None:
    terminal = make_console()
    names = names_of(record.players)
    terminal.print(plain(title(record.laws, names, record.game)), markup=False)
    deal = 0
    for one in decisions:
        if one.deal != deal:
            deal = one.deal
            terminal.print(f"\nDeal {deal}")
        line = f"  {SEATS[one.seat]:<11}{_words(one.done.action):<32}{100 * one.done.chance:5.1f} %"
        if one.cost >= 0.01:
            better = f"{_words(one.best.action)}, {100 * one.best.chance:.1f} %"
            line += f"   [bold]better: {better}[/bold]"
        terminal.print(line)
    terminal.print()
    for seat in seats:
        mine = [one for one in decisions if SEATS[one.seat] == seat]
        lost = sum(one.cost for one in mine)
        worst = max((one.cost for one in mine), default=0.0)
        terminal.print(
            f"The {seat} gave away {100 * lost:.1f} % of a game in {len(mine)} decisions, "
            f"{100 * worst:.1f} % in the worst of them."
        )


def _words(action: Action) -> str:
    if action in _SAID:
        return _SAID[action]
    if action & EXCHANGE:
        return "exchange " + " ".join(map(format_card, cards_in(action ^ EXCHANGE)))
    return f"play {format_card(action)}"
