"""A deal of Écarté: the legal actions of each phase, and the state that an action leads to.

Hands are dealt (`DEALING`; an exposed card may require a decision by the elder, `EXPOSED`) and the
turn-up is shown. The elder proposes or stands (`PROPOSING`) and the dealer accepts or refuses
(`ANSWERING`). After each acceptance both exchange (`ELDER_EXCHANGE`, `DEALER_EXCHANGE`) and the
elder decides again. Then tricks are led (`LEADING`) and followed (`FOLLOWING`) until the deal is
`OVER`; a deal with an exposed card may be `ANNULLED`.

>>> from casino.ecarte import CHALLENGER, PACK, STAND, Laws, new_deal, token
>>> start = new_deal(Laws(), CHALLENGER, PACK)
>>> [token(action) for action in legal_actions(start)]
['P', 'S']
>>> [token(action) for action in legal_actions(apply(start, STAND))]
['KS', 'QS', 'JS', '8S', '7S', 'C']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, SupportsIndex

from casino.ecarte import rules
from casino.ecarte.actions import (
    ACCEPT,
    CLAIM,
    CONCEDE,
    EXCHANGE,
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
from casino.ecarte.phase import (
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
    describe_phase,
)
from casino.ecarte.records.render import as_svg, as_text, format_line
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, NO_SEAT, Seat, legal_replies, reply_wins
from casino.ecarte.validation import validate_deck
from casino.errors import InputError

_NOT_TURNED_UP: Final = (DEALING, EXPOSED, ANNULLED)
NO_TRICKS: Final = (0, 0)
new: Final = tuple.__new__  # makes a named tuple in 0.25 µs; its own constructor takes 0.85 µs
_CONCEDE: Final = (CONCEDE,)
_MARK_OR_CONCEDE: Final = (MARK, CONCEDE)
# Nearly every list of actions in play ends with one of these, so they are built only once.
_CLUBS_THEN_CONCEDE: Final = [clubs + _CONCEDE for clubs in OF_CLUBS]


class Start(NamedTuple):
    """The part of a deal that never changes. `score` is the game's score before the deal.

    `turned` is the card to turn up and `trumps` its suit. `strict` and `claims` duplicate the laws
    `play` and `enforcement` for speed: every card played needs them.
    """

    laws: Laws
    dealer: Seat
    deck: tuple[Card, ...]
    score: tuple[int, int]
    hand_size: int
    turned: Card
    trumps: Suit
    strict: bool
    claims: bool


class Irregularities(NamedTuple):
    """Irregularities in a deal (R8), by seat; a claimed revoke moves to `offended`."""

    exposed: CardSet = 0
    led_out: bool = False
    revoked: tuple[bool, bool] = (False, False)
    offended: tuple[bool, bool] = (False, False)


REGULAR: Final = Irregularities()


class Standing(NamedTuple):
    """The part of a deal that changes when a player scores, exchanges or errs.

    `kept` has the hands as they were when play began, or the current hands before that. `drawn`
    counts the cards taken from the pack so far: the hands, the turn-up and the cards exchanged for.
    """

    score: tuple[int, int]
    kept: tuple[CardSet, CardSet]
    drawn: int
    vulnerable: Seat = NO_SEAT
    marked: Seat = NO_SEAT
    irregular: Irregularities = REGULAR


class Deal(NamedTuple):
    """The full state of a deal, including hidden cards; players see a `View` of it.

    Pairs are indexed by seat; `history` lists all actions so far. The properties give access to
    `start` and `standing`.
    """

    start: Start
    standing: Standing
    phase: int
    turn: Seat
    hands: tuple[CardSet, CardSet]
    tricks: tuple[int, int]
    led: Card
    history: tuple[Action, ...]

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
        """The number of cards each seat was dealt."""
        return self.start.hand_size

    @property
    def turn_up(self) -> Card:
        """The card turned up, or `NO_CARD` before it is shown."""
        return NO_CARD if self.phase in _NOT_TURNED_UP else self.start.turned

    @property
    def score_before(self) -> tuple[int, int]:
        """The game's score at the start of the deal."""
        return self.start.score

    @property
    def score(self) -> tuple[int, int]:
        """The current score of the game."""
        return self.standing.score

    @property
    def kept(self) -> tuple[CardSet, CardSet]:
        """The hands at the start of play, or the current hands before that."""
        return self.standing.kept

    @property
    def drawn(self) -> int:
        """The number of cards taken from the pack so far."""
        return self.standing.drawn

    @property
    def stock(self) -> int:
        """The number of cards left to draw."""
        return len(self.start.deck) - self.standing.drawn

    @property
    def exchanged(self) -> bool:
        """True once any cards have been exchanged."""
        return self.standing.drawn > 2 * self.start.hand_size + 1

    @property
    def vulnerable(self) -> Seat:
        """The seat that loses double because it stood or refused at once (R3.7)."""
        return self.standing.vulnerable

    @property
    def marked(self) -> Seat:
        """The seat that announced the king of trumps, or `NO_SEAT`."""
        return self.standing.marked

    @property
    def irregular(self) -> Irregularities:
        """The irregularities so far (R8)."""
        return self.standing.irregular

    @property
    def won(self) -> tuple[int, int]:
        """The points scored for the tricks of a finished deal, capped at the target."""
        if self.phase != OVER:
            return 0, 0
        before = with_points(self.start.score, self.dealer, rules.turn_up_points(self.turn_up))
        if self.marked != NO_SEAT:
            before = with_points(before, self.marked, 1)
        return self.score[0] - before[0], self.score[1] - before[1]

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of cards each seat holds."""
        return self.hands[0].bit_count(), self.hands[1].bit_count()

    @property
    def status(self) -> str:
        """A sentence that describes what the deal is waiting for."""
        return describe_phase(self.phase, self.dealer, self.turn)

    @property
    def game_over(self) -> bool:
        """True once a seat has reached the target."""
        return self.start.laws.target in self.standing.score

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        line = format_line(self.laws, self.dealer, self.score_before, self.deck, self.history)
        return f"parse_position({line!r}).{'dealing' if self.phase == DEALING else 'deal'}()"

    def _repr_svg_(self) -> str:
        return as_svg(self)

    # The state is immutable, so a copy can be the same object.
    def __copy__(self) -> Deal:
        return self

    def __deepcopy__(self, _: object) -> Deal:
        return self

    def with_standing(self, action: Action, standing: Standing, phase: int, turn: Seat) -> Deal:
        """Return the deal after an action that changes its standing but not the hands."""
        start, _, _, _, hands, tricks, led, history = self
        return new(Deal, (start, standing, phase, turn, hands, tricks, led, history + (action,)))


def legal_actions(deal: Deal) -> Sequence[Action]:
    """Return every legal action of either seat (see `actor`); () once the deal is over."""
    phase = deal.phase
    # Cards are the most frequent actions, so their phases come first. mypyc calls named functions
    # faster than functions found in a table.
    if phase == FOLLOWING:
        return _legal_follow(deal)
    if phase == LEADING:
        return _legal_lead(deal)
    if phase == PROPOSING:
        return _legal_proposing(deal)
    if phase == ANSWERING:
        return (ACCEPT, REFUSE)
    if phase in (ELDER_EXCHANGE, DEALER_EXCHANGE):
        return _legal_exchanges(deal)
    if phase in (DEALING, EXPOSED):
        return _legal_dealing(deal)
    return _legal_over(deal)


def apply(deal: Deal, action: SupportsIndex) -> Deal:
    """Return the deal after an action. Raise `IllegalAction`, citing the article, if illegal."""
    # With `Action` as its type, compiled code would raise its own error for other types first.
    if type(action) is not int:
        raise InputError(
            f"{action!r} is not an action: use PROPOSE, card('KH') or parse_token('P')"
        )
    phase = deal.phase
    if phase == FOLLOWING:
        return _follow(deal, action)
    if phase == LEADING:
        return _lead(deal, action)
    if phase == PROPOSING:
        return _propose_or_stand(deal, action)
    if phase == ANSWERING:
        return _accept_or_refuse(deal, action)
    if phase in (ELDER_EXCHANGE, DEALER_EXCHANGE):
        return _exchange(deal, action)
    if phase in (DEALING, EXPOSED):
        return _apply_dealing(deal, action)
    if action not in _legal_over(deal):
        raise refusal(deal, action)
    return _claim(deal)


def actor(deal: Deal, action: Action) -> Seat:
    """Return the seat that takes a legal action, or `NO_SEAT` for a claim if both have revoked."""
    if action == CLAIM:
        revoked = deal.irregular.revoked
        return NO_SEAT if all(revoked) else revoked.index(False)
    if action == TAKE_BACK or LEAD_OUT <= action < LEAD_OUT + 32:
        return 1 - deal.turn
    return deal.dealer if EXPOSE <= action < LEAD_OUT else deal.turn


# Dealing: R2, R8.1, R8.2


def deal_pack(laws: Laws, dealer: Seat, deck: Sequence[Card], score: tuple[int, int]) -> Deal:
    """Deal both hands in packets (R2.3). Laws, dealer and score must have been checked."""
    pack = validate_deck(deck, laws)
    first, second = laws.packets
    size = first + second
    elder_hand = card_set(pack[:first] + pack[2 * first : first + size])
    dealer_hand = card_set(pack[first : 2 * first] + pack[first + size : 2 * size])
    hands = (dealer_hand, elder_hand) if dealer == HOUSE else (elder_hand, dealer_hand)
    turned = pack[2 * size]
    strict, claims = laws.play == "strict", laws.enforcement == "claims"
    start = new(Start, (laws, dealer, pack, score, size, turned, turned >> 3, strict, claims))
    standing = new(Standing, (score, hands, 2 * size + 1, NO_SEAT, NO_SEAT, REGULAR))
    return new(Deal, (start, standing, DEALING, dealer, hands, (0, 0), NO_CARD, ()))


def turn_up(deal: Deal) -> Deal:
    """Show the turn-up; a king scores for the dealer (R2.4, R2.5)."""
    if deal.phase != DEALING:
        raise refusal(deal, None)
    start, standing, _, _, hands, tricks, led, history = deal
    phase, turn = PROPOSING, 1 - start.dealer
    points = rules.turn_up_points(start.turned)
    if points:
        standing = standing._replace(score=with_points(start.score, start.dealer, points))
        if start.laws.target in standing.score:
            phase, turn = OVER, NO_SEAT
    return new(Deal, (start, standing, phase, turn, hands, tricks, led, history))


def is_dealing_action(action: Action) -> bool:
    """Return True if an action precedes the turn-up: an exposure, or the elder's decision on it."""
    return EXPOSE <= action < LEAD_OUT or action in (NEW_DEAL, LET_STAND)


