"""Simulated people: they watch, bet, seal texts, sit down and play, and lose their connections.

A person repeats unanswered requests with the same id, folds every message into the form of a
snapshot, and remembers every acknowledgement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache, partial
from random import Random
from typing import TYPE_CHECKING, Any, Final

import msgspec

from casino.config_tables import TableOrder
from casino.errors import Refused
from casino.fairness import commitment_to, make_contribution
from casino.web.accounts.store import Browser, hash_of_key
from casino.web.context import AppContext, admitted
from tests.table.naive_client import Client

if TYPE_CHECKING:
    from tests.simulator.world import Site, World

Message = dict[str, Any]

ANSWER_TIMEOUT_SECONDS: Final = 15.0
"""Seconds before a person repeats an unanswered request."""

MAX_ABSENCE_SECONDS: Final = 1800.0
"""Longest time that a person stays away; their visits last five minutes on average."""

RETRYABLE_CODES: Final = frozenset({"unavailable", "rate_limited"})
"""Refusal codes after which the request may be repeated."""


@lru_cache(maxsize=4096)
def read_frames(data: bytes) -> tuple[Any, ...]:
    """Return the Socket.IO events in some WebSocket frames."""
    events, at = [], 0
    while at < len(data):
        size, at = data[at + 1], at + 2
        if size >= 126:
            width = 2 if size == 126 else 8
            size, at = int.from_bytes(data[at : at + width], "big"), at + width
        events.append(tuple(msgspec.json.decode(data[at + 2 : at + size])))
        at += size
    return tuple(events)


class SimulatedConnection:
    """Both ends of a socket, in place of `WebSocketConnection`."""

    def __init__(self, world: World, site: Site, visitor: Visitor, sid: str) -> None:
        self._world, self.site, self._visitor = world, site, visitor
        self.sid = sid
        self.is_open = True
        self._queued: list[bytes] = []
        self._arrives = 0.0
        self._is_scheduled = False

    # The server's end.

    def handshake_done(self) -> None:
        """Do nothing: this socket has no handshake."""

    def enqueue(self, frames: bytes) -> None:
        self._queued.append(frames)

    def needs_flush(self) -> bool:
        """Return True if a flush must be scheduled, and mark it as scheduled."""
        is_due = bool(self._queued) and not self._is_scheduled
        self._is_scheduled = self._is_scheduled or is_due
        return is_due

    def flush(self) -> None:
        self._is_scheduled = False
        frames, self._queued = self._queued, []
        if frames:
            self._deliver(partial(self._visitor.hear_all, frames))

    def send(self, frames: bytes) -> None:
        self.enqueue(frames)
        self.flush()

    def answer(self, number: int, answer: Message) -> None:
        self.flush()
        self._deliver(partial(self._visitor.answered, number, answer))

    def close(self) -> None:
        self.cut()

    # The network.

    def _deliver(self, work: Callable[[], None]) -> None:
        if not (self.is_open and self.site.process.is_alive):
            return
        loop = self._world.loop
        self._arrives = max(self._arrives, loop.now + self._world.latency())

        def arrive() -> None:
            if self.is_open and self._visitor.wire is self:
                work()

        loop.at(self._arrives, arrive)

    def cut(self) -> None:
        """Break the connection: each end notices at its own time."""
        if self.is_open:
            self.is_open = False
            self._world.after(self._world.rng.uniform(0, 3), lambda: self._visitor.lost(self))
            self._world.after(self._world.rng.uniform(0, 20), lambda: self.site.disconnect(self))


def _call(method: str, *arguments: Any) -> Callable[[AppContext], Any]:
    def call(shared: AppContext) -> Any:
        try:
            return getattr(shared.backend, method)(*arguments)
        except Refused as refusal:
            if method != "open_table" or refusal.code in RETRYABLE_CODES:
                raise
            return {"table": "", "link": ""}

    return call


def _follow(table: str, link: str, shared: AppContext) -> frozenset[str]:
    shared.admit(table, link)
    return admitted()


class Visitor:
    """One person with one browser."""

    def __init__(self, world: World, name: str, rng: Random, tables: list[str]) -> None:
        self.world, self.name, self.rng = world, name, rng
        self.tables = tables
        self.wire: SimulatedConnection | None = None
        self.key = self.fresh_key = rng.randbytes(16).hex()
        self.is_entered = False
        self.folds: dict[str, Client] = {}
        self.private: dict[str, Message] = {}
        self.texts: dict[str, tuple[str, str]] = {}
        self.wanted: dict[str, Message] = {}
        self.acknowledged: dict[str, Message] = {}
        self.refused: dict[str, str] = {}
        self.heard: defaultdict[str, list[tuple[str, Message]]] = defaultdict(list)
        self.plays = rng.random() < 0.4
        self.withholds = rng.random() < 0.2
        self.links: dict[str, str] = {}
        self.admitted: frozenset[str] = frozenset()
        self.orders: dict[str, TableOrder] = {}
        self.opened: dict[str, str] = {}
        self.changed: list[tuple[str, int | None]] = []
        self.closed: set[str] = set()
        self.reached: set[str] = set()
        self._numbers = 0
        self._asked: dict[int, tuple[float, Callable[[Message], None]]] = {}
        self._joining: set[str] = set()
        self._rest: dict[str, Client] = {}
        self._acted_at: dict[str, int] = {}
        self.is_leaving = self.is_resting = False
        self._returns_at = 0.0
        world.after(rng.uniform(0, 20), self.think)

    # What they do.

    def think(self) -> None:
        self.world.after(self.rng.uniform(0.5, 6), self.think)
        now = self.world.loop.now
        if self.wire is None:
            if self.is_leaving or now >= self._returns_at:
                self._arrive()
            return
        is_tired = not self.is_leaving and self.rng.random() < 0.01
        if is_tired:
            self._returns_at = now + self.rng.uniform(0, MAX_ABSENCE_SECONDS)
        oldest = min((asked for asked, _ in self._asked.values()), default=now)
        if is_tired or now - oldest > ANSWER_TIMEOUT_SECONDS:
            self.leave()
            return
        for table in self.tables:
            if table not in self.folds and table not in self._joining:
                self._join(table)
        if not self.is_resting:
            if self.world.has_hosts and self.rng.random() < 0.3:
                self._host()
            self._repeat()
            for table in list(self.folds):
                self._at(table)

    def leave(self) -> None:
        if self.wire is not None:
            self.wire.cut()
            self.lost(self.wire)

    def _arrive(self) -> None:
        site = self.world.random_site(self.rng)
        if site is None:
            return
        if self.is_entered:
            site.connect(self)
            return
        if self.fresh_key == self.key:
            self.fresh_key = self.rng.randbytes(16).hex()
        old, new = hash_of_key(self.key), hash_of_key(self.fresh_key)
        browser = Browser(old, new, f"10.0.0.{self.world.number}")
        site.ask(self, _call("enter", self.name, None, browser, ""), self._entered)

    def _entered(self, _: Any) -> None:
        self.is_entered = True
        self.key = self.fresh_key

    def _host(self) -> None:
        """Look at the lobby, follow a link, and open a table."""
        assert self.wire is not None
        rng, ask = self.rng, partial(self.wire.site.ask, self)
        look = partial(self._in_the_lobby, ask)
        ask(lambda shared: [feed.name for feed in shared.visible_feeds()], look)
        if self.links:
            ask(partial(_follow, *self.links.popitem()), self._admitted)
        if not self.is_leaving and rng.random() < 0.2:
            poule = rng.choice((None, None, 3, 4))
            self.orders[f"o{len(self.orders) + 1}"] = TableOrder(
                rng.choice(("quick", "old_paris")),
                challenger=rng.choice(("delphine", "novice", "nobody")),
                pace=rng.choice(("quick", "usual", "slow")),
                spectators=rng.choice((0, 3)),
                games=0 if poule else rng.choice((0, 0, 1, 2)),
                audience=rng.choice(("public", "link")),
                poule=poule,
            )
        for key, order in self.orders.items():
            if key not in self.opened or rng.random() < 0.02:
                ask(_call("open_table", self.name, key, order), partial(self._opened, key))

    def _in_the_lobby(self, ask: Callable[..., None], names: list[str]) -> None:
        """Watch another table, or ask for one that is not shown; change or close one's own."""
        rng = self.rng
        poules = {self.opened.get(key) for key, order in self.orders.items() if order.poule}
        self.reached.update(names)
        others = sorted({*names, *self.world.hosted()} - {*self.tables})
        if others and len(self.tables) < 5:
            self.tables.append(rng.choice(others))
        for table in [name for name in names if name in self.opened.values()]:
            if self.is_leaving or rng.random() < 0.1:
                ask(_call("close_table", self.name, table), self._closed)
            elif table not in poules and rng.random() < 0.1:
                order = TableOrder(stake_cents=rng.randrange(2_000))
                ask(_call("change_table", self.name, table, order), partial(self._changed, order))

    def _closed(self, answer: Message) -> None:
        self.closed.add(answer["table"])

    def _changed(self, order: TableOrder, answer: Message) -> None:
        self.changed.append((answer["table"], order.stake_cents))

    def _opened(self, key: str, answer: Message) -> None:
        table = answer["table"]
        same = self.opened.setdefault(key, table) == table
        self.world.check(same, f"{self.name}'s {key}: {self.opened[key]}, then {answer}")
        if answer["link"]:
            friend = self.rng.choice(self.world.visitors)
            friend.links[table] = answer["link"]
            self.world.invited.setdefault(table, set()).add(friend.name)

    def _admitted(self, tables: frozenset[str]) -> None:
        self.admitted = tables
        self.leave()  # the page of the link has a connection of its own

    def _forget(self, table: str) -> None:
        self.folds.pop(table, None)
        self._rest.pop(table, None)
        self.tables = [name for name in self.tables if name != table]

    def _join(self, table: str) -> None:
        fold, payload = self._rest.get(table), {"table": table}
        if fold is not None and self.rng.random() < 0.8:
            payload["since"] = fold.known["version"]
        self._joining.add(table)
        self._send("join", payload, lambda answer: self._joined(table, answer))

    def _joined(self, table: str, answer: Message) -> None:
        self._joining.discard(table)
        if not answer.get("ok"):
            if answer["reason"] == "unknown_table":
                self._forget(table)
            return
        fold = self._rest.pop(table, None)
        if "snapshot" in answer:
            fold = Client(answer["snapshot"])
            self.heard[table].append(("snapshot", answer["snapshot"]))
        else:
            assert fold is not None
            for message in answer["events"]:
                fold.hear(message)
                self.heard[table].append(("event", message))
            fold.known["taking"] = answer["taking"]
        self.world.check(
            fold.known["version"] == answer["version"], f"{table}: join to a wrong version"
        )
        self.folds[table] = fold
        self.reached.add(table)
        if "you" in answer:
            self._you(answer["you"])

    def _at(self, table: str) -> None:
        known, rng = self.folds[table].known, self.rng
        game, you = known.get("game"), self.private.get(table, {})
        assert self.wire is not None
        if game and not known["closed"] and not known["locked"]:
            mine = [w for w in self.wanted.values() if w["game"] == game]
            if not self.is_leaving and known["taking"] and not mine and rng.random() < 0.5:
                self._bet(table, game)
        elif game and known["locked"] and not known["closed"] and game in self.texts:
            self._open_text(table, game)
        if you.get("legal") and you.get("game") == game:
            self._act(table, you)
        elif self.plays and not self.is_leaving and rng.random() < 0.1:
            seated = self.name in (known.get("holder"), *known.get("queue", ()))
            kind = "leave_seat" if seated else "take_seat"
            if not seated or rng.random() < 0.1:
                cover = {} if seated else {"cover_cents": rng.choice((0, 1_000, 20_000))}
                self._send(kind, {"table": table, **cover})
        if rng.random() < 0.03:
            self._send_invalid(table)
        if rng.random() < 0.02:
            self._send("say", {"table": table, "phrase": "bravo"})
        if rng.random() < 0.05:
            views = self.wire.site.views
            self.wire.site.ask(self, lambda _: views.refill(self.name), lambda _: None)
        if rng.random() < 0.02:
            self._send("more_time", {"table": table})
        if rng.random() < 0.02 and game:
            self._send("start", {"table": table, "game": game})

    def _send_invalid(self, table: str) -> None:
        """Send an invalid message, which must only be refused."""
        game = self.rng.choice((self.folds[table].known.get("game") or "x", f"{table}-000001"))
        action = self.rng.choice(("P", "S", "XKH", "KH", "7S", "K", "C", "V", "W", "EKH", "?"))
        bet = {"bet_id": "n", "side": "house", "unit_cents": self.rng.choice((-5, 9, 10**12))}
        version = self.folds[table].known["version"]
        name, payload = self.rng.choice(
            (
                ("place_bet", {"table": table, "game": game, **bet}),
                ("act", {"table": table, "version": 10**9, "action": action}),
                ("act", {"table": table, "version": version, "action": action}),
                ("open_cut", {"table": table, "game": game, "text": "late"}),
                ("cut", {"table": table, "game": game, "seal": "0" * 64}),
                ("leave_seat", {"table": table}),
                ("join", {"table": "nowhere"}),
                ("no such message", {}),
            )
        )
        self._send(name, payload)

    def _bet(self, table: str, game: str) -> None:
        bet = f"b{len(self.wanted) + 1}"
        payload: Message = {"table": table, "game": game, "bet_id": bet}
        payload["side"] = self.rng.choice(("house", "challenger"))
        payload["unit_cents"] = self.rng.choice((100, 500, 1_000))
        if self.rng.random() < 0.7:
            text = make_contribution(self.name, self.rng.randbytes(16))
            payload["seal"] = commitment_to(game, self.name, text)
            self.texts[game] = table, text
        self.wanted[bet] = payload
        self._send_bet(bet)

    def _send_bet(self, bet: str) -> None:
        self._send("place_bet", self.wanted[bet], lambda answer: self._bet_answered(bet, answer))

    def _bet_answered(self, bet: str, answer: Message) -> None:
        if answer.get("ok"):
            self.world.check(
                bet not in self.refused, f"{self.name}'s {bet} was refused and then accepted"
            )
            first = self.acknowledged.setdefault(bet, answer)
            same = first["bet"] == answer["bet"]
            self.world.check(same, f"{self.name}'s {bet} was answered {first}, then {answer}")
        elif answer["code"] not in RETRYABLE_CODES:
            self.world.check(
                bet not in self.acknowledged, f"{self.name}'s {bet} was accepted, then {answer}"
            )
            self.world.check(answer["reason"] != "not_entered", f"{self.name} was forgotten")
            self.refused[bet] = answer["reason"]

    def _repeat(self) -> None:
        """Repeat unanswered requests, and sometimes answered ones."""
        for bet in self.wanted:
            is_open = bet not in self.acknowledged and bet not in self.refused
            if (is_open and self.rng.random() < 0.5) or self.rng.random() < 0.01:
                self._send_bet(bet)

    def open_bets(self) -> list[str]:
        return [b for b in self.wanted if b not in self.acknowledged and b not in self.refused]

    def _open_text(self, table: str, game: str) -> None:
        if not self.withholds or self.rng.random() < 0.1:
            _, text = self.texts.pop(game)
            self._send("open_cut", {"table": table, "game": game, "text": text})

    def _act(self, table: str, you: Message) -> None:
        if self._acted_at.get(table) != you["version"] and self.rng.random() < 0.9:
            self._acted_at[table] = you["version"]
            action = self.rng.choice(you["legal"])
            self._send(
                "act",
                {"table": table, "version": you["version"], "action": action},
                lambda _: self._acted_at.update({table: -1}),
            )

    def _send(
        self, name: str, payload: Message, on_answer: Callable[[Message], None] = lambda _: None
    ) -> None:
        assert self.wire is not None
        self._numbers += 1
        self._asked[self._numbers] = self.world.loop.now, on_answer
        self.wire.site.receive(self.wire, self._numbers, name, payload)

    # What they hear.

    def connected(self, wire: SimulatedConnection) -> None:
        if self.wire is not None or not wire.is_open:
            wire.cut()
            return
        self.wire = wire

    def lost(self, wire: SimulatedConnection) -> None:
        if self.wire is wire:
            self.wire = None
            self._asked.clear()
            self._acted_at.clear()
            self._joining.clear()
            self._rest |= self.folds
            self.folds.clear()

    def answered(self, number: int, answer: Message) -> None:
        _, on_answer = self._asked.pop(number)
        on_answer(msgspec.json.decode(msgspec.json.encode(answer)))

    def hear_all(self, frames: list[bytes]) -> None:
        for data in frames:
            for name, payload in read_frames(data):
                self.hear(name, payload)

    def hear(self, name: str, payload: Message) -> None:
        table = payload.get("table", "")
        self.reached.add(table)
        if name == "you":
            self._you(payload)
        if name == "table_closed" and payload["is_over"]:
            self._forget(table)
        fold = self.folds.get(table)
        if name != "event" or fold is None:
            return
        self.heard[table].append(("event", payload))
        if payload["type"] == "restored":
            # The table was read again: its fold begins with a snapshot.
            del self.folds[table]
            self._join(table)
        else:
            fold.hear(payload)

    def _you(self, payload: Message) -> None:
        table = payload["table"]
        self.heard[table].append(("you", payload))
        if payload["version"] >= self.private.get(table, {"version": -1})["version"]:
            self.private[table] = payload
