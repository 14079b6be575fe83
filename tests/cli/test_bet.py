"""`casino bet`: one bet from a script, over the network, idempotent by its id."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from casino.cli import main
from casino.cli.play import bet
from casino.client.client import CasinoClient, cookie_file
from casino.client.contribution import ContributionReveal
from casino.client.table_watcher import TableWatcher
from tests.ledger.test_witnesses import PETER
from tests.web.server import LONG_BETTING, Server, open_server

TABLES: dict[str, dict[str, Any]] = {
    "open": LONG_BETTING,
    "single": {**LONG_BETTING, "gallery_stakes": "single"},
    "slow": {"betting_ms": 50, "pace_ms": 60_000, "number": 0},
    "free": {"challenger": "nobody", "number": 0},
    "cut": {"betting_ms": 2_000, "game_ms": 500, "pace_ms": 0, "deal_ms": 0, "number": 0},
}
Output = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A casino with a table that always takes bets, and one that takes none for a long time."""
    with open_server(tmp_path_factory.mktemp("bets") / "casino.db", TABLES) as server:
        yield server


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def line(server: Server, name: str, **more: str) -> list[str]:
    given = {"table": "open", "side": "house", "unit": "5.00", "name": name, **more}
    options = [
        word for key, value in given.items() for word in (f"--{key.replace('_', '-')}", value)
    ]
    return ["bet", server.url, "--no-cut", *options]


def answer(capsys: Output) -> dict[str, Any]:
    out, err = capsys.readouterr()
    assert err == ""
    return dict(json.loads(out))


def complaint(capsys: Output) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    return err


def test_a_bet_is_reported_in_a_sentence(server: Server, capsys: Output) -> None:
    assert main(line(server, "ann", unit="5")) == 0
    assert capsys.readouterr().out == (
        "open-000001: ann bets 5.00 on the house. "
        "15.00 is held, because a triple costs 3 units. Balance 985.00.\n"
    )