def _legal_dealing(deal: Deal) -> Sequence[Action]:
    """Return an exposure for each dealt card, and the elder's choices after an exposure (R8.2)."""
    unseen = (deal.hands[0] | deal.hands[1]) & ~deal.irregular.exposed
    exposures = tuple(EXPOSE + card for card in cards_in(unseen))
    return (NEW_DEAL, LET_STAND, *exposures) if deal.phase == EXPOSED else exposures


def _apply_dealing(deal: Deal, action: Action) -> Deal:
    if action not in _legal_dealing(deal):
        raise refusal(deal, action)
    if action == NEW_DEAL:
        return deal.with_standing(action, deal.standing, ANNULLED, NO_SEAT)
    if action == LET_STAND:
        return deal.with_standing(action, deal.standing, DEALING, deal.dealer)
    bit = 1 << action - EXPOSE
    standing = _with_irregularities(deal.standing, exposed=deal.irregular.exposed | bit)
    if deal.phase == EXPOSED or bit & deal.hands[deal.elder]:
        return deal.with_standing(action, standing, EXPOSED, deal.elder)
    return deal.with_standing(action, standing, DEALING, deal.dealer)


# Proposals and exchanges: R3


def _legal_proposing(deal: Deal) -> Sequence[Action]:
    """Return the elder's choices: stand, or propose while the stock lasts (R3.1, R3.4)."""
    can_propose = rules.can_propose(len(deal.start.deck) - deal.standing.drawn)
    return (PROPOSE, STAND) if can_propose else (STAND,)


