"""Every table of the gallery, by name."""

from tests.betting import book_tables, settlement_tables, withheld_tables
from tests.betting.writing import Table

TABLES: dict[str, Table] = {
    name: function
    for module in (book_tables, settlement_tables, withheld_tables)
    for name, function in vars(module).items()
    if name.startswith("table_")
}
