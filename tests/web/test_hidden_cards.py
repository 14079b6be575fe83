"""No hidden card leaves the casino: everything sent to everybody is searched, game after game.

HIDDEN_CARD_GAMES in the environment makes the night longer: 1000 games take some minutes.
"""

from __future__ import annotations

import base64
import json
import os
import re
import threading
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.web.doors import FAST, Doors, Visitor, open_doors
from tests.web.secrets_of import Leak, Truth, Watcher, card_names_in, shown, truths
from tests.web.test_handlers import play, second_tab

Told = dict[str, Any]

TABLES: dict[str, Told] = {
    "t1": {**FAST, "betting_ms": 5, "challenger": "nobody", "number": 2, "slip_permille": 100},
    "bots": {**FAST, "betting_ms": 5, "number": 2, "slip_permille": 100},
}
WEB = {"opening_cents": 1_000_000_000, "address_per_second": 1_000, "person_per_second": 1_000}
GAMES = int(os.environ.get("HIDDEN_CARD_GAMES", "15"))
MIN_ASKED = 10
"""Of so many games the pages are asked for in the midst of them."""
WORDS = re.compile(r"\b(?:[KQJAT987][SHDC])+\b")

Asked = dict[str, list[tuple[int, list[Told]]]]
"""Of each game what the pages said, and in which of its deals."""


class Asker(threading.Thread):
    """Asks for pages again and again, while cards are played at two tables."""

    def __init__(self, doors: Doors) -> None:
        super().__init__()
        self.asked: Asked = {}
        self._visitor = doors.visitor("cat")
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.wait(0.05):
            for table in TABLES:
                game, deal, pages = pages_of(self._visitor, table)
                if game is not None:
                    self.asked.setdefault(game, []).append((deal, pages))

    def stop(self) -> None:
        self._over.set()
        self.join()
        self._visitor.close()


class Night:
    """What everybody was sent on a night of games, and what was true."""

    def __init__(self, doors: Doors, games: int) -> None:
        self.player = doors.visitor("ann")
        self.tab = second_tab(self.player)
        self.gallery = doors.visitor("ben")
        self.stranger = doors.visitor()
        for one in (self.tab, self.gallery, self.stranger):
            one.join("t1")
        self.stranger.join("bots")
        asker = Asker(doors)
        asker.start()
        wanted = min(games, MIN_ASKED + len(TABLES))
        self.played = play(
            self.player, "t1", games, lambda: len(asker.asked) >= wanted or not asker.is_alive()
        )
        asker.stop()
        self.asked = asker.asked
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
        seen: dict[str, None] = dict.fromkeys(self.played)
        seen |= {f["game"]: None for f in self.stranger.frames if f.get("type") == "game_over"}
        yield from seen

    def _truth(self, game: str) -> list[Truth]:
        return truths(self.player.get(f"/api/games/{game}")["record"])


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Night:
    """Games of a person, and as many of bots as were played meanwhile."""
    path = tmp_path_factory.mktemp("hidden") / "a.db"
    with open_doors(path, TABLES, web=WEB) as doors:
        return Night(doors, GAMES)


def test_spectators_are_sent_no_hidden_card(night: Night) -> None:
    assert night.leaks(night.gallery) == []
    assert night.leaks(night.stranger) == []
    assert night.leaks(night.stranger, "bots") == []


def test_a_player_is_sent_his_own_cards_and_no_other_hidden_one(night: Night) -> None:
    assert night.leaks(night.player) == []
    assert night.leaks(night.tab) == []
    assert any(frame.get("hand") for frame in night.tab.frames)
    assert not any(frame.get("hand") for frame in night.gallery.frames)


def test_the_pages_of_a_running_game_hide_what_its_players_hold(night: Night) -> None:
    finished = {game: asked for game, asked in night.asked.items() if game in night.games}
    assert len(finished) >= min(GAMES, MIN_ASKED)
    leaks = [
        (game, number, named([page]) - public(night.games[game], number), page)
        for game, often in finished.items()
        for number, pages in often
        for page in pages
    ]
    assert [leak for leak in leaks if leak[2]] == []


def named(pages: list[Told]) -> set[str]:
    return {one for page in pages for one in card_names_in(page)}


def public(deals: list[Truth], number: int) -> set[str]:
    """The cards of a game that may be known in the midst of one of its deals."""
    seen = [shown(deal, over=True) for deal in deals[: number - 1]]
    return set().union(*seen, shown(deals[number - 1], over=False))


def pages_of(visitor: Visitor, table: str) -> tuple[str | None, int, list[Told]]:
    """What the pages say within one deal of a running game; nothing if it ended meanwhile."""
    before = visitor.get(f"/api/tables/{table}")
    game = before.get("game")
    if game is None or not before["deal"]:
        return None, 0, []
    pages = [visitor.get("/api/tables"), visitor.get("/api/me"), before, *replay_of(visitor, game)]
    logged = logged_of(visitor, game)
    after = visitor.get(f"/api/tables/{table}")
    same = after.get("game") == game and after["deal"]["number"] == before["deal"]["number"]
    # The pages read the disk, which may be a little ahead of what the table has told.
    ended = any(leaf["type"] in ("game_over", "game_void") for leaf in logged)
    if not same or ended or after["deal"]["turn"] is None:
        return None, 0, []
    number = max([after["deal"]["number"], *(leaf.get("deal", 0) for leaf in logged)])
    return game, number, [*pages, *logged, after]


def logged_of(visitor: Visitor, game: str) -> list[Told]:
    size = visitor.get("/api/log?limit=1")["size"]
    leaves = visitor.get(f"/api/log?after={max(-1, size - 60)}")["leaves"]
    said = [json.loads(base64.b64decode(leaf["leaf"])) for leaf in leaves]
    return [leaf for leaf in said if leaf.get("game") == game]


def replay_of(visitor: Visitor, game: str) -> list[Told]:
    """What the pages of a game that is not over say beyond those of one that never was."""
    words = [words_of(visitor, one) for one in (game, "t1-999999")]
    return [{"words": list(words[0] - words[1])}]


def words_of(visitor: Visitor, game: str) -> set[str]:
    """What may be cards on the pages of a game."""
    found: set[str] = set()
    for page in (f"/game/{game}", f"/api/games/{game}"):
        try:
            with urlopen(visitor.url + page) as answer:
                found |= set(WORDS.findall(answer.read().decode()))
        except HTTPError as error:
            with error:
                found |= set(WORDS.findall(error.read().decode()))
    return found