def _propose_or_stand(deal: Deal, action: Action) -> Deal:
    """Apply the elder's proposal or decision to stand (R3.1)."""
    if action == STAND:
        return _begin_play(deal, action)
    start, standing, _, _, hands, tricks, led, history = deal
    if action != PROPOSE or not rules.can_propose(len(start.deck) - standing.drawn):
        raise refusal(deal, action)
    history = history + (action,)
    return new(Deal, (start, standing, ANSWERING, start.dealer, hands, tricks, led, history))


def _accept_or_refuse(deal: Deal, action: Action) -> Deal:
    """Apply the dealer's response to a proposal (R3.2)."""
    if action == REFUSE:
        return _begin_play(deal, action)
    if action != ACCEPT:
        raise refusal(deal, action)
    return deal.with_standing(action, deal.standing, ELDER_EXCHANGE, 1 - deal.start.dealer)


def _begin_play(deal: Deal, action: Action) -> Deal:
    """Begin play; the seat that stood or refused before any exchange is vulnerable (R3.7, R5.1)."""
    start, standing, _, turn, hands, tricks, led, history = deal
    score, kept, drawn, _, marked, irregular = standing
    exchanged = drawn > 2 * start.hand_size + 1
    vulnerable = rules.vulnerable_for(turn, exchanged)
    standing = new(Standing, (score, kept, drawn, vulnerable, marked, irregular))
    elder, history = 1 - start.dealer, history + (action,)
    return new(Deal, (start, standing, LEADING, elder, hands, tricks, led, history))


