"""Check the data that an export lacks: pages and tables, balances, signatures and secrets."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence, Set
from contextlib import closing
from heapq import merge
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import Any, Final, TypeAlias

from casino.audit.check import NOTE, Finding
from casino.audit.source import FileSource, Source, read_leaves
from casino.events.types import ActionTaken, PackDealt, SeatChanged, decode_or_none
from casino.ledger.log_reader import LogReader
from casino.ledger.storage import schema, sqlite
from casino.ledger.storage.base import ALL, StorageError
from casino.ledger.storage.location import LogLocation, SqliteLocation
from casino.ledger.tlog import TILE
from casino.ledger.transaction import answers_hash

_BOX: Final = 12 + 16  # bytes that encryption adds to a secret: nonce and tag
_MAX_FINDINGS: Final = 200  # of one check: an audit ends after 1,000 errors
NOT_SIGNED: Final = "the leaves are not signed: the newest signature is missing"
_MAX_FAULTS: Final = 20  # maximum faults that one query reports

StoreCheck: TypeAlias = Callable[[LogReader], Generator[Finding]]


def check_counts(store: LogReader) -> Generator[Finding]:
    """Report tree nodes that are too many, and signed leaves that the log lacks at its end."""
    size = store.number("SELECT count(*) FROM leaf")
    expected = sum(size >> level for level in range(TILE, 64, TILE))
    nodes = store.number("SELECT count(*) FROM node")
    # A missing node is found when its leaves are hashed.
    if nodes > expected:
        yield Finding("tree", f"{nodes} nodes are stored, but {size} leaves make {expected}")
    newest = store.signed_head()
    signed = max(store.published_size(), newest.size if newest else 0)
    if signed > (size := store.size()):
        text = f"the log ends too early: {signed} leaves were signed, but it has only {size}"
        yield Finding("leaves", text, size)


def check_pages(store: LogReader) -> Generator[Finding]:
    """Check pages, rows, constraints and indexes with SQLite's `integrity_check`."""
    try:
        texts = list(store.rows(f"PRAGMA integrity_check({_MAX_FAULTS})"))
    except StorageError:
        # The check fails at a damaged page, and Python drops the row before a failure, which names
        # the page. With a limit of one row, the check ends before it fails.
        texts = list(store.rows("PRAGMA integrity_check(1)"))
    for line in "\n".join(text for (text,) in texts).split("\n"):
        if line not in ("ok", "*** in database main ***"):
            yield Finding("file", line)


def check_file_schema(store: LogReader) -> Generator[Finding]:
    """Check that a file's tables, indexes, triggers and views are those this program creates."""
    sql = "SELECT type, name, sql FROM sqlite_master"
    yield from _differences(sqlite.rows_of_new_file(sql), set(store.rows(sql)))


def check_database_schema(store: LogReader) -> Generator[Finding]:
    """Check that triggers and functions are those this program creates, with triggers enabled."""
    expected = {
        (
            "trigger",
            f"{table}_stays",
            f"CREATE TRIGGER {table}_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON casino.{table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION casino.refuse() A",
        )
        for table in schema.APPEND_ONLY
    }
    expected |= {("function", name, body) for name, (_, body) in schema.POSTGRES_FUNCTIONS.items()}
    triggers = """
        SELECT 'trigger', tgname::text,
            replace(pg_get_triggerdef(pg_trigger.oid), 'FUNCTION refuse', 'FUNCTION casino.refuse')
            || ' ' || tgenabled::text
        FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = 'casino'::regnamespace AND NOT tgisinternal
    """
    functions = """
        SELECT 'function', proname::text, prosrc FROM pg_proc
        WHERE pronamespace = 'casino'::regnamespace
    """
    actual = {*store.rows(triggers), *store.rows(functions)}
    yield from _differences(expected, actual)


def _differences(expected: Set[Any], actual: Set[Any]) -> Iterator[Finding]:
    there = {row[:2] for row in actual}
    for kind, name in sorted({row[:2] for row in expected ^ actual}):
        fault = "not as this program creates it" if (kind, name) in there else "missing"
        yield Finding("file", f"{kind} {name} is {fault}")


def integrity_checks(location: LogLocation) -> Sequence[StoreCheck]:
    """Return the integrity checks of a file or a database, which an audit runs in parallel."""
    # Slowest first, because they run in parallel.
    if isinstance(location, SqliteLocation):
        return check_pages, check_counts, check_file_schema
    return check_counts, check_database_schema


def check_store(open_queries: Callable[[], LogReader], check: StoreCheck) -> list[Finding]:
    """Run one check on a snapshot of the store; report a failed read as a finding."""
    try:
        # Closed in this order, because an unfinished query needs its connection.
        with closing(open_queries()) as store, store.snapshot(), closing(check(store)) as faults:
            return list(islice(faults, _MAX_FINDINGS))
    except StorageError as error:
        return [Finding("file", f"it cannot be read to the end: {error}")]