def test_repeating_a_bet_id_places_no_second_bet(server: Server, capsys: Output) -> None:
    words = [*line(server, "cy", side="challenger", unit="2.5", bet_id="cy-1"), "--json"]
    assert main(words) == 0
    first = answer(capsys)
    assert (first["ok"], first["balance_cents"]) == (True, 99_250)
    assert (first["bet"]["side"], first["bet"]["unit_cents"]) == ("challenger", 250)
    assert main(words) == 0
    again = answer(capsys)
    assert (again["bet"], again["balance_cents"]) == (first["bet"], first["balance_cents"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"table": "nowhere"}, "there is no table nowhere"),
        ({"unit": "0.50"}, "too small"),
        ({"unit": "999999"}, "bet"),
        ({"name": "a/b"}, "name"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_refused_bet_exits_with_1(
    server: Server, capsys: Output, tmp_path: Path, change: dict[str, str], said: str
) -> None:
    name = f"eve-{next(iter(change))}-{next(iter(change.values()))}"
    assert main(line(server, **{"name": name, **change})) == 1
    assert said in complaint(capsys)
    assert bool(list(tmp_path.rglob("*.cookies"))) == ("unit" in change)


def test_waiting_for_a_book_times_out(
    server: Server, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bet, "MAX_WAIT_SECONDS", 0.2)
    visitor = server.visitor()
    visitor.until(lambda: visitor.join("slow")["snapshot"].get("closed"))
    visitor.close()
    assert main(line(server, "gil", table="slow")) == 1
    waiting, refusal = capsys.readouterr().err.splitlines()
    assert waiting == "Waiting for the next book at slow, up to 0.2 seconds."
    assert "no book has opened at slow" in refusal
    monkeypatch.setattr(server.casino.backend.feeds["free"], "taking", False)
    assert main(line(server, "gil", table="free")) == 1
    waiting, reason, _ = capsys.readouterr().err.splitlines()
    assert waiting.startswith("Waiting for the next book at free, which has no challenger yet, up")
    assert reason == "The casino takes no bets now: its disk is full or failing."


def test_a_password_is_read_from_the_environment(
    server: Server, capsys: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASINO_PASSWORD", "correct horse")
    assert main(line(server, "jo")) == 0
    assert [file.name for file in tmp_path.rglob("*.cookies")] == ["jo.cookies"]
    assert main(line(server, "jo")) == 0
    monkeypatch.setenv("CASINO_PASSWORD", "battery staple")
    assert main(line(server, "jo")) == 1
    assert "wrong password for jo" in capsys.readouterr().err


def test_two_first_bets_at_once_share_the_new_account(server: Server) -> None:
    clients = [CasinoClient(server.url, "twin") for _ in range(2)]
    assert [client.enter("twin")["name"] for client in clients] == ["twin", "twin"]
    assert CasinoClient(server.url, "twin").enter("twin")["name"] == "twin"


def test_a_bet_contributes_to_the_cut_and_saves_its_receipt(
    server: Server, capsys: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [word for word in line(server, "zoe", table="cut") if word != "--no-cut"]
    assert main([*words, "--bet-id", "zoe-1"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("cut-0000")
    assert said[1] == "Your text counted: no one foresaw the cards of this game."
    result, receipt = said[2].split(" Receipt: ")
    assert result == "No one bet against it: the whole bet came back. Balance 1000.00."
    # The client keeps the casino's key, so that no other file is needed, and that of another
    # casino in this folder does no harm.
    monkeypatch.chdir(tmp_path)
    Path("casino.db.pub").write_text(PETER)
    assert main(["verify-receipt", receipt]) == 0
    verified = capsys.readouterr().out.splitlines()
    assert verified[0].startswith("zoe bet 5.00 on the house in cut-0000")
    assert verified[-1].endswith(": good")
    altered = tmp_path / "altered"
    altered.write_text(Path(receipt).read_text("utf-8").replace("\nindex ", "\nindex 9", 1))
    assert main(["verify-receipt", str(altered)]) == 1
    assert "is not covered by the root" in complaint(capsys)
    # Again, one game later: the first result, at once.
    assert main([*words, "--bet-id", "zoe-1"]) == 0
    again = capsys.readouterr().out
    assert again == f"{said[0].partition(':')[0]}: this bet was already made. {result}\n"
    words[words.index("house")] = "challenger"
    assert main([*words, "--bet-id", "zoe-1"]) == 1
    assert "the id zoe-1 belongs to another bet, 5.00 on the house in cut-0000" in complaint(capsys)


def test_a_second_bet_reveals_the_text_of_a_process_that_ended(
    server: Server, capsys: Output
) -> None:
    client = CasinoClient(server.url, "uma")
    client.enter("uma")
    mine, watcher = ContributionReveal(client, "uma"), TableWatcher(client, "cut")
    watcher.connect()
    book = next(filter(bet._has_open_book, bet._follow(watcher, print)))
    sealed = mine.commit(game := book["game"])
    wager = {"side": "house", "unit_cents": 500, "bet_id": "uma-1", **sealed}
    client.request("place_bet", table="cut", game=game, **wager)
    client.close()
    assert main([word for word in line(server, "uma", table="cut") if word != "--no-cut"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"{game}: uma bets 5.00 on the house.")
    assert said[1] == "Your text counted: no one foresaw the cards of this game."


def test_a_text_sealed_elsewhere_asks_for_no_cut(server: Server, capsys: Output) -> None:
    client = CasinoClient(server.url, "una")
    client.enter("una")
    client.connect()
    game = client.request("join", table="open")["snapshot"]["game"]
    wager = {"bet_id": "una-1", "side": "house", "unit_cents": 500, "seal": "0" * 64}
    client.request("place_bet", table="open", game=game, **wager)
    client.close()
    for side, fault in (
        ("house", "you have sealed a text in this game: add --no-cut to bet without a seal"),
        ("challenger", "you have bet on the other side of this game"),
    ):
        words = line(server, "una", side=side)
        assert main([word for word in words if word != "--no-cut"]) == 1
        assert fault in complaint(capsys)


def test_a_bet_without_a_text_also_refuses_an_unproven_key(server: Server, capsys: Output) -> None:
    assert main(line(server, "vic")) == 0
    capsys.readouterr()
    file = cookie_file("vic", server.url).with_suffix(".cuts.json")
    kept = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**kept, "key": PETER.strip()}), "utf-8")
    assert main(line(server, "vic")) == 1
    out, err = capsys.readouterr()
    assert out == "" and "the casino shows a different key than before" in err


def test_a_placed_bet_survives_a_lost_connection(
    server: Server, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = CasinoClient.request

    def lose_connection(client: CasinoClient, message: str, **payload: Any) -> dict[str, Any]:
        answer = request(client, message, **payload)
        if message == "place_bet":
            client.line.eio.ws.shutdown()
        return answer

    monkeypatch.setattr(CasinoClient, "request", lose_connection)
    assert main([word for word in line(server, "yan", table="cut") if word != "--no-cut"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1] == "Your text counted: no one foresaw the cards of this game."
    assert "Balance 1000.00. Receipt: " in out
    connection = ["Connection lost: trying again.", "The casino is back."]
    assert [line for line in err.splitlines() if line in connection] == connection


def test_a_lost_bet_and_a_void_one_are_explained() -> None:
    made = {"game": "t1-000001", "order": 1}
    cents = {"unit_cents": 500, "matched_cents": 303, "gain_cents": -606, "commission_cents": 0}
    result = {**made, **cents, "result": "lost"}
    answers = {
        "/api/statement": {"bets": [result], "balance_cents": 99_394},
        "/api/games/t1-000001": {"winner": "challenger", "stake": 2, "void": "bot_failed"},
    }
    client: Any = SimpleNamespace(get=answers.__getitem__)
    assert bet.report(client, "Ann", made)[1] == (
        "The challenger wins, double. 3.03 of 5.00 was matched: Ann loses 6.06. Balance 993.94."
    )
    result["result"] = "void"
    assert bet.report(client, "Ann", made)[1] == (
        "The game is void: the bot failed. The whole bet came back. Balance 993.94."
    )


def test_a_bet_that_cannot_succeed_does_not_wait_for_a_book(server: Server, capsys: Output) -> None:
    wait, words = line(server, "kim", table="free"), ["account", server.url, "--name", "kim"]
    assert main(line(server, "kim", table="free", unit="400")) == 1
    assert "1200.00" in complaint(capsys)
    assert main(line(server, "kit")) == 0
    capsys.readouterr()
    for unit, fault in (("0.50", "too small"), ("2000", "1000.00 chips at most")):
        assert main(line(server, "kit", table="free", unit=unit)) == 1, "with chips at risk, too"
        assert fault in complaint(capsys)
    assert main([*words, "--day-loss", "10", "--day-stake", "14.5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["At risk in a day, at most: 14.50", "Lost in a day, at most: 10.00"]
    assert main(wait) == 1
    assert "a limit of 14.50 chips staked a day" in complaint(capsys)
    assert main([*words, "--break", "7", "--day-loss", "0"]) == 0
    out, err = capsys.readouterr()
    loss = r"Lost in a day, at most: 10.00, from [-0-9]{10} [0-9:]{5} UTC: no limit\n"
    lasts = r"Your break lasts until ([^,]*) UTC; a shorter one applies after a day\.\n$"
    longer = re.search(loss + lasts, out)
    assert err == ""
    assert main([*words, "--break", "2", "--json"]) == 0
    assert re.search('"key": "day_loss_cents".*"key": "break', capsys.readouterr().out)
    assert main(words) == 0
    shorter = re.search(lasts, capsys.readouterr().out)
    assert longer and shorter and shorter[1] < longer[1]
    assert main(wait) == 1
    assert "you are taking a break until " in complaint(capsys)


def test_account_command_shows_the_account_and_sets_a_password(
    server: Server, tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["account", "--name", "ida", server.url]
    assert main(words) == 1
    assert "ida" in complaint(capsys)
    assert main(line(server, "ida")) == 0
    capsys.readouterr()
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "open-000001" in said and said.endswith("ida: balance 985.00, in games 15.00\n")
    words += ["--set-password", "--json"]
    for piped, status, text, balance in (
        ("battery staple\ncorrect horse\n", 2, "2 lines were piped in: pipe in one, the new", ""),
        ("correct horse\n", 0, "ida has a new password.\n", '"balance_cents": 98500,'),
        ("battery staple\n", 2, "set CASINO_PASSWORD to the current password", ""),
    ):
        monkeypatch.setattr("sys.stdin", io.StringIO(piped))
        assert main(words) == status
        out, err = capsys.readouterr()
        assert text in err and balance in out
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("CASINO_PASSWORD", "correct horse")
    assert main(words[:4]) == 0
    monkeypatch.delenv("CASINO_PASSWORD")
    assert main(words[:4]) == 0, "the terminal stays signed in"
    other = CasinoClient(server.url)
    other.enter("ida", "correct horse")
    other.change_password("battery staple", "correct horse")
    capsys.readouterr()
    assert main(words[:4]) == 1
    assert "not signed in as ida at http" in complaint(capsys)
