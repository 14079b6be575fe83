"""Écarté: rules, deals, games, views and records, using only the standard library.

A deal is a frozen state. Nothing here is random: the caller passes in the pack or an `Rng`.

>>> deal = new_deal(Laws(), HOUSE, PACK)
>>> deal = apply(deal, PROPOSE)
>>> [token(action) for action in legal_actions(deal)]
['A', 'R']
>>> apply(deal, card("KS"))
Traceback (most recent call last):
    ...
casino.errors.IllegalAction: the dealer must accept or refuse the proposal first
>>> format_position(position_of_view(view(deal, HOUSE)))[:60]
'house deals at 0-0: ??????ASTS9S????KHQHJH??????????????????'

Read `cards` and `rules` first, then `state`, `deal` and `game`.
"""

from casino.ecarte.actions import (
    ACCEPT,
    CLAIM,
    CONCEDE,
    EXPOSE,
    LEAD_OUT,
    LET_STAND,
    MARK,
    NEW_DEAL,
    PROPOSE,
    REFUSE,
    STAND,
    TAKE_BACK,
    Action,
    Exchanges,
    exchange,
    parse_token,
    token,
)
from casino.ecarte.cards import (
    PACK,
    Card,
    CardSet,
    card,
    card_set,
    cards,
    cards_in,
    format_card,
    format_cards,
)
from casino.ecarte.deal import actor, apply, legal_actions, legal_for, turn_up
from casino.ecarte.game import (
    Game,
    after_deal,
    begin_deal,
    cut_for_deal,
    deal_cards,
    first_dealer,
    is_over,
    new_deal,
    new_game,
    next_deal,
    returns,
    stake,
    winner,
)
from casino.ecarte.laws import Laws, laws_json, parse_laws
from casino.ecarte.observation.possible_deals import PossibleDeals, possible_deals
from casino.ecarte.observation.view import GALLERY, View, can_show_all, full_view, view
from casino.ecarte.records.commentary import counters, narrate
from casino.ecarte.records.notation import (
    Position,
    format_position,
    parse_position,
    position_of_deal,
    position_of_view,
    set_up,
)
from casino.ecarte.records.record import (
    SEATS,
    DealRecord,
    Record,
    deal_record,
    read_record,
    write_record,
)
from casino.ecarte.records.replay import (
    ReplayResult,
    Step,
    outcome_json,
    replay,
    replay_steps,
    result_json,
)
from casino.ecarte.rng import Rng, shuffled
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, NOBODY, Seat
from casino.ecarte.state import (
    ANNULLED,
    ANSWERING,
    DEALER_EXCHANGE,
    DEALING,
    ELDER_EXCHANGE,
    EXPOSED,
    FOLLOWING,
    LEADING,
    OVER,
    PROPOSING,
    Deal,
)

__all__ = [
    "ACCEPT",
    "ANNULLED",
    "ANSWERING",
    "CHALLENGER",
    "CLAIM",
    "CONCEDE",
    "DEALER_EXCHANGE",
    "DEALING",
    "ELDER_EXCHANGE",
    "EXPOSE",
    "EXPOSED",
    "FOLLOWING",
    "GALLERY",
    "HOUSE",
    "LEADING",
    "LEAD_OUT",
    "LET_STAND",
    "MARK",
    "NEW_DEAL",
    "NOBODY",
    "NO_CARD",
    "OVER",
    "PACK",
    "PROPOSE",
    "PROPOSING",
    "REFUSE",
    "SEATS",
    "STAND",
    "TAKE_BACK",
    "Action",
    "Card",
    "CardSet",
    "Deal",
    "DealRecord",
    "Exchanges",
    "Game",
    "Laws",
    "Position",
    "PossibleDeals",
    "Record",
    "ReplayResult",
    "Rng",
    "Seat",
    "Step",
    "View",
    "actor",
    "after_deal",
    "apply",
    "begin_deal",
    "can_show_all",
    "card",
    "card_set",
    "cards",
    "cards_in",
    "counters",
    "cut_for_deal",
    "deal_cards",
    "deal_record",
    "exchange",
    "first_dealer",
    "format_card",
    "format_cards",
    "format_position",
    "full_view",
    "is_over",
    "laws_json",
    "legal_actions",
    "legal_for",
    "narrate",
    "new_deal",
    "new_game",
    "next_deal",
    "outcome_json",
    "parse_laws",
    "parse_position",
    "parse_token",
    "position_of_deal",
    "position_of_view",
    "possible_deals",
    "read_record",
    "replay",
    "replay_steps",
    "result_json",
    "returns",
    "set_up",
    "shuffled",
    "stake",
    "token",
    "turn_up",
    "view",
    "winner",
    "write_record",
]
