"""Client side of commit–reveal: reveal only after a proof, and detect a cheating casino.

A house that could make a bettor reveal early would know the cards, and could let its own accounts
bet before the real lock. So a contribution leaves this client only after the signed log shows that
the book is locked, and every log that the casino shows later must extend that one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from click import get_app_dir

from casino.client.client import CasinoClient, cookie_file, locked
from casino.client.table_view import Message
from casino.client.table_watcher import TableWatcher
from casino.errors import DeceptionError, FileError, Refused, UnreachableError
from casino.fairness import SALT_BYTES, commitment_to, fresh_seed, make_contribution
from casino.ledger import tlog
from casino.ledger.side_files import write_private
from casino.ledger.tlog import Checkpoint, KeyChain, PublicKey

SEALED, OPENED, COUNTED, NOT_COUNTED = "sealed", "opened", "counted", "not counted"
VOID: Final = "void"
RECORDED: Final = "recorded"  # final state: the game's record includes the contribution

_MAX_KEPT: Final = 50  # contributions stored; older ones are dropped
_ALL_NAMES: Final = "*.cuts.json"  # the files of all names that have bet at an address


class ContributionKeeper:
    """Stores a casino's key and signed notes, and the client's contributions to its games.

    A note is stored until a later one is proved to extend it. All data is in a file, and survives
    a restart of the client.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._kept: dict[str, Any] = {"key": "", "later": [], "notes": [], "cuts": {}}
        if file.exists():
            self._kept = _read(file)

    def check_key(self, key: str, handed_on: Sequence[str] = ()) -> None:
        """Trust the casino's key on first use; raise `DeceptionError` if it changes later.

        A new key is accepted if `handed_on` proves the rotation by leaves that both keys signed.
        """
        if not self._kept["key"]:
            with self._locked():
                self._kept["key"] = PublicKey.parse(key).text()
        for proof in handed_on:
            if self._keys.newest.text() != key.strip():
                self._hand_on(proof)
        if self._keys.newest.text() != key.strip():
            raise DeceptionError(
                "the casino shows a different key than before, which the old key has not signed.\n"
                f"Old: {self._keys.newest.text()}\nNew: {key.strip()}\n"
                "Ask the operator whether a new log was begun. If so, move "
                f"{self._file.with_name(_ALL_NAMES)} to another folder, as evidence: this program "
                "then begins new ones."
            )

    def state(self, game: str) -> str:
        """Return the state of the contribution to a game, or "" if there is none."""
        cut = self._kept["cuts"].get(game)
        return str(cut["state"]) if cut else ""

    def commit(self, game: str, player: str) -> str:
        """Return the commitment for a game; the first call makes the contribution and saves it.

        A second process that bets on the game gets the same one, and can reveal it, too.
        """
        with self._locked() as cuts:
            if game not in cuts:
                text = make_contribution("", fresh_seed()[:SALT_BYTES])
                cuts[game] = {"player": player, "text": text, "state": SEALED}
                for old in list(cuts)[:-_MAX_KEPT]:
                    del cuts[old]
        # Saved before the commitment is sent: if the client dies then, it can still reveal.
        return commitment_to(game, cuts[game]["player"], cuts[game]["text"])

    def reveal(self, game: str, proof: str) -> str:
        """Return the contribution if the proof shows that the book is locked in the signed log."""
        try:
            receipt, checkpoint = tlog.verify_receipt(proof, None)
            self._keys.open(receipt.note)
        except FileError as error:
            raise self._deceived(f"the proof that the book is locked is invalid: {error}") from None
        leaf = json.loads(receipt.leaf)
        if leaf.get("type") != "book_locked" or leaf.get("game") != game:
            raise self._deceived(
                f"{game}: the proof does not show that this book is locked: your text stays sealed"
            )
        # The note is evidence, so it is saved before the text can leave this client.
        self._keep(checkpoint, proof.partition("\n\n")[2])
        self._set_state(game, OPENED)
        return str(self._kept["cuts"][game]["text"])

    def mark_closed(self, game: str, counted: bool) -> str:
        """Record and return whether the contribution counted when the book closed."""
        return self._set_state(game, COUNTED if counted else NOT_COUNTED)

    def counted(self) -> list[str]:
        """Return the games whose contribution counted but whose record has not been checked."""
        return [game for game, cut in self._kept["cuts"].items() if cut["state"] == COUNTED]

    def check_end(self, game: str, cuts: Sequence[Sequence[str]]) -> None:
        """Check that a finished game's record includes the contribution, which counted."""
        cut = self._kept["cuts"][game]
        if [cut["player"], cut["text"]] not in [list(c) for c in cuts]:
            raise self._deceived(f"{game}: the casino counted your text, but the record lacks it")
        self._set_state(game, RECORDED)

    def check_consistency(self, note: str, subtrees: Callable[[int], tlog.Subtree]) -> None:
        """Check that a checkpoint extends all stored ones; `subtrees` makes a reader for a size."""
        try:
            later = self._keys.open(note)
        except FileError as error:
            raise self._deceived(f"the casino's checkpoint is invalid: {error}") from None

        def is_extended(before: Checkpoint) -> bool:
            proof = tlog.consistency_proof(before.size, later.size, subtrees(later.size))
            return tlog.verify_consistency(before.size, later.size, proof, before.root, later.root)

        self._compare(later, note, is_extended)
        with self._locked():
            self._kept["notes"] = [note]

    @property
    def _keys(self) -> KeyChain:
        links = [(0, self._kept["key"]), *self._kept["later"]]
        return KeyChain(tuple(tlog.Link(least, PublicKey.parse(key)) for least, key in links))

    def _hand_on(self, proof: str) -> None:
        """Follow a key rotation; ignore one that does not begin at the newest known key."""
        try:
            receipt, checkpoint = tlog.verify_receipt(proof, None)
            if json.loads(receipt.leaf).get("old") != self._keys.newest.text():
                return
            keys = tlog.with_rotation(self._keys, (receipt.leaf_index, receipt.leaf))
            keys.open(receipt.note)
        except (FileError, ValueError, AttributeError) as error:
            text = f"the proof that the log passed to another key is invalid: {error}"
            raise self._deceived(text) from None
        self._keep(checkpoint, receipt.note)
        with self._locked():
            self._kept["later"].append([keys.links[-1].least, keys.newest.text()])

    def _keep(self, checkpoint: Checkpoint, note: str) -> None:
        """Store a signed note; raise `DeceptionError` if it contradicts an earlier one."""
        size, root = checkpoint.size, checkpoint.root
        self._compare(checkpoint, note, lambda before: before.size < size or before.root == root)
        self._kept["notes"].append(note)

    def _compare(
        self, later: Checkpoint, note: str, is_extended: Callable[[Checkpoint], bool]
    ) -> None:
        for before_note in self._kept["notes"]:
            before = tlog.open_checkpoint(before_note, None)
            if before.size > later.size or not is_extended(before):
                wrong = "shorter" if before.size > later.size else "different"
                text = f"the casino shows a {wrong} log than before; both signed notes prove it"
                raise DeceptionError(f"{self._deceived(text)}:\n{before_note}\n{note}")

    def _deceived(self, text: str) -> DeceptionError:
        return DeceptionError(f"{text}; do not bet here again, and keep {self._file} as evidence")

    def _set_state(self, game: str, state: str) -> str:
        with self._locked() as cuts:
            cuts[game]["state"] = state
        return state

    @contextmanager
    def _locked(self) -> Iterator[dict[str, Any]]:
        """Let the caller change the contributions, then save all data.

        Another process may bet under the same name at the same time: take over its contributions.
        """
        with locked(self._file):
            if self._file.exists():
                self._kept["cuts"] |= _read(self._file)["cuts"]
            yield self._kept["cuts"]
            write_private(self._file, json.dumps(self._kept))


