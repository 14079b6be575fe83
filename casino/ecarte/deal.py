"""One deal of Écarté: its state, the legal actions, and the state that follows an action.

A `Deal` is immutable: `apply` returns another one. The functions below follow the course of a deal.
Both hands are dealt (`DEALING`) and the turn-up is shown. If one of the elder's cards is exposed
before that, the elder may ask for a new deal (`EXPOSED`), and this one is `ANNULLED`. The elder
proposes or stands (`PROPOSING`), and the dealer accepts or refuses a proposal (`ANSWERING`). After
each acceptance both exchange cards (`ELDER_EXCHANGE`, `DEALER_EXCHANGE`), and the elder decides
again unless the stock is empty. Then one seat leads to each trick (`LEADING`) and the other plays
to it (`FOLLOWING`), until the deal is `OVER`.

The two seats are the house and the challenger. One of them is the dealer, the other the elder, who
leads first. To take the *vole* is to win all five tricks; to *concede* is to give up the remaining
tricks; to *mark* is to announce the king of trumps. The laws of a game (`laws.Laws`) settle points
on which clubs differ, such as whether a vole without an exchange scores 1 or 2.

The rules themselves are in `rules`; articles such as R5.2 are those of docs/rules.md.

>>> from casino.ecarte import CHALLENGER, PACK, STAND, Laws, new_deal, token
>>> deal = new_deal(Laws(), CHALLENGER, PACK)
>>> [token(action) for action in deal.legal_actions()]
['P', 'S']
>>> [token(action) for action in deal.apply(STAND).legal_actions()]
['KS', 'QS', 'JS', '8S', '7S', 'C']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, SupportsIndex, TypeVar

from casino.ecarte import rules
from casino.ecarte.actions import (
    ACCEPT,
    ANNULLED,
    ANSWERING,
    CLAIM,
    CONCEDE,
    DEALER_EXCHANGE,
    DEALING,
    ELDER_EXCHANGE,
    EXCHANGE,
    EXPOSE,
    EXPOSED,
    FOLLOWING,
    LEAD_OUT,
    LEADING,
    LET_STAND,
    MARK,
    NEW_DEAL,
    OVER,
    PROPOSE,
    PROPOSING,
    REFUSE,
    STAND,
    TAKE_BACK,
    Action,
    Exchanges,
    Phase,
)
from casino.ecarte.cards import (
    OF_CLUBS,
    OF_DIAMONDS,
    OF_HEARTS,
    OF_SPADES,
    Card,
    CardSet,
    Suit,
    card_set,
    cards_in,
)
from casino.ecarte.errors import refusal
from casino.ecarte.laws import Laws
from casino.ecarte.records.render import as_svg, as_text, format_line
from casino.ecarte.rules import HOUSE, NO_CARD, NO_SEAT, Seat, legal_replies, reply_wins
from casino.ecarte.validation import validate_deck
from casino.errors import InputError

T = TypeVar("T")
new: Final = tuple.__new__  # makes a named tuple in 0.25 µs; its own constructor takes 0.85 µs


class Start(NamedTuple):
    """The part of a deal that never changes. `score` is the game's score before the deal.

    `strict` and `claims` duplicate the laws `play` and `enforcement` for speed: they are read
    whenever a card is played.
    """

    laws: Laws
    dealer: Seat
    deck: tuple[Card, ...]
    score: tuple[int, int]
    hand_size: int
    trumps: Suit
    strict: bool
    claims: bool


class Irregularities(NamedTuple):
    """Irregularities so far (R8). A claim moves each seat's flag from `revoked` to `offenders`."""

    exposed: CardSet = 0
    led_out: bool = False
    revoked: tuple[bool, bool] = (False, False)
    offenders: tuple[bool, bool] = (False, False)


