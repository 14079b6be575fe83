"""`casino bet`: place a bet from a script, and reveal its contribution to the shuffle."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any, Final
from urllib.parse import quote

import click

from casino.betting import BetSizeLimits, BettingRules, Book, enter_bet
from casino.chips import format_chips
from casino.cli.common import chips, config_checked, link_option, shorten, url_argument
from casino.client.client import CasinoClient, cookie_file
from casino.client.contribution import COUNTED, OUTCOMES, ContributionReveal
from casino.client.table_view import STAKES, Message, describe, no_bets_reason
from casino.client.table_watcher import TableWatcher
from casino.clock import wall_ms
from casino.ecarte import HOUSE
from casino.errors import CasinoError, Refused
from casino.events.types import void_reason_text
from casino.ledger.tlog import read_receipt
from casino.player_limits import DayTally, PlayerLimits, check_own_limits

_RESULTS: Final = {
    "won": "wins {}, after commission.",
    "lost": "loses {}.",
    "unmatched": "No one bet against it: the whole bet came back.",
    "returned": "A sealed text was not opened: the whole bet came back.",
    "void": "The game is void: {}. The whole bet came back.",
    "open": "The game is not over yet.",
}

MAX_WAIT_SECONDS: Final = 600  # for the next book; a long game takes four minutes by default


@click.command(epilog="Example: casino bet --table petit --side house --unit 5.00 --name ann")
@config_checked
@click.option("--table", required=True, metavar="ID", help="The table.")
@click.option(
    "--side",
    required=True,
    type=click.Choice(["house", "challenger"]),
    help="The player to bet on.",
)
@click.option("--unit", required=True, type=chips, help="What a single game may cost: 5.00.")
@click.option("--name", required=True, metavar="NAME", help="The name to bet under.")
@link_option
@click.option("--bet-id", metavar="ID", help="Your id for the bet; repeating it bets only once.")
@click.option("--no-cut", is_flag=True, help="Send no contribution, save no receipt, do not wait.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@url_argument
def command(
    table: str,
    side: str,
    unit: int,
    name: str,
    link: str | None,
    bet_id: str | None,
    no_cut: bool,
    as_json: bool,
    url: str,
) -> int:
    """Bet on one side of the next game at a table of the casino at URL.

    The bet carries a sealed contribution to the shuffle, which the command reveals once the signed
    log proves that the book is locked. After the game it reports what the bet won or lost, and
    saves its receipt below ~/.config/casino, with the account's cookies and the casino's key. It
    exits with 1 if the contribution did not count.

    A password is read from the environment variable CASINO_PASSWORD, or prompted for.
    """
    if bet_id and not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._:-]{0,63}", bet_id):
        raise click.UsageError(
            f"--bet-id {shorten(bet_id)}: give up to 64 letters, digits, . _ : -, "
            "and begin with a letter or digit."
        )
    client = CasinoClient(url, name)
    number = bet_id or os.urandom(16).hex()
    client.tables(table, link)
    client.enter_interactively(name)
    before = _earlier_bet(client, bet_id) if bet_id else None
    # Without a contribution, too, the casino must show the key and the log that it showed before.
    reveal = ContributionReveal(client, name)

    def say(text: str, err: bool = False) -> None:
        if not as_json:
            click.echo(text, err=err)

    watcher = TableWatcher(client, table)
    watcher.connect()
    with closing(client):
        events = _follow(watcher, say)
        snapshot = book = next(event for event in events if event["type"] == "snapshot")
        is_open = _has_open_book(snapshot)
        if before and not (is_open and before["game"] == snapshot["game"]):
            if (before["side"], before["unit_cents"]) != (side, unit):
                earlier = format_chips(before["unit_cents"])
                raise CasinoError(
                    f"the id {number} belongs to another bet, {earlier} on the {before['side']} in "
                    f"{before['game']}: choose a new id"
                )
            result, sentence = report(client, name, before)
            answer: dict[str, Any] = {"ok": True, "bet": before, "result": result}
            say(f"{before['game']}: this bet was already made. {sentence}")
            if as_json:
                click.echo(json.dumps(answer))
            return 0
        if not is_open:
            is_free = not (snapshot["challenger"] or snapshot["holder"])
            where = f"{table}, which has no challenger yet" if is_free else table
            _refuse_early(client, name, unit, snapshot)
            say(f"Waiting for the next book at {where}, up to {MAX_WAIT_SECONDS} seconds.", True)
            if reason := no_bets_reason(snapshot):
                say(f"{reason.capitalize()}.", True)
            deadline = time.monotonic() + MAX_WAIT_SECONDS
            while not _has_open_book(book := next(events)):
                if time.monotonic() > deadline:
                    raise CasinoError(f"no book has opened at {table}: try again later")
        game = book["game"]
        bet = {"table": table, "game": game, "side": side, "unit_cents": unit, "bet_id": number}
        sealed = {} if no_cut else reveal.commit(game)
        try:
            answer = client.request("place_bet", **bet, **sealed)
        except Refused as refusal:
            if refusal.code not in ("already_sealed", "cuts_full"):
                raise
            fault = str(refusal).partition(":")[0]
            raise CasinoError(f"{fault}: add --no-cut to bet without a seal") from None
        bet = answer["bet"]
        _tell(say, answer, name, 1 if book["gallery"]["gallery_stakes"] == "single" else 3)
        if not no_cut:
            answer["cut"] = _wait_for_end(events, watcher, reveal, bet, say)
            answer["result"], sentence = report(client, name, bet)
            receipt = cookie_file(name, client.url).with_suffix(f".{number}.tlog-proof")
            receipt.write_text(client.get(f"/api/receipts/{number}")["receipt"], "utf-8")
            answer["receipt"] = str(receipt)
            say(f"{sentence} Receipt: {receipt}")
    if as_json:
        click.echo(json.dumps(answer))
    return 0 if no_cut or answer["cut"] == COUNTED else 1


def _wait_for_end(
    events: Iterator[Message],
    watcher: TableWatcher,
    reveal: ContributionReveal,
    bet: dict[str, Any],
    say: Callable[..., None],
) -> str:
    """Wait until the bet's game is settled or void; return the state of its contribution."""
    game, state, is_over = bet["game"], "", False
    while not (state and is_over):
        event = next(events)
        ends = ("settled", "game_void") if event.get("game") == game else ("snapshot",)
        is_over |= event["type"] in ends
        if not state:
            state = reveal.handle(event, watcher, game, bet.get("seal_number", 0))
            if state:
                say(OUTCOMES[state])
            if state and not is_over:
                say(f"{game} is being played: the bet stands even if you press Ctrl-C.", True)
    return state


