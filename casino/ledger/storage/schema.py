"""SQLite schema of a casino's file, with triggers that guard its invariants.

The log (`leaf`), its tree (`node`), published signatures (`checkpoint`), entry numbers (`entry`)
and responses (`command`) are append-only: triggers refuse every change, even by INSERT OR REPLACE
(L9). A leaf's fields are not copied into columns, but indexed by expressions over its JSON, so that
SQLite's integrity check compares them with the leaf.

Rows of `posting` exist only within a transaction. Inserting one updates its account; storing the
signature deletes them all, because the entry's leaf contains them for good. Each refers to a row of
`nowhere`, a table that is always empty, so COMMIT fails while any posting is left. Thus the schema
itself ensures that entries sum to 0 (L1), that only the treasury falls below 0 (L4), and that no
entry is stored unsigned (L15). Accounts with a balance of 0 are deleted.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from casino.ledger.storage.base import LeafFields

TABLES: Final = """
CREATE TABLE leaf (
    n INTEGER PRIMARY KEY CHECK (n >= 0),
    body BLOB NOT NULL CHECK (length(body) BETWEEN 3 AND 65535)
) STRICT;

CREATE TABLE open_subject (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE node (
    level INTEGER NOT NULL CHECK (level > 0 AND level % 8 = 0),
    place INTEGER NOT NULL CHECK (place >= 0),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (level, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoint (
    size INTEGER PRIMARY KEY CHECK (size > 0),
    note TEXT NOT NULL
) STRICT;

CREATE TABLE newest (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    size INTEGER NOT NULL CHECK (size > 0),
    note TEXT NOT NULL,
    balances BLOB NOT NULL CHECK (length(balances) = 32)
) STRICT;

CREATE TABLE account (
    name TEXT PRIMARY KEY,
    balance INTEGER NOT NULL CHECK (balance >= 0 OR name = 'treasury')
) STRICT, WITHOUT ROWID;

CREATE TABLE entry (
    n INTEGER PRIMARY KEY CHECK (n > 0),
    leaf INTEGER NOT NULL REFERENCES leaf (n)
) STRICT;

CREATE TABLE nowhere (n INTEGER PRIMARY KEY CHECK (FALSE)) STRICT;

CREATE TABLE posting (
    entry INTEGER NOT NULL REFERENCES nowhere (n) DEFERRABLE INITIALLY DEFERRED,
    account TEXT NOT NULL,
    cents INTEGER NOT NULL CHECK (cents <> 0),
    PRIMARY KEY (entry, account)
) STRICT, WITHOUT ROWID;

CREATE TABLE command (
    id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 128),
    content BLOB NOT NULL CHECK (length(content) = 16),
    leaf INTEGER REFERENCES leaf (n),
    bound INTEGER NOT NULL REFERENCES leaf (n),
    answer BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE secret (
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (subject, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE about (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

_JSON: Final = "CAST(body AS TEXT)"


def _field(*path: str | int) -> str:
    keys = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    # A forged leaf may not be JSON. SQLite parses a leaf once for all expressions over it.
    return f"iif(json_valid({_JSON}), json_extract({_JSON}, '${keys}'), NULL)"


FIELDS: Final = LeafFields.of(_field)

# Tables whose rows are never changed or deleted.
KEPT: Final = ("leaf", "node", "checkpoint", "entry", "command", "about")

# Tables that do not grow with the log.
CHANGED: Final = ("account", "newest", "open_subject", "posting", "secret")

_NEVER_CHANGED: Final = """
CREATE TRIGGER {table}_keeps BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is never changed'); END;
"""
_NEVER_DELETED: Final = """
CREATE TRIGGER {table}_stays BEFORE DELETE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is never deleted from'); END;
"""
_GROWS: Final = """
CREATE TRIGGER {table}_grows BEFORE INSERT ON {table}
WHEN {wrong}
BEGIN SELECT RAISE(ABORT, '{table} {text}'); END;
"""

_MONEY: Final = """
CREATE TRIGGER posting_before_entry BEFORE INSERT ON posting
WHEN NEW.entry <= (SELECT max(n) FROM entry)
  OR EXISTS (SELECT 1 FROM posting WHERE entry = NEW.entry AND account = NEW.account)
BEGIN SELECT RAISE(ABORT, 'an entry is complete when it is made'); END;

CREATE TRIGGER posting_opens BEFORE INSERT ON posting
WHEN NOT EXISTS (SELECT 1 FROM account WHERE name = NEW.account)
BEGIN INSERT INTO account (name, balance) VALUES (NEW.account, 0); END;

CREATE TRIGGER posting_moves AFTER INSERT ON posting
BEGIN UPDATE account SET balance = balance + NEW.cents WHERE name = NEW.account; END;

CREATE TRIGGER entry_balances BEFORE INSERT ON entry
WHEN (SELECT count(*) < 2 OR sum(cents) <> 0 FROM posting WHERE entry = NEW.n)
BEGIN SELECT RAISE(ABORT, 'an entry sums to 0'); END;

CREATE TRIGGER posting_waits BEFORE DELETE ON posting
WHEN OLD.entry > (SELECT coalesce(max(n), 0) FROM entry)
BEGIN SELECT RAISE(ABORT, 'a posting waits for its entry'); END;

CREATE TRIGGER newest_first AFTER INSERT ON newest BEGIN DELETE FROM posting; END;
CREATE TRIGGER newest_renewed AFTER UPDATE ON newest BEGIN DELETE FROM posting; END;

CREATE TRIGGER account_empties AFTER UPDATE OF balance ON account WHEN NEW.balance = 0
BEGIN DELETE FROM account WHERE name = NEW.name; END;

CREATE TRIGGER account_holds BEFORE DELETE ON account WHEN OLD.balance <> 0
BEGIN SELECT RAISE(ABORT, 'an account that holds something stays'); END;
CREATE TRIGGER account_name_keeps BEFORE UPDATE OF name ON account
BEGIN SELECT RAISE(ABORT, 'an account keeps its name'); END;

CREATE TRIGGER newest_covers_more BEFORE UPDATE ON newest
WHEN NEW.size < OLD.size OR NEW.one <> OLD.one
BEGIN SELECT RAISE(ABORT, 'a signature covers no less than the one before'); END;
"""

# For each table: the condition under which a new row is refused, and the error text.
_WRONG: Final = {
    "leaf": ("NEW.n <> (SELECT coalesce(max(n), -1) + 1 FROM leaf)", "has no gaps"),
    "entry": ("NEW.n <> (SELECT coalesce(max(n), 0) + 1 FROM entry)", "has no gaps"),
    "checkpoint": ("NEW.size <= (SELECT max(size) FROM checkpoint)", "grows at its end"),
    "node": (
        "NEW.place <> (SELECT coalesce(max(place), -1) + 1 FROM node WHERE level = NEW.level)",
        "has no gaps",
    ),
    "account": (
        "NEW.balance <> 0 OR EXISTS (SELECT 1 FROM account WHERE name = NEW.name)",
        "opens once, with 0",
    ),
    "about": ("EXISTS (SELECT 1 FROM about WHERE name = NEW.name)", "is never changed"),
    "command": ("EXISTS (SELECT 1 FROM command WHERE id = NEW.id)", "is answered once"),
    "newest": ("EXISTS (SELECT 1 FROM newest)", "is one"),
}


def statements() -> str:
    """Return the SQL that creates the casino's schema."""
    parts = [TABLES, FIELDS.indexes(), _MONEY]
    parts += [_NEVER_CHANGED.format(table=table) for table in (*KEPT, "posting")]
    parts += [_NEVER_DELETED.format(table=table) for table in (*KEPT, "newest")]
    parts += [
        _GROWS.format(table=table, wrong=wrong, text=text)
        for table, (wrong, text) in _WRONG.items()
    ]
    return "".join(parts)


# Ordered so that each view follows those it depends on.
VIEWS: Final = {
    "leaves": """SELECT n, json_extract(CAST(body AS TEXT), '$.type') AS type,
       json_extract(CAST(body AS TEXT), '$.at') AS at_ms,
       json_extract(CAST(body AS TEXT), '$.game') AS game,
       CAST(body AS TEXT) AS leaf
FROM leaf""",
    "postings": """SELECT json_extract(said.leaf, '$.entry') AS entry, said.n AS leaf, said.at_ms,
       json_extract(said.leaf, '$.move') AS move, said.game,
       json_extract(posting.value, '$[0]') AS account,
       json_extract(posting.value, '$[1]') AS cents
FROM leaves AS said, json_each(said.leaf, '$.postings') AS posting
WHERE said.type = 'entry'""",
    "games": """SELECT game,
       max(json_extract(leaf, '$.table')) AS "table",
       min(at_ms) AS opened_ms,
       max(CASE WHEN type IN ('game_over', 'game_void') THEN at_ms END) AS ended_ms,
       max(json_extract(leaf, '$.players.house')) AS house,
       max(json_extract(leaf, '$.players.challenger')) AS challenger,
       max(json_extract(leaf, '$.winner')) AS winner,
       max(json_extract(leaf, '$.stake')) AS stake,
       max(json_extract(leaf, '$.score.house')) AS house_points,
       max(json_extract(leaf, '$.score.challenger')) AS challenger_points,
       max(json_extract(leaf, '$.matched_cents')) AS matched_cents,
       max(CASE type WHEN 'game_void' THEN json_extract(leaf, '$.reason') END) AS void
FROM leaves
WHERE type IN ('game_opened', 'betting_closed', 'game_over', 'game_void')
GROUP BY game""",
    "bets": """SELECT game, json_extract(leaf, '$.order') AS "order", at_ms,
       json_extract(leaf, '$.player') AS player,
       json_extract(leaf, '$.side') AS side,
       json_extract(leaf, '$.unit_cents') AS unit_cents,
       n AS leaf
FROM leaves
WHERE type = 'bet'""",
    "outcomes": """SELECT game, account,
       CASE WHEN account LIKE 'wallet/%' THEN substr(account, 8) END AS player,
       sum(cents) AS cents
FROM postings
WHERE account NOT LIKE 'escrow/%'
  AND game IN (SELECT game FROM leaves WHERE type IN ('game_over', 'game_void'))
GROUP BY game, account""",
    "balances": """SELECT account, sum(cents) AS cents
FROM postings
GROUP BY account
HAVING sum(cents) <> 0""",
}


def create_views(connection: sqlite3.Connection) -> None:
    """Create the views in a new file."""
    # Imported here because it loads slowly and is needed only when a file is created.
    from sqlite_utils import Database

    database = Database(connection)
    for name, query in VIEWS.items():
        database.create_view(name, query)


def rows() -> set[tuple[str, str, str]]:
    """Return the views as (type, name, SQL), as listed in `sqlite_schema`."""
    return {("view", name, f'CREATE VIEW "{name}" AS {query}') for name, query in VIEWS.items()}