class Deal(NamedTuple):
    """The full state of a deal, including hidden cards; players see a `View` of it.

    Pairs are indexed by seat. `kept` holds the hands as they were when play began, or the current
    hands before that. `drawn` counts the cards taken from the pack so far, including both hands
    and the turn-up. `vulnerable` is the seat that stood or refused at once, and gives 2 points if
    it loses (R3.7, R6.2); `marked` is the seat that announced the king of trumps; each may be
    `NO_SEAT`. `history` lists all actions so far.
    """

    start: Start
    kept: tuple[CardSet, CardSet]
    drawn: int
    vulnerable: Seat
    marked: Seat
    irregular: Irregularities
    hands: tuple[CardSet, CardSet]
    tricks: tuple[int, int]
    led: Card
    # The fields that `_next` replaces come last.
    history: tuple[Action, ...]
    score: tuple[int, int]
    phase: Phase
    turn: Seat

    def legal_actions(self) -> Sequence[Action]:
        """Return all legal actions of both seats (see `actor`); after play, only a claim."""
        phase = self.phase
        # Cards are the most frequent actions, so their phases come first. mypyc calls named
        # functions faster than functions found in a table.
        if phase is FOLLOWING:
            return _legal_replies(self)
        if phase is LEADING:
            return _legal_leads(self)
        if phase is PROPOSING:
            return (PROPOSE, STAND) if rules.can_propose(self.stock) else (STAND,)
        if phase is ANSWERING:
            return (ACCEPT, REFUSE)
        if phase is ELDER_EXCHANGE or phase is DEALER_EXCHANGE:
            return _legal_exchanges(self)
        if phase is DEALING or phase is EXPOSED:
            return _legal_dealing(self)
        return _legal_over(self)

    def apply(self, action: SupportsIndex) -> Deal:
        """Return the deal after an action.

        Raises `IllegalAction`, which cites the article, if the action is illegal.
        """
        # With `Action` as its type, compiled code would raise its own error for other types first.
        if type(action) is not int:
            raise InputError(
                f"{action!r} is not an action: use PROPOSE, card('KH') or parse_token('P')"
            )
        phase = self.phase
        if phase is FOLLOWING:
            return _reply(self, action)
        if phase is LEADING:
            return _lead(self, action)
        if phase is PROPOSING:
            return _propose_or_stand(self, action)
        if phase is ANSWERING:
            return _accept_or_refuse(self, action)
        if phase is ELDER_EXCHANGE or phase is DEALER_EXCHANGE:
            return _exchange(self, action)
        if phase is DEALING or phase is EXPOSED:
            return _expose(self, action)
        if action not in _legal_over(self):
            raise refusal(self, action)
        return _claim(self)

    def actor(self, action: Action) -> Seat:
        """Return the seat that takes a legal action, or `NO_SEAT` for a claim if both revoked."""
        if action == CLAIM:
            revoked = self.irregular.revoked
            return NO_SEAT if all(revoked) else revoked.index(False)
        if action == TAKE_BACK or LEAD_OUT <= action < LEAD_OUT + 32:
            return 1 - self.turn
        return self.dealer if EXPOSE <= action < LEAD_OUT else self.turn

    @property
    def laws(self) -> Laws:
        """The laws in force."""
        return self.start.laws

    @property
    def dealer(self) -> Seat:
        """The seat that deals."""
        return self.start.dealer

    @property
    def elder(self) -> Seat:
        """The seat that proposes and leads first."""
        return 1 - self.start.dealer

    @property
    def deck(self) -> tuple[Card, ...]:
        """The pack in dealing order."""
        return self.start.deck

    @property
    def hand_size(self) -> int:
        """The number of cards dealt to each seat."""
        return self.start.hand_size

    @property
    def turn_up(self) -> Card:
        """The card turned up, or `NO_CARD` before it is shown."""
        if self.phase in (DEALING, EXPOSED, ANNULLED):
            return NO_CARD
        return self.start.deck[2 * self.start.hand_size]

    @property
    def score_before(self) -> tuple[int, int]:
        """The game's score at the start of the deal."""
        return self.start.score

    @property
    def stock(self) -> int:
        """The number of cards left to draw."""
        return len(self.start.deck) - self.drawn

    @property
    def exchanged(self) -> bool:
        """True once any cards have been exchanged."""
        return self.drawn > 2 * self.start.hand_size + 1

    @property
    def won(self) -> tuple[int, int]:
        """The points each seat scored for tricks, capped at the target; 0 before the end."""
        if self.phase is not OVER:
            return 0, 0
        before = _add(self.start.score, self.dealer, rules.turn_up_points(self.turn_up))
        if self.marked != NO_SEAT:
            before = _add(before, self.marked, 1)
        return self.score[0] - before[0], self.score[1] - before[1]

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of cards each seat holds."""
        return self.hands[0].bit_count(), self.hands[1].bit_count()

    @property
    def game_over(self) -> bool:
        """True once a seat has reached the target (R7.1)."""
        return self.start.laws.target in self.score

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        line = format_line(self.laws, self.dealer, self.score_before, self.deck, self.history)
        return f"parse_position({line!r}).{'dealing' if self.phase is DEALING else 'deal'}()"

    def _repr_svg_(self) -> str:
        return as_svg(self)

    # The state is immutable, so a copy can be the same object.
    def __copy__(self) -> Deal:
        return self

    def __deepcopy__(self, _: object) -> Deal:
        return self


legal_actions = Deal.legal_actions
apply = Deal.apply
actor = Deal.actor


# Dealing: R2, R8.1, R8.2


def deal_pack(laws: Laws, dealer: Seat, deck: Sequence[Card], score: tuple[int, int]) -> Deal:
    """Deal both hands in packets (R2.3). Laws, dealer and score must have been checked."""
    pack = validate_deck(deck, laws)
    first, second = laws.packets
    size = first + second
    elder_hand = card_set(pack[:first] + pack[2 * first : first + size])
    dealer_hand = card_set(pack[first : 2 * first] + pack[first + size : 2 * size])
    hands = (dealer_hand, elder_hand) if dealer == HOUSE else (elder_hand, dealer_hand)
    trumps = pack[2 * size] >> 3
    strict, claims = laws.play == "strict", laws.enforcement == "claims"
    start = new(Start, (laws, dealer, pack, score, size, trumps, strict, claims))
    return new(
        Deal,
        (
            start, hands, 2 * size + 1, NO_SEAT, NO_SEAT, _REGULAR,
            hands, (0, 0), NO_CARD, (), score, DEALING, dealer,
        ),
    )  # fmt: skip


_REGULAR: Final = Irregularities()


def turn_up(deal: Deal) -> Deal:
    """Show the turn-up; a king scores for the dealer (R2.4, R2.5)."""
    if deal.phase is not DEALING:
        raise refusal(deal, None)
    start = deal.start
    points = rules.turn_up_points(start.deck[2 * start.hand_size])
    score = _add(deal.score, start.dealer, points) if points else deal.score
    if start.laws.target in score:
        return _next(deal, deal.history, score, OVER, NO_SEAT)
    return _next(deal, deal.history, score, PROPOSING, 1 - start.dealer)


def is_dealing_action(action: Action) -> bool:
    """Return True for what precedes the turn-up: an exposure, the decision on it (R8.1, R8.2)."""
    return EXPOSE <= action < LEAD_OUT or action in (NEW_DEAL, LET_STAND)


def _legal_dealing(deal: Deal) -> Sequence[Action]:
    """Return an exposure for each hidden card, and in `EXPOSED` the elder's choices (R8.2)."""
    exposures = tuple(EXPOSE + card for card in cards_in(_unexposed(deal)))
    return (NEW_DEAL, LET_STAND, *exposures) if deal.phase is EXPOSED else exposures