def _legal_exchanges(deal: Deal) -> Exchanges:
    stock = len(deal.start.deck) - deal.standing.drawn
    largest = rules.max_exchange(stock, deal.start.hand_size)
    return Exchanges(deal.hands[deal.turn], rules.min_exchange(stock), largest)


def _exchange(deal: Deal, action: Action) -> Deal:
    """Apply an exchange: discard, and draw from the top of the stock (R3.3, R3.5)."""
    start, standing, phase, turn, hands, tricks, led, history = deal
    score, _, drawn, vulnerable, marked, irregular = standing
    stock = len(start.deck) - drawn
    hand = hands[turn]
    discards = action ^ EXCHANGE
    number = discards.bit_count()
    largest = rules.max_exchange(stock, start.hand_size)
    if discards & ~hand or not rules.min_exchange(stock) <= number <= largest:
        raise refusal(deal, action)
    taken = card_set(start.deck[drawn : drawn + number])
    hands = with_hand(hands, turn, hand ^ discards | taken)
    standing = new(Standing, (score, hands, drawn + number, vulnerable, marked, irregular))
    if phase == ELDER_EXCHANGE:
        phase, turn = DEALER_EXCHANGE, start.dealer
    else:
        phase = PROPOSING if rules.can_propose(stock - number) else LEADING
        turn = 1 - start.dealer
    return new(Deal, (start, standing, phase, turn, hands, tricks, led, history + (action,)))


# The play: R4 to R6


def _legal_lead(deal: Deal) -> Sequence[Action]:
    """Return the leads (R5.1), with the announcement of the king and the concession."""
    start, standing, _, turn, hands, tricks, _, _ = deal
    house, challenger = hands
    hand = house if turn == HOUSE else challenger
    if start.claims:
        return _legal_under_claims(deal, hand)
    if tricks == NO_TRICKS and _can_mark(start, standing, hand):
        return cards_in(hand) + _MARK_OR_CONCEDE
    return _cards_or_concede(hand)


def _legal_follow(deal: Deal) -> Sequence[Action]:
    """Return the legal replies (R5.2, R5.4). Under claims any card may be played."""
    start, standing, _, turn, hands, tricks, led, _ = deal
    _, _, _, _, _, _, trumps, strict, claims = start
    house, challenger = hands
    hand = house if turn == HOUSE else challenger
    if claims:
        return _legal_under_claims(deal, hand)
    legal = legal_replies(hand, led, trumps, strict)
    if tricks == NO_TRICKS and _can_mark(start, standing, hand):
        return cards_in(legal) + _MARK_OR_CONCEDE
    return _cards_or_concede(legal)


def _legal_under_claims(deal: Deal, hand: CardSet) -> tuple[Action, ...]:
    first = deal.tricks == NO_TRICKS and _can_mark(deal.start, deal.standing, hand)
    return cards_in(hand) + (_MARK_OR_CONCEDE if first else _CONCEDE) + _legal_irregular(deal)


def _cards_or_concede(cards: CardSet) -> tuple[Action, ...]:
    """Return `cards` as actions, then `CONCEDE`. Inlines `cards_in`, because it is hot."""
    spades, hearts = OF_SPADES[cards & 255], OF_HEARTS[cards >> 8 & 255]
    return spades + hearts + OF_DIAMONDS[cards >> 16 & 255] + _CLUBS_THEN_CONCEDE[cards >> 24]


