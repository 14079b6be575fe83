"""The expert's plain functions, made callable in compiled code, and its tables as arrays."""

from __future__ import annotations

from functools import cache

import numpy as np
from numba.extending import register_jitable

from casino.analysis.compiled import callable_in_compiled
from casino.expert import card_play, exchanges, hands, stages, tables
from casino.expert import open_cards as lookups
from casino.expert.bot import key_of
from casino.expert.card_play import Brain
from casino.expert.hands import Kinds
from casino.expert.open_cards import OpenCards
from casino.players import rule_of_thumb

for module in (rule_of_thumb, hands, stages, lookups, card_play, exchanges):
    callable_in_compiled(module)
register_jitable(key_of)


@cache
def kinds() -> Kinds:
    """The tables of kinds, as arrays."""
    return Kinds(*(np.array(row, np.int32) for row in hands.kinds()))


@cache
def brain(strict: bool) -> Brain:
    """The expert's tables, as arrays."""
    plain, found = tables.brain(strict), tables.packed()
    table = plain.open_cards
    open_cards = OpenCards(
        np.array(table.suits, np.uint16),
        np.array(table.starts, np.int32),
        np.array(table.ranks, np.uint8),
        np.frombuffer(found.strict if strict else found.ordinary, np.uint8),
    )
    words, takes, drawn = (np.frombuffer(row, np.uint8) for row in found[:3])
    return Brain(kinds(), open_cards, words, takes, drawn, np.array(plain.worth, np.int64))