def _unexposed(deal: Deal) -> CardSet:
    return (deal.hands[0] | deal.hands[1]) & ~deal.irregular.exposed


def _expose(deal: Deal, action: Action) -> Deal:
    """Expose a card, or apply the elder's decision after an exposure (R8.1, R8.2)."""
    if deal.phase is EXPOSED and action == NEW_DEAL:
        return _say(deal, action, ANNULLED, NO_SEAT)
    if deal.phase is EXPOSED and action == LET_STAND:
        return _say(deal, action, DEALING, deal.dealer)
    bit = 1 << action - EXPOSE if EXPOSE <= action < LEAD_OUT else 0
    if not _unexposed(deal) & bit:
        raise refusal(deal, action)
    elder_decides = deal.phase is EXPOSED or bit & deal.hands[deal.elder]
    deal = _with_irregularities(deal, exposed=deal.irregular.exposed | bit)
    if elder_decides:
        return _say(deal, action, EXPOSED, deal.elder)
    return _say(deal, action, DEALING, deal.dealer)


# Proposing and exchanging: R3


def _propose_or_stand(deal: Deal, action: Action) -> Deal:
    """Apply the elder's proposal or decision to stand (R3.1, R3.4)."""
    if action == STAND:
        return _begin_play(deal, action)
    if action != PROPOSE or not rules.can_propose(deal.stock):
        raise refusal(deal, action)
    return _say(deal, action, ANSWERING, deal.start.dealer)


