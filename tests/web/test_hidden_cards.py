"""No hidden card leaves the casino: everything sent to everybody is searched, game after game."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from casino.ecarte.cards import text
from casino.ecarte.rules import CHALLENGER, HOUSE
from casino.table import told
from casino.web import board
from tests.web.doors import FAST, Doors, Visitor, open_doors
from tests.web.secrets_of import Leak, Truth, Watcher, cards_in, shown, truths
from tests.web.test_live import play, second_tab

Told = dict[str, Any]

TABLES: dict[str, Told] = {
    "t1": {**FAST, "betting_ms": 5, "challenger": "nobody", "number": 2, "slip_permille": 100},
    "bots": {**FAST, "betting_ms": 5, "number": 2, "slip_permille": 100},
}
PURSE = {"opening_cents": 100_000_000}


class Night:
    """What everybody was sent on a night of games, and what was true."""

    def __init__(self, doors: Doors, games: int) -> None:
        self.player = doors.visitor("ann")
        self.tab = second_tab(self.player)
        self.gallery = doors.visitor("ben")
        self.stranger = doors.visitor()
        self.pages: list[tuple[str, bytes]] = []
        for one in (self.tab, self.gallery, self.stranger):
            one.join("t1")
        self.stranger.join("bots")
        self.played = play(self.player, "t1", games)
        self.games = {game: self._truth(game) for game in self._finished()}
        for one in (self.player, self.tab, self.gallery, self.stranger):
            one.close()

    def leaks(self, reader: Visitor, table: str = "t1") -> list[Leak]:
        """What a reader was sent that he may not see; he must have been sent something."""
        plays = reader in (self.player, self.tab)
        watcher = Watcher(self.games, plays)
        for frame in reader.frames:
            if frame["table"] == table:
                watcher.read(json.dumps(frame), frame)
        assert watcher.checked > 50
        return watcher.leaks

    def _finished(self) -> Iterator[str]:
        """The games whose records are known."""
        seen: dict[str, None] = dict.fromkeys(self.played)
        seen |= {f["game"]: None for f in self.stranger.frames if f["type"] == "game_over"}
        yield from seen

    def _truth(self, game: str) -> list[Truth]:
        """A finished game's deals."""
        return truths(self.player.get(f"/api/games/{game}")["record"])


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Night:
    """A dozen games of a person, and as many of bots as were played meanwhile."""
    path = tmp_path_factory.mktemp("hidden") / "a.db"
    with open_doors(path, TABLES, web=PURSE) as doors:
        return Night(doors, 12)


def test_spectators_are_sent_no_hidden_card(night: Night) -> None:
    """Neither one who has entered nor a stranger, at a person's table or at one of bots."""
    assert night.leaks(night.gallery) == []
    assert night.leaks(night.stranger) == []
    assert night.leaks(night.stranger, "bots") == []


def test_a_player_is_sent_his_own_cards_and_no_other_hidden_one(night: Night) -> None:
    """The challenger, and his second tab, see what he holds and held."""
    assert night.leaks(night.player) == []
    assert night.leaks(night.tab) == []
    assert any(frame.get("hand") for frame in night.tab.frames)
    assert not any(frame.get("hand") for frame in night.gallery.frames)


def test_what_may_be_seen_is_what_is_searched_for(night: Night) -> None:
    """To a stranger's eyes the player's own frames are full of leaks: the search has teeth."""
    watcher = Watcher(night.games, plays=False)
    for frame in night.player.frames:
        watcher.read(json.dumps(frame), frame)
    assert len(watcher.leaks) > 50


PLANTS = {
    "a deal shows the house's hand": partial(told.tell, viewer=HOUSE),
    "events are those of the challenger": partial(told.tell, viewer=CHALLENGER),
}


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_a_planted_leak_is_caught(
    plant: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a leak put into what is told, the same search finds it."""
    monkeypatch.setattr(board, "tell", plant)
    with open_doors(tmp_path / "a.db", TABLES, web=PURSE) as doors:
        night = Night(doors, 2)
    assert night.leaks(night.gallery)


def test_a_snapshot_that_leaks_is_caught(night: Night) -> None:
    """A card in a place where no card belongs is found wherever it is put."""
    places = [at for at, frame in enumerate(night.gallery.frames) if frame.get("type") == "dealt"]
    frame = night.gallery.frames[places[1]]
    deal = night.games[frame["game"]][frame["deal"]["number"] - 1]
    hidden = text(deal.deck[-1])
    leaky = {**frame, "more": {"deep": [f"X{hidden}"]}}
    watcher = Watcher(night.games, plays=False)
    for sent in [*night.gallery.frames[: places[1]], leaky]:
        watcher.read("", sent)
    assert [leak.card for leak in watcher.leaks] == [hidden]


def test_the_pages_of_a_running_game_hide_what_its_players_hold(tmp_path: Path) -> None:
    """Snapshot, lobby, own account and log, asked again and again while cards are played."""
    tables = {"t1": {**FAST, "betting_ms": 5, "pace_ms": 3, "number": 2}}
    asked: dict[str, list[tuple[int, list[Told]]]] = {}
    with open_doors(tmp_path / "a.db", tables) as doors:
        visitor = doors.visitor("ann")
        while len(asked) < 4:
            game, deal, pages = pages_of(visitor)
            if game and deal:
                asked.setdefault(game, []).append((deal, pages))
        visitor.until(lambda: visitor.get("/api/tables/t1").get("game") not in asked)
        deals = {game: truths(visitor.get(f"/api/games/{game}")["record"]) for game in asked}
        visitor.close()
    for game, often in asked.items():
        for number, pages in often:
            seen = [shown(deal, over=True) for deal in deals[game][: number - 1]]
            seen.append(shown(deals[game][number - 1], over=False))
            assert {one for page in pages for one in cards_in(page)} <= set().union(*seen)


def pages_of(visitor: Visitor) -> tuple[str | None, int, list[Told]]:
    """What the pages say within one deal of a running game; nothing if it ended meanwhile."""
    before = visitor.get("/api/tables/t1")
    game = before.get("game")
    if game is None or not before["deal"]:
        return None, 0, []
    size = visitor.get("/api/log?limit=1")["size"]
    leaves = visitor.get(f"/api/log?after={max(-1, size - 60)}")["leaves"]
    said = [json.loads(base64.b64decode(leaf["leaf"])) for leaf in leaves]
    pages = [leaf for leaf in said if leaf.get("game") == game]
    pages += [visitor.get("/api/tables"), visitor.get("/api/me"), before]
    after = visitor.get("/api/tables/t1")
    same = after.get("game") == game and after["deal"]["number"] == before["deal"]["number"]
    running = same and after["deal"]["turn"] is not None
    return (game, after["deal"]["number"], [*pages, after]) if running else (None, 0, [])
