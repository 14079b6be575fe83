"""SQL views of the log for people who explore the file; the program never reads them.

They are computed from the leaves alone, so they can be neither out of date nor wrong unless the log
is. docs/books.md shows them in use.
"""

from __future__ import annotations

import sqlite3
from typing import Final

# Each view, after those it depends on.
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
    # It takes longer to load than all the rest, and is needed once in the life of a file.
    from sqlite_utils import Database

    database = Database(connection)
    for name, query in VIEWS.items():
        database.create_view(name, query)


def rows() -> set[tuple[str, str, str]]:
    """Return the views as rows of sqlite_schema: type, name, SQL."""
    return {("view", name, f'CREATE VIEW "{name}" AS {query}') for name, query in VIEWS.items()}
