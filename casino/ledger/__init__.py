"""The bank: accounts, and the tamper-evident log, in one SQLite file.

A command's effect is worked out by pure functions (`ledger`, `leaves`, `merkle`), gathered in a
`transaction`, and stored by the one `writer`; everybody else only reads.
"""
