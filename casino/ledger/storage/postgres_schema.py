"""PostgreSQL schema of a casino's database, with a function that guards its invariants.

The tables correspond to those of a SQLite file (see `schema`). A casino stores groups only through
the function `append`, which refuses gaps, entries that do not sum to zero, negative balances and
unsigned leaves. The function runs with the rights of the role that prepared the database; the
casino's own role may read the tables and call the function, but not write to the tables itself.
Triggers refuse every change of append-only rows, even by the tables' owner.
"""

from __future__ import annotations

from typing import Final

from casino.ledger.storage.base import LeafFields

FORMAT: Final = 2  # the version of these tables, returned by `casino.format()`
FORMER_FORMAT: Final = 1  # the previous version, which can only be copied

HOUSE_LOCK: Final = 0x45434152  # advisory lock of the one casino that may write

TABLES: Final = """
CREATE SCHEMA casino;
SET LOCAL search_path = casino;

CREATE TABLE leaf (
    n bigint PRIMARY KEY CHECK (n >= 0),
    body bytea NOT NULL CHECK (length(body) BETWEEN 3 AND 65535)
);
CREATE TABLE open_subject (name text COLLATE "C" PRIMARY KEY);
CREATE TABLE node (
    level bigint CHECK (level > 0 AND level % 8 = 0),
    place bigint CHECK (place >= 0),
    hash bytea NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (level, place)
);
CREATE TABLE checkpoint (size bigint PRIMARY KEY CHECK (size > 0), note text NOT NULL);
CREATE TABLE newest (
    one bigint PRIMARY KEY CHECK (one = 1),
    size bigint NOT NULL CHECK (size > 0),
    note text NOT NULL,
    balances bytea NOT NULL CHECK (length(balances) = 32)
);
CREATE TABLE account (
    name text COLLATE "C" PRIMARY KEY,
    balance bigint NOT NULL CHECK (balance >= 0 OR name = 'treasury')
);
CREATE TABLE entry (n bigint PRIMARY KEY CHECK (n > 0), leaf bigint NOT NULL);
CREATE TABLE command (
    id text COLLATE "C" PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 128),
    content bytea NOT NULL CHECK (length(content) = 16),
    leaf bigint,
    bound bigint NOT NULL,
    answer bytea NOT NULL
);
CREATE TABLE secret (
    subject text COLLATE "C",
    name text COLLATE "C",
    value bytea NOT NULL,
    PRIMARY KEY (subject, name)
);
CREATE TABLE about (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);
"""


def _field(*path: str | int) -> str:
    keys = ",".join(map(str, path))
    return f"(casino.leaf_json(body) #>> '{{{keys}}}') COLLATE \"C\""


FIELDS: Final = LeafFields.of(_field)

# Tables whose rows are never changed or deleted.
KEPT: Final = ("leaf", "node", "checkpoint", "entry", "command", "about")

# The operations refused on each table, even to its owner.
GUARDED: Final = {
    **dict.fromkeys(KEPT, "DELETE OR UPDATE OR TRUNCATE"),
    "newest": "DELETE OR TRUNCATE",
    "account": "TRUNCATE",
    "open_subject": "TRUNCATE",
    "secret": "TRUNCATE",
}

_FORMAT: Final = f"SELECT {FORMAT}"

_REFUSE: Final = """
BEGIN
    RAISE EXCEPTION '% is never changed', TG_TABLE_NAME USING ERRCODE = '23000';
END
"""

_DEMAND: Final = """
BEGIN
    IF holds IS NOT TRUE THEN
        RAISE EXCEPTION '%', said USING ERRCODE = '23000';
    END IF;
END
"""

ARGUMENTS: Final = (
    "first bigint, bodies bytea[],"
    " levels bigint[], places bigint[], hashes bytea[],"
    " posted bigint[], accounts text[], amounts bigint[],"
    " entries bigint[], entry_leaves bigint[],"
    " ids text[], contents bytea[], made bigint[], bounds bigint[], answers bytea[],"
    " begun text[], ended text[],"
    " hidden text[], hidden_names text[], hidden_values bytea[],"
    " sizes bigint[], notes text[],"
    " signed bigint, note text, sealed bytea"
)