def kept_keys() -> Iterator[PublicKey]:
    """Yield the keys of all casinos that this user's clients have visited."""
    for file in sorted(Path(get_app_dir("casino")).glob(f"*/{_ALL_NAMES}")):
        kept = _read(file)
        for key in (kept["key"], *(later for _, later in kept["later"])):
            if key:
                yield PublicKey.parse(key)


def _read(file: Path) -> dict[str, Any]:
    with suppress(ValueError, KeyError):
        kept = json.loads(file.read_text("utf-8"))
        if isinstance(kept, Mapping) and isinstance(kept["cuts"], Mapping):
            state = {key: kept[key] for key in ("key", "notes", "cuts")}
            return {**state, "later": kept.get("later", [])}
    raise FileError(f"{file} is not a file that this client wrote: delete it")


# What became of a contribution, in a sentence.
OUTCOMES: Final = {
    COUNTED: "Your text counted: no one foresaw the cards of this game.",
    NOT_COUNTED: "YOUR TEXT DID NOT COUNT: it came too late, or was left out. The house could have"
    " foreseen the cards.",
    VOID: "The game is void: all bets are returned.",
}


class ContributionReveal:
    """Handles a bettor's contribution from the bet until the book closes."""

    def __init__(self, client: CasinoClient, name: str) -> None:
        self._client = client
        self._name = name
        self._file = cookie_file(name, client.url).with_suffix(".cuts.json")
        self._cutter = ContributionKeeper(self._file)
        self._others = set(self._file.parent.glob(_ALL_NAMES)) - {self._file}
        try:
            self._compare()
        except Refused as refused:
            if refused.code != "unavailable":  # Nothing is signed yet in a new casino.
                raise
        # The records of finished games must include the contributions that counted.
        for game in self._cutter.counted():
            try:
                record = self._client.get(f"/api/games/{game}")["record"]
            except Refused as refused:
                if refused.code != "unknown_game":
                    raise
            else:
                self._cutter.check_end(game, record["fairness"]["cuts"])

    def commit(self, game: str) -> dict[str, str]:
        """Return the commitment to a contribution, as fields of a bet message."""
        return {"seal": self._cutter.commit(game, self._name)}

    def handle(self, event: Message, watcher: TableWatcher, game: str, number: int) -> str:
        """Reveal once the lock is proved; return the result when the book closes, otherwise "".

        Events that the watcher missed are made up for by its snapshot.
        """
        if event["type"] != "snapshot" and event.get("game") != game:
            return ""
        try:
            return self._handle(event, watcher.table, game, number)
        except (Refused, UnreachableError) as error:
            if isinstance(error, Refused) and error.code != "unavailable":
                raise
            watcher.request_snapshot()
            return ""

    def _handle(self, event: Message, table: str, game: str, number: int) -> str:
        is_snapshot = event["type"] == "snapshot"
        if is_snapshot and event.get("game") != game:
            over = self._client.get(f"/api/games/{game}")
            if over["void"]:
                return self._close(game, None)
            return self._close(game, self._name in dict(over["record"]["fairness"]["cuts"]))
        if event["type"] == "game_void":
            return self._close(game, None)
        if event["type"] == "betting_closed" or (is_snapshot and event["closed"]):
            return self._close(game, number in event["opened"])
        is_locked = event["type"] == "book_locked" or (is_snapshot and event["locked"])
        # The casino may not have heard the first reveal; repeating it has no effect.
        if is_locked and self._cutter.state(game) in (SEALED, OPENED):
            self._open(table, game, event["proof"])
        return ""

    def _close(self, game: str, counted: bool | None) -> str:
        """Record and return the result of a closed book; `counted` is None if the game is void."""
        self._compare()
        return VOID if counted is None else self._cutter.mark_closed(game, counted)

    def _open(self, table: str, game: str, proof: str) -> None:
        self._compare()
        text = self._cutter.reveal(game, proof)
        try:
            self._client.request("open_cut", table=table, game=game, text=text)
        except Refused as refused:
            # Too late: the closing will show that the text did not count.
            if refused.code != "betting_closed":
                raise

    def _compare(self) -> None:
        """Check that the current log extends all earlier ones, under a trusted key."""
        shown = self._client.get("/api/checkpoint")
        # An address has one log: a new name must not trust a key that another one would reject.
        for keeper in (*map(ContributionKeeper, sorted(self._others)), self._cutter):
            keeper.check_key(shown["key"], shown.get("handed_on", ()))
        self._others.clear()
        self._cutter.check_consistency(shown["checkpoint"], self._subtrees)

    def _subtrees(self, size: int) -> tlog.Subtree:
        def rows_of(tile: tlog.Tile) -> list[list[tlog.Hash]]:
            data = self._client.read(f"/log/{tile.path()}")
            return tlog.tile_rows(tlog.decode_hashes(data, tile.width))

        return tlog.subtree_reader(size, rows_of)
