"""Écarté under all its laws: the rules, the deal, the game, views, records.

It needs only the standard library. A deal is a frozen state. The caller hands in the pack: nothing
here is random.

>>> deal = new_deal(Laws(), HOUSE, PACK)
>>> deal = apply(deal, PROPOSE)
>>> [token(action) for action in legal_actions(deal)]
['A', 'R']
>>> apply(deal, card("KS"))
Traceback (most recent call last):
    ...
casino.errors.IllegalAction: the dealer must accept or refuse the proposal first
>>> format_position(of_view(view(deal, HOUSE)))[:60]
'house deals at 0-0: ??????ASTS9S????KHQHJH??????????????????'

Read cards and rules first, then state, before_play and play (what may be done in a deal), then
game.
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
from casino.ecarte.cards import PACK, Card, CardSet, card, card_set, cards, members, text, texts
from casino.ecarte.deal import actor, apply, legal_actions, legal_for
from casino.ecarte.dealing import deal_cards, new_deal
from casino.ecarte.game import (
    Game,
    after_deal,
    begin_deal,
    cut_for_deal,
    first_dealer,
    is_over,
    new_game,
    next_deal,
    returns,
    stake,
    winner,
)
from casino.ecarte.laws import Laws, laws_json, parse_laws
from casino.ecarte.observation.possible_deals import PossibleDeals, possible_deals
from casino.ecarte.observation.view import GALLERY, View, full_view, may_show_all, view
from casino.ecarte.proposals import turn_up
from casino.ecarte.records.commentary import counters, tell
from casino.ecarte.records.notation import (
    Position,
    format_position,
    of_deal,
    of_view,
    parse_position,
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
from casino.ecarte.records.replay import Replayed, Step, outcome_json, replay, result_json, steps
from casino.ecarte.rng import Chance, shuffled
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
    "Chance",
    "Deal",
    "DealRecord",
    "Exchanges",
    "Game",
    "Laws",
    "Position",
    "PossibleDeals",
    "Record",
    "Replayed",
    "Seat",
    "Step",
    "View",
    "actor",
    "after_deal",
    "apply",
    "begin_deal",
    "card",
    "card_set",
    "cards",
    "counters",
    "cut_for_deal",
    "deal_cards",
    "deal_record",
    "exchange",
    "first_dealer",
    "format_position",
    "full_view",
    "is_over",
    "laws_json",
    "legal_actions",
    "legal_for",
    "may_show_all",
    "members",
    "new_deal",
    "new_game",
    "next_deal",
    "of_deal",
    "of_view",
    "outcome_json",
    "parse_laws",
    "parse_position",
    "parse_token",
    "possible_deals",
    "read_record",
    "replay",
    "result_json",
    "returns",
    "set_up",
    "shuffled",
    "stake",
    "steps",
    "tell",
    "text",
    "texts",
    "token",
    "turn_up",
    "view",
    "winner",
    "write_record",
]
