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

Read `rules` and `deal` first.
"""

# isort: off
from casino.ecarte.actions import (
    ACCEPT, ANNULLED, ANSWERING, CLAIM, CONCEDE, DEALER_EXCHANGE, DEALING, ELDER_EXCHANGE, EXCHANGE,
    EXPOSE, EXPOSED, FOLLOWING, LEAD_OUT, LEADING, LET_STAND, MARK, NEW_DEAL, OVER, PROPOSE,
    PROPOSING, REFUSE, STAND, TAKE_BACK, Action, Exchanges, exchange, exchanged_number, parse_token,
    token,
)  # fmt: skip
from casino.ecarte.cards import (
    PACK, Card, CardSet, Suit, card, card_set, cards, cards_in, count, format_card, format_cards,
    highest, lowest, suit_of,
)  # fmt: skip
from casino.ecarte.deal import Deal, actor, apply, legal_actions, turn_up
from casino.ecarte.game import (
    Game, Rng, after_deal, begin_deal, cut_for_deal, deal_cards, first_dealer, first_dealers,
    is_over, named_dealer, new_deal, new_game, next_deal, returns, score_after_deal, shuffled,
    stake, winner,
)  # fmt: skip
from casino.ecarte.laws import Laws, laws_json, parse_laws
from casino.ecarte.observation.possible_deals import PossibleDeals, possible_deals
from casino.ecarte.observation.view import GALLERY, View, can_show_all, concession, legal_for, view
from casino.ecarte.records.commentary import counters, narrate
from casino.ecarte.records.notation import (
    Position, format_position, parse_position, position_of_deal, position_of_view, set_up,
)  # fmt: skip
from casino.ecarte.records.record import (
    DealRecord, Record, ReplayResult, Step, deal_record, outcome_json, read_record, record_json,
    replay, replay_steps, result_json, write_record,
)  # fmt: skip
from casino.ecarte.rules import (
    CHALLENGER, HOUSE, NO_CARD, NO_SEAT, SEATS, Seat, can_mark, can_propose, cut_dealer,
    dealer_by_law, higher_cards, king_of, legal_cards, legal_replies, max_exchange, min_exchange,
    multiplier, next_dealer, reply_wins, ruled_out, score_after, suit_set, trick_points,
    turn_up_points, vulnerable_for,
)  # fmt: skip
# isort: on

__all__ = [
    "ACCEPT", "ANNULLED", "ANSWERING", "CHALLENGER", "CLAIM", "CONCEDE", "DEALER_EXCHANGE",
    "DEALING", "ELDER_EXCHANGE", "EXCHANGE", "EXPOSE", "EXPOSED", "FOLLOWING", "GALLERY", "HOUSE",
    "LEADING", "LEAD_OUT", "LET_STAND", "MARK", "NEW_DEAL", "NO_CARD", "NO_SEAT", "OVER", "PACK",
    "PROPOSE", "PROPOSING", "REFUSE", "SEATS", "STAND", "TAKE_BACK", "Action", "Card", "CardSet",
    "Deal", "DealRecord", "Exchanges", "Game", "Laws", "Position", "PossibleDeals", "Record",
    "ReplayResult", "Rng", "Seat", "Step", "Suit", "View", "actor", "after_deal", "apply",
    "begin_deal", "can_mark", "can_propose", "can_show_all", "card", "card_set", "cards",
    "cards_in", "concession", "count", "counters", "cut_dealer", "cut_for_deal", "deal_cards",
    "deal_record", "dealer_by_law", "exchange", "exchanged_number", "first_dealer", "first_dealers",
    "format_card", "format_cards", "format_position", "higher_cards", "highest", "is_over",
    "king_of", "laws_json", "legal_actions", "legal_cards", "legal_for", "legal_replies", "lowest",
    "max_exchange", "min_exchange", "multiplier", "named_dealer", "narrate", "new_deal", "new_game",
    "next_deal", "next_dealer", "outcome_json", "parse_laws", "parse_position", "parse_token",
    "position_of_deal", "position_of_view", "possible_deals", "read_record", "record_json",
    "replay", "replay_steps", "reply_wins", "result_json", "returns", "ruled_out", "score_after",
    "score_after_deal", "set_up", "shuffled", "stake", "suit_of", "suit_set", "token",
    "trick_points", "turn_up", "turn_up_points", "view", "vulnerable_for", "winner", "write_record",
]  # fmt: skip