def _can_mark(start: Start, standing: Standing, hand: CardSet) -> bool:
    """Return True if the seat may announce the king before its first card (R4.1, R4.2).

    A claim changes nothing here, as both seats have played a card by then (R8.5).
    """
    allowed = rules.can_mark(hand, start.trumps, True, standing.marked != NO_SEAT)
    return allowed and not any(standing.irregular.offended)


# _lead and _follow unpack tuples by position: attributes and _replace take about twice the time
# (1.2 instead of 0.56 µs an action), and nearly all actions are cards.
def _lead(deal: Deal, action: Action) -> Deal:
    """Apply the lead of a card (R5.1)."""
    if not 0 <= action < 32:
        return _apply_word(deal, action)
    start, standing, _, turn, hands, tricks, _, history = deal
    house, challenger = hands
    bit = 1 << action
    if not (house if turn == HOUSE else challenger) & bit:
        raise refusal(deal, action)
    hands = (house ^ bit, challenger) if turn == HOUSE else (house, challenger ^ bit)
    history += (action,)
    return new(Deal, (start, standing, FOLLOWING, 1 - turn, hands, tricks, action, history))


def _follow(deal: Deal, action: Action) -> Deal:
    """Apply a reply, which completes the trick (R5.3); the last trick ends the deal."""
    if not 0 <= action < 32:
        return _apply_word(deal, action)
    start, standing, _, turn, hands, tricks, led, history = deal
    house, challenger = hands
    _, _, _, _, _, _, trumps, strict, claims = start
    hand = house if turn == HOUSE else challenger
    bit = 1 << action
    legal = legal_replies(hand, led, trumps, strict)
    if claims or not legal & bit:
        standing = _after_irregular_reply(deal, action, legal)
    hands = (hand ^ bit, challenger) if turn == HOUSE else (house, hand ^ bit)
    taker = turn if reply_wins(led, action, trumps) else 1 - turn
    house_tricks, challenger_tricks = tricks
    if taker == HOUSE:
        tricks = (house_tricks + 1, challenger_tricks)
    else:
        tricks = (house_tricks, challenger_tricks + 1)
    if hand == bit:
        return _finish(deal, action, standing, hands, tricks)
    history += (action,)
    return new(Deal, (start, standing, LEADING, taker, hands, tricks, NO_CARD, history))


def _apply_word(deal: Deal, action: Action) -> Deal:
    """Apply an action of the play other than a card played in turn."""
    if action == CONCEDE:
        return _concede(deal)
    hand, standing = deal.hands[deal.turn], deal.standing
    first = hand == standing.kept[deal.turn]
    if action == MARK and first and _can_mark(deal.start, standing, hand):
        return _mark(deal)
    if action in _legal_irregular(deal):
        return _apply_irregular(deal, action)
    raise refusal(deal, action)


def _mark(deal: Deal) -> Deal:
    """Apply the announcement of the king of trumps, which scores at once (R4.1, R4.4)."""
    turn = deal.turn
    score = with_points(deal.score, turn, 1)
    standing = deal.standing._replace(score=score, marked=turn)
    over = deal.laws.target in score
    return deal.with_standing(
        MARK, standing, OVER if over else deal.phase, NO_SEAT if over else turn
    )


def _concede(deal: Deal) -> Deal:
    """Give the remaining tricks to the opponent (R5.5)."""
    start, standing, _, turn, hands, (house, challenger), _, _ = deal
    left = start.hand_size - house - challenger
    tricks = (house, challenger + left) if turn == HOUSE else (house + left, challenger)
    if standing.irregular.led_out:
        standing = _with_irregularities(standing, led_out=False)
    return _finish(deal, CONCEDE, standing, hands, tricks)


def _finish(
    deal: Deal,
    action: Action,
    standing: Standing,
    hands: tuple[CardSet, CardSet],
    tricks: tuple[int, int],
) -> Deal:
    """Score the tricks for the seat that took the majority, and end the deal (R6)."""
    start = deal.start
    score, kept, drawn, vulnerable, marked, irregular = standing
    laws = start.laws
    size = start.hand_size
    taker = HOUSE if tricks[HOUSE] > tricks[CHALLENGER] else CHALLENGER
    points = rules.trick_points(
        tricks[taker], size, vulnerable == 1 - taker, drawn > 2 * size + 1, laws.vole_unexchanged
    )
    if irregular.offended[taker]:
        points = rules.points_after_revoke(points)
    after = rules.score_after(score[taker], points, laws.target)
    score = (after, score[1]) if taker == HOUSE else (score[0], after)
    standing = new(Standing, (score, kept, drawn, vulnerable, marked, irregular))
    history = deal.history + (action,)
    return new(Deal, (start, standing, OVER, NO_SEAT, hands, tricks, NO_CARD, history))