def _accept_or_refuse(deal: Deal, action: Action) -> Deal:
    """Apply the dealer's answer to a proposal (R3.2)."""
    if action == REFUSE:
        return _begin_play(deal, action)
    if action != ACCEPT:
        raise refusal(deal, action)
    return _say(deal, action, ELDER_EXCHANGE, 1 - deal.start.dealer)


def _begin_play(deal: Deal, action: Action) -> Deal:
    """Begin play; the seat that stood or refused before any exchange is vulnerable (R3.7, R5.1)."""
    return deal._replace(
        vulnerable=rules.vulnerable_for(deal.turn, deal.exchanged),
        history=deal.history + (action,),
        phase=LEADING,
        turn=1 - deal.start.dealer,
    )


def _legal_exchanges(deal: Deal) -> Exchanges:
    """Return all exchanges of a legal number of cards (R3.3, R3.5)."""
    stock = deal.stock
    largest = rules.max_exchange(stock, deal.start.hand_size)
    return Exchanges(deal.hands[deal.turn], rules.min_exchange(stock), largest)


def _exchange(deal: Deal, action: Action) -> Deal:
    """Discard cards and draw as many from the top of the stock (R3.3 to R3.5).

    If the elder took the last card, the dealer exchanges none.
    """
    turn, stock, hand = deal.turn, deal.stock, deal.hands[deal.turn]
    discards = action ^ EXCHANGE
    number = discards.bit_count()
    largest = rules.max_exchange(stock, deal.start.hand_size)
    if discards & ~hand or not rules.min_exchange(stock) <= number <= largest:
        raise refusal(deal, action)
    drawn = deal.drawn + number
    hands = _put(deal.hands, turn, hand ^ discards | card_set(deal.start.deck[deal.drawn : drawn]))
    phase = DEALER_EXCHANGE
    if deal.phase is DEALER_EXCHANGE:
        # With no card left to draw, nothing can be proposed (R3.4).
        phase = PROPOSING if rules.can_propose(stock - number) else LEADING
    history = deal.history + (action,)
    return deal._replace(
        hands=hands, kept=hands, drawn=drawn, history=history, phase=phase, turn=1 - turn
    )


def _say(deal: Deal, action: Action, phase: Phase, turn: Seat) -> Deal:
    """Return the deal after an action that moves no card."""
    return _next(deal, deal.history + (action,), deal.score, phase, turn)


def _next(
    deal: Deal, history: tuple[Action, ...], score: tuple[int, int], phase: Phase, turn: Seat
) -> Deal:
    """Return the deal with its last four fields replaced; `_replace` makes a deal 6 % slower."""
    return new(Deal, deal[:9] + (history, score, phase, turn))


# The play: R4 to R6


def _legal_leads(deal: Deal) -> Sequence[Action]:
    """Return the leads (R5.1), the announcement of the king (R4.1) and the concession (R5.5)."""
    legal = _cards_and_words(deal, deal.hands[deal.turn])
    return legal + _legal_irregular(deal) if deal.start.claims else legal


def _legal_replies(deal: Deal) -> Sequence[Action]:
    """Return the legal replies (R5.2, R5.4) and words. Under claims any card may be played."""
    start, hand = deal.start, deal.hands[deal.turn]
    if start.claims:
        return _cards_and_words(deal, hand) + _legal_irregular(deal)
    return _cards_and_words(deal, legal_replies(hand, deal.led, start.trumps, start.strict))


def _can_mark(deal: Deal) -> bool:
    """Return True if the seat may announce the king before its first card (R4.1, R4.2).

    After a claim the hands are full again, but neither seat may announce, because both have
    already played a first card (R8.5).
    """
    hand, turn = deal.hands[deal.turn], deal.turn
    allowed = rules.can_mark(
        hand, deal.start.trumps, hand == deal.kept[turn], deal.marked != NO_SEAT
    )
    return allowed and not any(deal.irregular.offenders)


# Nearly every list of actions during play ends with one of these, so they are built only once.
_CLUBS_THEN_CONCEDE: Final = [(*clubs, CONCEDE) for clubs in OF_CLUBS]
_CLUBS_MARK_OR_CONCEDE: Final = [(*clubs, MARK, CONCEDE) for clubs in OF_CLUBS]