_APPEND: Final = f"""
DECLARE
    total CONSTANT bigint := append.first + cardinality(bodies);
    before bigint;
BEGIN
    PERFORM demand(pg_try_advisory_xact_lock({HOUSE_LOCK}), 'another house writes this log');
    PERFORM demand(append.first = (SELECT coalesce(max(n), -1) + 1 FROM leaf), 'leaf has no gaps');
    PERFORM demand(NOT EXISTS (
        SELECT FROM unnest(entry_leaves || bounds) AS said (n)
        WHERE said.n < append.first OR said.n >= total
    ), 'what is stored beside leaves is of these leaves');
    INSERT INTO leaf (n, body)
        SELECT append.first + place - 1, body
        FROM unnest(bodies) WITH ORDINALITY AS one (body, place);

    IF cardinality(levels) > 0 OR append.first >> 8 <> total >> 8 THEN
        PERFORM demand(NOT EXISTS (
            SELECT FROM generate_series(8, 56, 8) AS due (level)
            WHERE (total >> due.level) - (append.first >> due.level)
               <> (SELECT count(*) FROM unnest(levels) AS one (level) WHERE one.level = due.level)
        ) AND NOT EXISTS (
            SELECT FROM unnest(levels, places) AS one (level, place)
            WHERE one.place < append.first >> one.level::int
               OR one.place >= total >> one.level::int
        ), 'node has no gaps');
        INSERT INTO node (level, place, hash) SELECT * FROM unnest(levels, places, hashes);
    END IF;

    IF cardinality(entries) > 0 OR cardinality(posted) > 0 THEN
        before := (SELECT coalesce(max(n), 0) FROM entry);
        PERFORM demand(entries = ARRAY(
            SELECT generate_series(before + 1, before + cardinality(entries))
        ), 'entry has no gaps');
        PERFORM demand(entries = ARRAY(
            SELECT one.entry FROM unnest(posted, amounts) AS one (entry, cents)
            GROUP BY one.entry HAVING count(*) > 1 AND sum(one.cents) = 0 ORDER BY one.entry
        ) AND NOT EXISTS (SELECT FROM unnest(posted) AS one (entry) WHERE one.entry <> ALL (entries)
        ), 'an entry sums to 0');
        PERFORM demand((
            SELECT count(*) = count(DISTINCT (one.entry, one.account))
            FROM unnest(posted, accounts) AS one (entry, account)
        ), 'an entry moves an account once');
        PERFORM demand(NOT EXISTS (
            SELECT FROM (
                SELECT one.account,
                    sum(one.cents) OVER (PARTITION BY one.account ORDER BY one.entry) AS moved
                FROM unnest(posted, accounts, amounts) AS one (entry, account, cents)
            ) AS moves LEFT JOIN account ON account.name = moves.account
            WHERE moves.account <> 'treasury' AND coalesce(account.balance, 0) + moves.moved < 0
        ), 'no balance falls below 0');
        INSERT INTO entry (n, leaf) SELECT * FROM unnest(entries, entry_leaves);
        UPDATE account SET balance = balance + moved.cents
            FROM (
                SELECT one.account, sum(one.cents)::bigint AS cents
                FROM unnest(accounts, amounts) AS one (account, cents) GROUP BY one.account
            ) AS moved WHERE account.name = moved.account;
        INSERT INTO account (name, balance)
            SELECT one.account, sum(one.cents)
            FROM unnest(accounts, amounts) AS one (account, cents)
            WHERE NOT EXISTS (SELECT FROM account WHERE account.name = one.account)
            GROUP BY one.account HAVING sum(one.cents) <> 0;
        DELETE FROM account WHERE balance = 0 AND name = ANY (accounts);
    END IF;

    IF cardinality(ids) > 0 THEN
        INSERT INTO command (id, content, leaf, bound, answer)
            SELECT * FROM unnest(ids, contents, made, bounds, answers);
    END IF;
    INSERT INTO open_subject (name) SELECT * FROM unnest(begun);
    DELETE FROM open_subject WHERE name = ANY (ended);
    FOR i IN 1 .. cardinality(hidden) LOOP
        IF hidden_names[i] IS NULL THEN
            DELETE FROM secret WHERE subject = hidden[i];
        ELSE
            INSERT INTO secret (subject, name, value)
                VALUES (hidden[i], hidden_names[i], hidden_values[i]);
        END IF;
    END LOOP;

    IF append.note IS NOT NULL THEN
        PERFORM demand(signed = total, 'a signature is over all leaves');
        INSERT INTO newest (one, size, note, balances) VALUES (1, signed, append.note, sealed)
            ON CONFLICT (one) DO UPDATE
            SET size = excluded.size, note = excluded.note, balances = excluded.balances;
    ELSE
        PERFORM demand(cardinality(bodies) = 0, 'no leaf is stored unsigned');
    END IF;
    IF cardinality(sizes) > 0 THEN
        before := (SELECT coalesce(max(size), 0) FROM checkpoint);
        PERFORM demand(NOT EXISTS (
            SELECT FROM unnest(sizes) AS one (size) WHERE one.size <= before OR one.size > total
        ), 'checkpoint grows at its end');
        INSERT INTO checkpoint (size, note) SELECT * FROM unnest(sizes, notes);
    END IF;
END
"""

# Declaration and body of each function.
FUNCTIONS: Final = {
    "format": ("() RETURNS int LANGUAGE sql IMMUTABLE", _FORMAT),
    # Indexes require IMMUTABLE. convert_from is not, but is safe here as the encoding is constant.
    "leaf_json": (
        "(body bytea) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE",
        "SELECT convert_from(body, 'UTF8')::jsonb",
    ),
    "refuse": ("() RETURNS trigger LANGUAGE plpgsql", _REFUSE),
    "demand": ("(holds boolean, said text) RETURNS void LANGUAGE plpgsql", _DEMAND),
    "append": (
        f"({ARGUMENTS}) RETURNS void LANGUAGE plpgsql SECURITY DEFINER"
        " SET search_path = casino, pg_temp",
        _APPEND,
    ),
}


def statements() -> str:
    """Return the SQL that creates the casino's schema."""
    parts = [TABLES]
    for name, (head, body) in FUNCTIONS.items():
        parts.append(f"CREATE FUNCTION {name}{head} AS $casino${body}$casino$;\n")
        if name != "format":
            parts.append(f"REVOKE EXECUTE ON FUNCTION {name} FROM PUBLIC;\n")
    parts.append(FIELDS.indexes())
    for table, events in GUARDED.items():
        parts.append(
            f"CREATE TRIGGER {table}_stays BEFORE {events} ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION refuse();\n"
            f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_stays;\n"
        )
    return "".join(parts)


def grants(role: str) -> str:
    """Return the SQL that grants a casino's role its rights; `role` must be quoted already."""
    return f"""
        GRANT USAGE ON SCHEMA casino TO {role};
        GRANT SELECT ON ALL TABLES IN SCHEMA casino TO {role};
        GRANT INSERT ON casino.about TO {role};
        GRANT EXECUTE ON FUNCTION casino.append, casino.leaf_json TO {role};
    """