def find_damage(source: Source) -> list[Finding]:
    """Return findings about a store's damaged pages and the first unreadable leaf."""
    if not isinstance(source, FileSource):
        return []
    location = source.location
    findings: list[Finding] = []
    for check in integrity_checks(location):
        findings += check_store(location.open_queries, check)
    number = 0
    try:
        for leaves in read_leaves(source.log):
            number = leaves[-1][0] + 1
    except StorageError as error:
        findings.append(Finding("leaves", f"this leaf cannot be read: {error}", number))
    return findings


def check_answers(store: LogReader) -> Generator[Finding]:
    """Compare the stored answers with the hashes in the leaves that bind them (L21)."""
    logged = (
        (number, "", getattr(decode_or_none(body), "hash", None))
        for number, body in store.answers_leaves()
    )
    stored = (
        (number, "stored", answers_hash(reply for _, reply in replies))
        for number, replies in groupby(store.answers(), itemgetter(0))
    )
    for number, rows in groupby(merge(logged, stored, key=itemgetter(0)), itemgetter(0)):
        (_, is_unbound, bound), *answers = rows
        text = "a stored answer to one of its commands is not the one that was given"
        if is_unbound:
            text = "no leaf binds this stored answer"
        elif [row[2] for row in answers] == [bound]:
            continue
        yield Finding("commands", text, number)


def check_published(log: LogReader) -> Iterator[Finding]:
    """Check that a signature was stored after each game and before the next one ended (L7)."""
    ends = [(leaf.n, leaf.subject) for leaf in log.of_kinds(["game_over", "game_void"])]
    sizes, size = (checkpoint.size for checkpoint in log.checkpoints()), 0
    for (end, game), (next_end, _) in pairwise([*ends, (ALL, None)]):
        while size <= end:
            size = next(sizes, ALL + 1)
        if size > next_end:
            yield Finding("checkpoints", "no signature was kept after this game", end, game)


def check_open_subjects(log: LogReader, running: set[str]) -> Iterator[Finding]:
    """Check that exactly the unfinished games are stored as running."""
    stored = log.open_subjects()
    for game in sorted(stored.keys() ^ running):
        text = "is over, but stored as running" if game in stored else "is not stored as running"
        yield Finding("tables", f"{game} {text}", game=game)


def check_secrets(log: LogReader, open_games: set[str]) -> Iterator[Finding]:
    """Check that exactly the secrets still needed are stored, without decrypting them.

    A copy made without keys has none: its log is complete, but no game can continue from it.
    """
    kept = log.secrets()
    if not kept:
        if any(_check_game_secrets(log, game, {}) for game in open_games):
            text = "the file has no secrets, like a copy without keys: running games would be void"
            yield Finding("secrets", text, severity=NOTE)
        return
    for game in sorted(kept.keys() | open_games):
        table, offers, player = game.partition("/")
        if offers:
            yield from _check_offer(log, table, player, kept[game])
        elif game not in open_games:
            yield Finding("secrets", "secrets of a game that is not running are stored", game=game)
        else:
            yield from _check_game_secrets(log, game, kept.get(game, {}))


def _check_game_secrets(log: LogReader, game: str, kept: dict[str, bytes]) -> list[Finding]:
    findings, expected, deal, entry_number = list[Finding](), set(), 0, 0
    for number, body in log.of_subject(game):
        leaf = decode_or_none(body)
        if isinstance(leaf, PackDealt):
            deal, entry_number = leaf.deal, 0
        entry_number += isinstance(leaf, ActionTaken)
        if isinstance(leaf, ActionTaken) and leaf.seal is not None:
            name = f"action {deal} {entry_number}"
            expected.add(name)
            if len(kept.get(name, b"")) != _BOX + len(leaf.action):
                text = f"{name} is missing: the game cannot continue after a restart"
                findings.append(Finding("secrets", text, number, game))
    extra = sorted(kept.keys() - expected)
    return findings + [
        Finding("secrets", f"{name} belongs to no leaf", game=game) for name in extra
    ]


def _check_offer(
    log: LogReader, table: str, player: str, kept: dict[str, bytes]
) -> Iterator[Finding]:
    last = "left"
    for _, body in log.of_owner(player):
        leaf = decode_or_none(body)
        if isinstance(leaf, SeatChanged) and leaf.table == table:
            last = leaf.what
    if last == "left" or kept.keys() != {"cover"} or len(kept["cover"]) <= _BOX:
        text = f"{', '.join(kept)} of {player} at {table} belongs to no leaf"
        yield Finding("secrets", text)