def _cards_and_words(deal: Deal, cards: CardSet) -> tuple[Action, ...]:
    """Return `cards`, then `MARK` if possible, and `CONCEDE`. Hot, so `cards_in` is inlined."""
    can_mark = deal.tricks == (0, 0) and _can_mark(deal)
    last = _CLUBS_MARK_OR_CONCEDE if can_mark else _CLUBS_THEN_CONCEDE
    spades, hearts = OF_SPADES[cards & 255], OF_HEARTS[cards >> 8 & 255]
    return spades + hearts + OF_DIAMONDS[cards >> 16 & 255] + last[cards >> 24]


# _lead and _reply take the tuple apart and build the next one: `_replace` takes three times as long
# (1.2 instead of 0.4 µs), and nearly all actions are cards.
def _lead(deal: Deal, action: Action) -> Deal:
    """Apply the lead of a card (R5.1)."""
    if not 0 <= action < 32:
        return _apply_word(deal, action)
    start, kept, drawn, vulnerable, marked, irregular, hands, tricks, _, past, score, _, turn = deal
    house, challenger = hands
    bit = 1 << action
    if not (house if turn == HOUSE else challenger) & bit:
        raise refusal(deal, action)
    hands = (house ^ bit, challenger) if turn == HOUSE else (house, challenger ^ bit)
    past += (action,)
    return new(
        Deal,
        (
            start, kept, drawn, vulnerable, marked, irregular, hands, tricks,
            action, past, score, FOLLOWING, 1 - turn,
        ),
    )  # fmt: skip


def _reply(deal: Deal, action: Action) -> Deal:
    """Apply a reply, which completes the trick (R5.3); the last trick ends the deal."""
    if not 0 <= action < 32:
        return _apply_word(deal, action)
    start, kept, drawn, vulnerable, marked, irregular, hands, tricks, led, past, score, _, turn = (
        deal
    )
    house, challenger = hands
    hand = house if turn == HOUSE else challenger
    bit = 1 << action
    legal = legal_replies(hand, led, start.trumps, start.strict)
    if start.claims or not legal & bit:  # the usual reply needs no other check
        irregular = _with_reply_checked(deal, action, legal)
    taker = turn if reply_wins(led, action, start.trumps) else 1 - turn
    house_tricks, challenger_tricks = tricks
    if taker == HOUSE:
        tricks = (house_tricks + 1, challenger_tricks)
    else:
        tricks = (house_tricks, challenger_tricks + 1)
    hands = (hand ^ bit, challenger) if turn == HOUSE else (house, hand ^ bit)
    past += (action,)
    after = new(
        Deal,
        (
            start, kept, drawn, vulnerable, marked, irregular, hands, tricks,
            NO_CARD, past, score, LEADING, taker,
        ),
    )  # fmt: skip
    return _score_tricks(after) if hand == bit else after


def _apply_word(deal: Deal, action: Action) -> Deal:
    """Apply an action during play other than a card in turn (R4.1, R5.5, R8.4, R8.5)."""
    if action == CONCEDE:
        return _concede(deal)
    if action == MARK and _can_mark(deal):
        return _mark(deal)
    if action == CLAIM and any(deal.irregular.revoked):
        return _claim(deal)
    if action == TAKE_BACK and deal.irregular.led_out:
        return _lead_out(deal, action, deal.led, NO_CARD)
    card = action - LEAD_OUT
    if not 0 <= card < 32 or not _out_of_turn(deal) >> card & 1:
        raise refusal(deal, action)
    return _lead_out(deal, action, card, card)


def _mark(deal: Deal) -> Deal:
    """Apply the announcement of the king of trumps, which scores at once (R4.1, R4.4)."""
    after = deal._replace(score=_add(deal.score, deal.turn, 1), marked=deal.turn)
    if after.game_over:
        return _say(after, MARK, OVER, NO_SEAT)
    return _say(after, MARK, deal.phase, deal.turn)


def _concede(deal: Deal) -> Deal:
    """Give the remaining tricks to the opponent (R5.5)."""
    left = deal.start.hand_size - sum(deal.tricks)
    return _score_tricks(
        _with_irregularities(deal, led_out=False)._replace(
            tricks=_add(deal.tricks, 1 - deal.turn, left),
            led=NO_CARD,
            history=(*deal.history, CONCEDE),
        )
    )