def _earlier_bet(client: CasinoClient, bet_id: str) -> dict[str, Any] | None:
    """Return the bet with this id if the signed log already contains it, else None."""
    with suppress(Refused):
        receipt = client.get(f"/api/receipts/{quote(bet_id, safe='')}")["receipt"]
        return dict(json.loads(read_receipt(receipt).leaf))
    return None


def _refuse_early(client: CasinoClient, name: str, unit: int, snapshot: dict[str, Any]) -> None:
    """Raise the refusal that the next book would give, instead of waiting for it."""
    now, limits = wall_ms(), PlayerLimits(**client.get("/api/me")["limits"])
    check_own_limits(limits, 0, 0, 0, now)  # a break
    account = client.get("/api/statement")
    laws = BettingRules(**snapshot["gallery"])
    book = Book("", snapshot["stake_cents"], laws, BetSizeLimits(**snapshot["limits"]))
    risk, tally = unit * laws.risk, DayTally()
    # A running game may still bring chips.
    is_running = account["escrow_cents"] > 0
    enter_bet(book, name, HOUSE, unit, risk if is_running else account["balance_cents"])
    if is_running:
        return
    for change in account["changes"]:
        tally = tally.after_entry(change["at_ms"], change["move"], change["cents"])
    _, risked, away = tally.at(now)
    check_own_limits(limits, risked, away, risk, now)


def report(client: CasinoClient, name: str, bet: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the statement's line about a bet, and a sentence that explains it."""
    account = client.get("/api/statement")
    result: dict[str, Any] = next(
        line for line in account["bets"] if all(line[key] == bet[key] for key in ("game", "order"))
    )
    sentence = _RESULTS[result["result"]]
    if result["result"] in ("won", "lost"):
        game = client.get(f"/api/games/{bet['game']}")
        matched, unit = format_chips(result["matched_cents"]), format_chips(result["unit_cents"])
        net = format_chips(abs(result["gain_cents"] - result["commission_cents"]))
        sentence = f"{matched} of {unit} was matched: {name} {sentence.format(net)}"
        sentence = f"The {game['winner']} wins, {STAKES[game['stake']]}. {sentence}"
    elif result["result"] == "void":
        reason = client.get(f"/api/games/{bet['game']}")["void"]
        sentence = sentence.format(void_reason_text(reason))
    return result, f"{sentence} Balance {format_chips(account['balance_cents'])}."


def _tell(say: Callable[[str], None], answer: dict[str, Any], name: str, risk: int) -> None:
    bet, balance = answer["bet"], format_chips(answer["balance_cents"])
    held = f"{format_chips(bet['unit_cents'] * risk)} is held"
    held += f", because a triple costs {risk} units" * (risk > 1)
    unit = format_chips(bet["unit_cents"])
    say(f"{bet['game']}: {name} bets {unit} on the {bet['side']}. {held}. Balance {balance}.")


def _follow(watcher: TableWatcher, say: Callable[[str, bool], None]) -> Iterator[Message]:
    """Yield a table's messages, or "silence" while there are none; say what concerns a bettor."""
    while True:
        for event in watcher.next_messages() or [{"type": "silence"}]:
            if event["type"] in ("broken", "back", "notice"):
                say(f"{describe(event).capitalize()}.", True)
            yield event


def _has_open_book(event: Message) -> bool:
    is_book = event["type"] in ("snapshot", "game_opened") and "game" in event
    return is_book and not event.get("locked")
