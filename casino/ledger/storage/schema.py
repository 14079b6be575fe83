"""SQL schema of a log, for a SQLite file and a PostgreSQL database.

The leaves are stored as canonical JSON text. Two columns repeat values by which rare leaves are
looked up, and `subject` holds the first and last leaf of each game; an audit compares all of them
with the leaves. Expression indexes over the JSON would need no audit, but cost 7 µs per leaf and
1.5 kB per game. Postings have no table: with an index by account, it would add 3 kB to the 11 kB of
a game with ten bettors. The view `postings` reads them from the leaves.

People's accounts (table `people`) are stored here too, so that a copied database contains them, but
they are in no leaf and in no copy for auditors.

Triggers refuse every change of the log (`leaf`), the published signatures (`checkpoint`) and the
responses (`command`) (L9). In PostgreSQL the casino's role has no right to change these tables.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_TABLES: Final = """
CREATE TABLE leaf (
    n {integer} PRIMARY KEY CHECK (n >= 0),
    body {text} NOT NULL CHECK (length(body) BETWEEN 3 AND 65535),
    kind {text},
    owner {text}
){by_number};

CREATE INDEX leaf_kind ON leaf (kind) WHERE kind IS NOT NULL;

CREATE INDEX leaf_owner ON leaf (owner) WHERE owner IS NOT NULL;

CREATE TABLE node (
    level {integer} NOT NULL CHECK (level > 0 AND level % 8 = 0),
    place {integer} NOT NULL CHECK (place >= 0),
    hash {blob} NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (level, place)
){by_key};

CREATE TABLE checkpoint (
    size {integer} PRIMARY KEY CHECK (size > 0),
    note {text} NOT NULL
){by_number};

CREATE TABLE newest (
    one {integer} PRIMARY KEY CHECK (one = 1),
    size {integer} NOT NULL CHECK (size > 0),
    note {text} NOT NULL
){by_number};

CREATE TABLE account (
    name {text} PRIMARY KEY,
    balance {integer} NOT NULL CHECK (balance > 0 OR balance < 0 AND name = 'treasury')
){by_key};

CREATE TABLE command (
    id {text} PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 128),
    content {blob} NOT NULL CHECK (length(content) = 16),
    leaf {integer} REFERENCES leaf (n),
    bound {integer} NOT NULL REFERENCES leaf (n),
    answer {blob} NOT NULL
){by_key};

CREATE TABLE subject (
    name {text} NOT NULL,
    first {integer} NOT NULL,
    last {integer},
    PRIMARY KEY (name, first)
){by_key};

CREATE TABLE secret (
    subject {text} NOT NULL,
    name {text} NOT NULL,
    value {blob} NOT NULL,
    PRIMARY KEY (subject, name)
){by_key};

CREATE TABLE people (
    kind {text} NOT NULL,
    name {text} NOT NULL,
    value {text} NOT NULL,
    PRIMARY KEY (kind, name)
){by_key};

CREATE TABLE about (name {text} PRIMARY KEY, value {text} NOT NULL){by_key};
"""

# Tables whose rows are never changed or deleted, each with its key column.
APPEND_ONLY: Final = {"leaf": "n", "checkpoint": "size", "command": "id"}

# Tables whose rows change; of these, only `subject` grows with the log.
CHANGED: Final = ("account", "newest", "subject", "secret", "people")


class Dialect(NamedTuple):
    """The SQL types and expressions that differ between the two backends."""

    integer: str
    text: str
    blob: str
    by_number: str  # what follows the columns of a table whose key is a number
    by_key: str
    body: str  # a leaf's bytes
    contains: str  # whether a leaf contains a text

    def tables(self) -> str:
        """Return the SQL that creates tables and indexes."""
        return _TABLES.format(**self._asdict())


SQLITE: Final = Dialect(
    "INTEGER",
    "TEXT",
    "BLOB",
    " STRICT",
    " STRICT, WITHOUT ROWID",
    # In a damaged file the column may have any type: read it as bytes regardless.
    "ifnull(CAST(body AS BLOB), x'')",
    "instr(body, ?) > 0",
)
POSTGRES: Final = Dialect(
    "bigint", 'text COLLATE "C"', "bytea", "", "", "convert_to(body, 'UTF8')", "strpos(body, ?) > 0"
)

_SQLITE_GUARD: Final = """
CREATE TRIGGER {table}_keeps BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is never changed'); END;
CREATE TRIGGER {table}_stays BEFORE DELETE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is never deleted from'); END;
CREATE TRIGGER {table}_grows BEFORE INSERT ON {table}
WHEN EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key})
BEGIN SELECT RAISE(ABORT, '{table} is never changed'); END;
"""


def sqlite_statements() -> str:
    """Return the SQL that creates the schema of a file."""
    guards = [_SQLITE_GUARD.format(table=table, key=key) for table, key in APPEND_ONLY.items()]
    views = [f'CREATE VIEW "{name}" AS {query};\n' for name, query in VIEWS.items()]
    return "".join([SQLITE.tables(), *guards, *views])


POSTGRES_FORMAT: Final = 4  # the version of the tables, returned by `casino.format()`

# Declaration and body of each function in PostgreSQL.
POSTGRES_FUNCTIONS: Final = {
    "format": ("() RETURNS int LANGUAGE sql IMMUTABLE", f"SELECT {POSTGRES_FORMAT}"),
    "refuse": (
        "() RETURNS trigger LANGUAGE plpgsql",
        "BEGIN RAISE EXCEPTION '% is never changed', TG_TABLE_NAME USING ERRCODE = '23000'; END",
    ),
}

_POSTGRES_GUARD: Final = """
CREATE TRIGGER {table}_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION refuse();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_stays;
"""


def postgres_statements() -> str:
    """Return the SQL that creates the schema of a database."""
    parts = ["CREATE SCHEMA casino;\nSET LOCAL search_path = casino;\n", POSTGRES.tables()]
    for name, (head, body) in POSTGRES_FUNCTIONS.items():
        parts.append(f"CREATE FUNCTION {name}{head} AS $casino${body}$casino$;\n")
    parts += [_POSTGRES_GUARD.format(table=table) for table in APPEND_ONLY]
    return "".join(parts)


def postgres_grants(role: str) -> str:
    """Return the SQL that grants a casino's role its rights; `role` must be quoted already."""
    changed = ", ".join(f"casino.{table}" for table in CHANGED)
    return f"""
        GRANT USAGE ON SCHEMA casino TO {role};
        GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA casino TO {role};
        GRANT UPDATE, DELETE ON {changed} TO {role};
    """


# Ordered so that each view follows those it depends on.
VIEWS: Final = {
    "leaves": """SELECT n, json_extract(body, '$.type') AS type,
       json_extract(body, '$.at') AS at_ms, json_extract(body, '$.game') AS game, body AS leaf
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