def _score_tricks(deal: Deal) -> Deal:
    """Score the tricks for the seat that took the majority, and end the deal (R6, R8.5)."""
    laws = deal.start.laws
    taker = HOUSE if deal.tricks[0] > deal.tricks[1] else 1 - HOUSE
    points = rules.trick_points(
        deal.tricks[taker],
        deal.start.hand_size,
        deal.vulnerable == 1 - taker,
        deal.exchanged,
        laws.vole_unexchanged,
    )
    if deal.irregular.offenders[taker]:
        points = rules.points_after_revoke(points)
    score = _put(deal.score, taker, rules.score_after(deal.score[taker], points, laws.target))
    return _next(deal, deal.history, score, OVER, NO_SEAT)


# Irregularities in play (R8) occur only under enforcement `claims`. Under enforcement `strict` an
# illegal card is refused, so there is nothing to claim.


def _legal_irregular(deal: Deal) -> tuple[Action, ...]:
    """Return leads out of turn, or `TAKE_BACK` after one (R8.4), and `CLAIM` of a revoke (R8.5)."""
    legal: tuple[Action, ...] = (TAKE_BACK,)
    if not deal.irregular.led_out:
        legal = tuple(LEAD_OUT + card for card in cards_in(_out_of_turn(deal)))
    return (*legal, CLAIM) if any(deal.irregular.revoked) else legal


def _out_of_turn(deal: Deal) -> CardSet:
    """Return the cards that may be led out of turn (R8.4)."""
    return deal.hands[1 - deal.turn] if deal.start.claims and deal.phase is LEADING else 0


def _legal_over(deal: Deal) -> Sequence[Action]:
    """Return `CLAIM` if a seat revoked: a claim is possible until the next deal begins (R8.5)."""
    return (CLAIM,) if any(deal.irregular.revoked) and not deal.game_over else ()


def _with_reply_checked(deal: Deal, card: Card, legal: CardSet) -> Irregularities:
    """Return the irregularities after a reply, or raise `IllegalAction` if it is illegal.

    Under enforcement `claims` any card in the hand may be played, and one that is not among the
    `legal` replies is recorded as a revoke (R8.5). A reply also accepts a lead out of turn (R8.4).
    """
    if not deal.start.claims or not deal.hands[deal.turn] >> card & 1:
        raise refusal(deal, card)
    revoked = deal.irregular.revoked
    if not legal >> card & 1:
        revoked = _put(revoked, deal.turn, True)
    return deal.irregular._replace(led_out=False, revoked=revoked)


def _lead_out(deal: Deal, action: Action, moved: Card, led: Card) -> Deal:
    """Put a card led out of turn on the table, or take it back into the hand (R8.4)."""
    other = 1 - deal.turn
    return _with_irregularities(deal, led_out=led != NO_CARD)._replace(
        phase=LEADING if led == NO_CARD else FOLLOWING,
        hands=_put(deal.hands, other, deal.hands[other] ^ 1 << moved),
        led=led,
        history=deal.history + (action,),
    )


def _claim(deal: Deal) -> Deal:
    """Restore both hands and the score, so that the deal is played again (R8.5)."""
    revoked, offenders, won = deal.irregular.revoked, deal.irregular.offenders, deal.won
    return deal._replace(
        score=(deal.score[0] - won[0], deal.score[1] - won[1]),
        irregular=Irregularities(
            exposed=deal.irregular.exposed,
            offenders=(offenders[0] or revoked[0], offenders[1] or revoked[1]),
        ),
        phase=LEADING,
        turn=deal.elder,
        hands=deal.kept,
        tricks=(0, 0),
        led=NO_CARD,
        history=(*deal.history, CLAIM),
    )


def _with_irregularities(deal: Deal, **changes: Any) -> Deal:
    return deal._replace(irregular=deal.irregular._replace(**changes))


def _put(pair: tuple[T, T], seat: Seat, value: T) -> tuple[T, T]:
    """Return a pair with one seat's value replaced."""
    return (value, pair[1]) if seat == HOUSE else (pair[0], value)


def _add(pair: tuple[int, int], seat: Seat, number: int) -> tuple[int, int]:
    """Return a pair with `number` added to one seat's value."""
    return _put(pair, seat, pair[seat] + number)
