"""A terminal client's contribution: commit, wait for the lock, reveal, hear the result."""

from __future__ import annotations

from queue import Queue
from typing import Any, Final

from casino.client.client import CasinoClient, cookie_file
from casino.client.contribution import COUNTED, SEALED, ContributionKeeper
from casino.errors import Refused
from casino.fairness import SALT_BYTES, fresh_seed
from casino.ledger.tlog.merkle import Hash, Subtree
from casino.ledger.tlog.tiles import Tile, decode_hashes, subtree_reader

_ENDS: Final = ("betting_closed", "game_void")
_SAID: Final = {
    COUNTED: "Your text counted: nobody foresaw the cards of this game.",
    "not counted": "YOUR TEXT DID NOT COUNT: the house could have foreseen the cards.",
    "void": "The game is void: everything goes back.",
}


class ContributionReveal:
    """Handles a bettor's contribution between the bet and the closing of the book."""

    def __init__(self, client: CasinoClient, name: str) -> None:
        self._client = client
        self._name = name
        self._heard: Queue[dict[str, Any]] = Queue()
        file = cookie_file(name).with_suffix(".cuts.json")
        self._cutter = ContributionKeeper(file, lambda: fresh_seed()[:SALT_BYTES])
        try:
            self._compare()
        except Refused as refused:
            if refused.code != "unavailable":  # Nothing is signed yet in a new casino.
                raise
        self._look_back()

    def on_event(self, event: dict[str, Any]) -> None:
        """Handle an event of the table; called from the socket's thread."""
        self._heard.put(event)

    def commit(self, game: str) -> dict[str, str]:
        """Return what goes with the bet."""
        return {"seal": self._cutter.commit(game, self._name)}

    def wait_until_closed(self, table: str, game: str, number: int) -> str:
        """Wait until the book has closed, revealing once the lock is proved."""
        while True:
            event = self._heard.get()
            if event.get("game") != game:
                continue
            if event["type"] == "book_locked" and self._cutter.state(game) == SEALED:
                self._open(table, game, event["proof"])
            elif event["type"] in _ENDS:
                break
        self._compare()
        if event["type"] == "game_void":
            return "void"
        self._cutter.mark_closed(game, number in event["opened"])
        return self._cutter.state(game)

    def describe(self, state: str) -> str:
        """Return the state of the contribution in a sentence."""
        return _SAID[state]

    def _open(self, table: str, game: str, proof: str) -> None:
        """Reveal the text; if it comes too late, the closing says so."""
        self._compare()
        text = self._cutter.reveal(game, proof)
        try:
            self._client.request("open_cut", table=table, game=game, text=text)
        except Refused as refused:
            if refused.code != "betting_closed":
                raise

    def _compare(self) -> None:
        """Check that the log now shown extends every log shown before, under the same key."""
        shown = self._client.get("/api/checkpoint")
        self._cutter.check_key(shown["key"], shown.get("handed_on", ()))
        self._cutter.check_consistency(shown["checkpoint"], self._subtrees)

    def _look_back(self) -> None:
        """Check that the records of finished games hold the texts that counted."""
        for game in self._cutter.counted():
            try:
                record = self._client.get(f"/api/games/{game}")["record"]
            except Refused as refused:
                if refused.code != "unknown_game":
                    raise
            else:
                self._cutter.check_end(game, record["fairness"]["cuts"])

    def _subtrees(self, size: int) -> Subtree:
        def fetch(tile: Tile) -> list[Hash]:
            return decode_hashes(self._client.read(f"/log/{tile.path()}"), tile.width)

        return subtree_reader(size, fetch)
