"""The tables of the casino's file, and the guards the file carries in itself.

Every table is STRICT. The log (`leaf`), its tree (`node`, `checkpoint`), the money (`entry`,
`posting`) and the answers given (`command`) only grow: triggers refuse every change, also the
one that INSERT OR REPLACE would make. `account.balance` is moved by a posting and by nothing
else. Only `secret` forgets: it holds what a running game must hide.
"""

from __future__ import annotations

from typing import Final

GROWING: Final = ("leaf", "node", "checkpoint", "entry", "command")
"""The tables of numbered rows that only grow."""

TABLES: Final = """
CREATE TABLE leaf (
    n INTEGER PRIMARY KEY CHECK (n >= 0),
    type TEXT NOT NULL,
    game TEXT,
    player TEXT,
    body BLOB NOT NULL CHECK (length(body) > 2)
) STRICT;
CREATE INDEX leaf_of_game ON leaf (game, n) WHERE game IS NOT NULL;
CREATE INDEX leaf_of_player ON leaf (player, n) WHERE player IS NOT NULL;
CREATE INDEX leaf_of_limit ON leaf (n) WHERE type = 'limit';
CREATE INDEX leaf_of_end ON leaf (n) WHERE type IN ('game_over', 'game_void');

CREATE TABLE node (
    n INTEGER PRIMARY KEY CHECK (n >= 0),
    level INTEGER NOT NULL CHECK (level > 0 AND level % 8 = 0),
    place INTEGER NOT NULL CHECK (place >= 0),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    UNIQUE (level, place)
) STRICT;

CREATE TABLE checkpoint (
    size INTEGER PRIMARY KEY CHECK (size > 0),
    note TEXT NOT NULL
) STRICT;

CREATE TABLE account (
    name TEXT PRIMARY KEY,
    balance INTEGER NOT NULL CHECK (balance >= 0 OR name = 'treasury')
) STRICT, WITHOUT ROWID;

CREATE TABLE entry (
    n INTEGER PRIMARY KEY CHECK (n > 0),
    leaf INTEGER NOT NULL UNIQUE REFERENCES leaf (n),
    move TEXT NOT NULL
        CHECK (move IN ('grant', 'hold', 'release', 'settle', 'void', 'correct')),
    game TEXT,
    corrects INTEGER REFERENCES entry (n)
) STRICT;
CREATE UNIQUE INDEX game_is_decided_once ON entry (game) WHERE move IN ('settle', 'void');

CREATE TABLE posting (
    entry INTEGER NOT NULL REFERENCES entry (n) DEFERRABLE INITIALLY DEFERRED,
    account TEXT NOT NULL REFERENCES account (name),
    cents INTEGER NOT NULL CHECK (cents <> 0),
    PRIMARY KEY (entry, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX posting_of_account ON posting (account, entry);

CREATE TABLE command (
    n INTEGER PRIMARY KEY CHECK (n > 0),
    id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
    content BLOB NOT NULL CHECK (length(content) = 32),
    leaf INTEGER REFERENCES leaf (n),
    answer BLOB NOT NULL,
    seal BLOB NOT NULL CHECK (length(seal) = 32)
) STRICT;

CREATE TABLE secret (
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (game, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE about (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

_ONLY_GROWS: Final = """
CREATE TRIGGER {table}_keeps BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is never changed'); END;
CREATE TRIGGER {table}_stays BEFORE DELETE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is never deleted from'); END;
"""

_GROWS: Final = """
CREATE TRIGGER {table}_grows BEFORE INSERT ON {table}
WHEN {wrong}
BEGIN SELECT RAISE(ABORT, '{table} grows at its end only, without gaps'); END;
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

CREATE TRIGGER account_stays BEFORE DELETE ON account
BEGIN SELECT RAISE(ABORT, 'account is never deleted from'); END;
CREATE TRIGGER account_name_keeps BEFORE UPDATE OF name ON account
BEGIN SELECT RAISE(ABORT, 'an account keeps its name'); END;
CREATE TRIGGER account_once BEFORE INSERT ON account
WHEN NEW.balance <> 0 OR EXISTS (SELECT 1 FROM account WHERE name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'an account opens once, with 0'); END;

CREATE TRIGGER about_once BEFORE INSERT ON about
WHEN EXISTS (SELECT 1 FROM about WHERE name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'about is never changed'); END;

CREATE TRIGGER command_once BEFORE INSERT ON command
WHEN EXISTS (SELECT 1 FROM command WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a command is answered once'); END;

CREATE TRIGGER node_once BEFORE INSERT ON node
WHEN EXISTS (SELECT 1 FROM node WHERE level = NEW.level AND place = NEW.place)
BEGIN SELECT RAISE(ABORT, 'node is never changed'); END;

CREATE TRIGGER entry_once BEFORE INSERT ON entry
WHEN EXISTS (SELECT 1 FROM entry WHERE leaf = NEW.leaf)
  OR NEW.move IN ('settle', 'void') AND EXISTS
     (SELECT 1 FROM entry WHERE game = NEW.game AND move IN ('settle', 'void'))
BEGIN SELECT RAISE(ABORT, 'a game is decided once'); END;
"""

_WRONG: Final = {
    "leaf": "NEW.n <> (SELECT coalesce(max(n), -1) + 1 FROM leaf)",
    "node": "NEW.n <> (SELECT coalesce(max(n), -1) + 1 FROM node)",
    "entry": "NEW.n <> (SELECT coalesce(max(n), 0) + 1 FROM entry)",
    "command": "NEW.n <> (SELECT coalesce(max(n), 0) + 1 FROM command)",
    "checkpoint": "NEW.size <= (SELECT max(size) FROM checkpoint)",
}
"""When a new row is not the next one."""


def statements() -> str:
    """All that makes an empty file the casino's."""
    parts = [TABLES, _MONEY]
    parts += [_ONLY_GROWS.format(table=table) for table in (*GROWING, "posting", "about")]
    parts += [_GROWS.format(table=table, wrong=wrong) for table, wrong in _WRONG.items()]
    return "".join(parts)
