"""The table's runtime: threads, clocks and secrets; runs tables on a ledger."""