# Irregularities of play (R8) exist only under enforcement `claims`. Under `strict` an illegal card
# is refused, so that there is nothing to claim.


def _legal_irregular(deal: Deal) -> tuple[Action, ...]:
    """Return the leads out of turn, or the action to take one back, and the claim of a revoke."""
    if deal.laws.enforcement == "strict":
        return ()
    legal: tuple[Action, ...] = ()
    if deal.irregular.led_out:
        legal = (TAKE_BACK,)
    elif deal.phase == LEADING:
        legal = tuple(LEAD_OUT + card for card in cards_in(deal.hands[1 - deal.turn]))
    return (*legal, CLAIM) if any(deal.irregular.revoked) else legal


def _apply_irregular(deal: Deal, action: Action) -> Deal:
    if action == CLAIM:
        return _claim(deal)
    if action == TAKE_BACK:
        return _lead_out(deal, action, deal.led, NO_CARD)
    return _lead_out(deal, action, action - LEAD_OUT, action - LEAD_OUT)


def _after_irregular_reply(deal: Deal, card: Card, legal: CardSet) -> Standing:
    """Record a revoke under claims; otherwise refuse the card.

    A card is a revoke if the hand had a legal reply (R8.5). A reply also accepts a lead out of turn
    (R8.4).
    """
    if deal.laws.enforcement == "strict" or not deal.hands[deal.turn] >> card & 1:
        raise refusal(deal, card)
    revoked = deal.irregular.revoked
    if not legal >> card & 1:
        revoked = (deal.turn == HOUSE or revoked[0], deal.turn == CHALLENGER or revoked[1])
    return _with_irregularities(deal.standing, led_out=False, revoked=revoked)


def _legal_over(deal: Deal) -> Sequence[Action]:
    """Return the claim of a revoke, which is possible until the next deal begins (R8.5)."""
    claimable = any(deal.irregular.revoked) and not deal.game_over
    return (CLAIM,) if claimable else ()


def _with_irregularities(standing: Standing, **changes: Any) -> Standing:
    return standing._replace(irregular=standing.irregular._replace(**changes))


def _lead_out(deal: Deal, action: Action, moved: Card, led: Card) -> Deal:
    """Put a card led out of turn on the table, or take it back into the hand (R8.4)."""
    other = 1 - deal.turn
    return deal._replace(
        standing=_with_irregularities(deal.standing, led_out=led != NO_CARD),
        phase=LEADING if led == NO_CARD else FOLLOWING,
        hands=with_hand(deal.hands, other, deal.hands[other] ^ 1 << moved),
        led=led,
        history=(*deal.history, action),
    )


def _claim(deal: Deal) -> Deal:
    """Restore hands and score to replay the deal after a revoke (R8.5)."""
    irregular = deal.irregular
    offended = (
        irregular.offended[0] or irregular.revoked[0],
        irregular.offended[1] or irregular.revoked[1],
    )
    score = (deal.score[0] - deal.won[0], deal.score[1] - deal.won[1])
    return deal._replace(
        standing=deal.standing._replace(
            score=score, irregular=Irregularities(exposed=irregular.exposed, offended=offended)
        ),
        phase=LEADING,
        turn=deal.elder,
        hands=deal.kept,
        tricks=(0, 0),
        led=NO_CARD,
        history=(*deal.history, CLAIM),
    )


def with_points(score: tuple[int, int], seat: Seat, points: int) -> tuple[int, int]:
    """Return a score with points added for a seat."""
    house, challenger = score
    return (house + points, challenger) if seat == HOUSE else (house, challenger + points)


def with_hand(hands: tuple[CardSet, CardSet], seat: Seat, hand: CardSet) -> tuple[CardSet, CardSet]:
    """Return both hands, with one seat's hand replaced."""
    return (hand, hands[1]) if seat == HOUSE else (hands[0], hand)
