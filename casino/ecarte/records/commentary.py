"""Narrate a game line by line, with all cards open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from casino.ecarte import actions
from casino.ecarte.actions import OVER, Action
from casino.ecarte.cards import CARD_NAMES, Card, CardSet, cards_in, suit_of
from casino.ecarte.deal import Deal, actor
from casino.ecarte.laws import Laws
from casino.ecarte.records.record import Record, replay_steps
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, NO_SEAT, multiplier
from casino.errors import card_sign

Names: TypeAlias = tuple[str, str]


def narrate(record: Record) -> Iterator[str]:
    """Yield the lines of a game. Raise `RecordError` at the first error of the record."""
    names = names_of(record.players)
    yield title(record.laws, names, record.game)
    if record.fairness is not None and record.fairness.get("cuts") == []:
        yield "No bettor's text joined the shuffle: the house could foresee the cards."
    before: Deal | None = None
    number = 0
    for step in replay_steps(record):
        deal = step.deal
        if before is None or step.number != number:
            number = step.number
            yield from ("", f"Deal {number}, dealt by {names[deal.dealer]}")
        else:
            for line in _changes(before, step.action, deal, names):
                yield f"  {line}"
        before = deal


def title(laws: Laws, names: Names, game: str | None = None) -> str:
    """Return the first line: the players, the target and the laws that differ from the defaults."""
    defaults = Laws()._asdict()
    special = [f"{law} {value}" for law, value in laws._asdict().items() if value != defaults[law]]
    line = f"{names[HOUSE]} against {names[CHALLENGER]}, a game to {laws.target} points"
    if game is not None:
        line = f"Game {plain(game)}: {line}"
    return f"{line} ({'; '.join(special)})" if special else line


def counters(score: int, target: int) -> str:
    """Return a player's counters: those not yet scored, then those moved to the right (R1.4).

    >>> counters(2, 5)
    '●●●  ●●'
    """
    return "●" * (target - score) + "  " + "●" * score


def names_of(players: Mapping[str, str] | None) -> Names:
    """Return the players' display names."""
    by_seat = players or {}
    house, challenger = by_seat.get("house"), by_seat.get("challenger")
    return (
        f"{plain(house)} (house)" if house else "House",
        f"{plain(challenger)} (challenger)" if challenger else "Challenger",
    )


def plain(name: str) -> str:
    """Return a name with control characters replaced, because a terminal would obey them."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def _changes(before: Deal, action: Action | None, deal: Deal, names: Names) -> Iterator[str]:
    """Yield the lines that describe one step; `action` is None when the turn-up is shown."""
    if action is None:
        yield from _turn_up(deal, names)
    elif action < 32:
        if deal.led == NO_CARD:
            yield _trick(before, action, deal, names)
    elif action & actions.EXCHANGE:
        yield _exchange(before, action, deal, names)
    else:
        yield _spoken(before, action, deal, names)
    if deal.phase == OVER:
        yield from _outcome(deal, names)


def _turn_up(deal: Deal, names: Names) -> Iterator[str]:
    trumps = _SUITS[suit_of(deal.turn_up)]
    yield f"Turned up: {_card(deal.turn_up)}. {trumps} are trumps."
    if deal.score != deal.score_before:
        yield f"A king is turned up: 1 point for {names[deal.dealer]}."
    if deal.phase != OVER:
        for seat in (deal.elder, deal.dealer):
            yield f"{names[seat]} holds {_cards(deal.hands[seat])}"


def _exchange(before: Deal, action: Action, deal: Deal, names: Names) -> str:
    seat = before.turn
    number = deal.drawn - before.drawn
    if number == 0:
        return f"{names[seat]}: None, the stock is empty."
    lost = action ^ actions.EXCHANGE
    kept = before.hands[seat] & ~lost
    line = f"{names[seat]}: {_NUMBERS[number]}."
    return f"{line} ({_cards(lost)} out, {_cards(deal.hands[seat] & ~kept)} in)"


def _trick(before: Deal, card: int, deal: Deal, names: Names) -> str:
    taker = HOUSE if deal.tricks[HOUSE] > before.tricks[HOUSE] else CHALLENGER
    led = f"{names[1 - before.turn]} {_card(before.led)}"
    reply = f"{names[before.turn]} {_card(card)}"
    return f"{sum(deal.tricks)}. {led}, {reply}: {names[taker]} takes it"


def _spoken(before: Deal, action: Action, deal: Deal, names: Names) -> str:
    seat = actor(before, action)
    name = names[seat] if seat != NO_SEAT else "Both"
    if actions.EXPOSE <= action < actions.LEAD_OUT:
        card = action - actions.EXPOSE
        owner = HOUSE if before.hands[HOUSE] >> card & 1 else CHALLENGER
        return f"{name} exposes {_card(card)}, dealt to {names[owner]}."
    if (led_out := actions.played(action)) is not None:
        return f"{name} leads {_card(led_out)} out of turn."
    line = f"{name}{_PHRASES[action]}"
    if action == actions.MARK:
        return f"{line} (1 point)"
    return line if deal.vulnerable == NO_SEAT else line + _VULNERABLE.get(action, "")


def _outcome(deal: Deal, names: Names) -> Iterator[str]:
    taker = HOUSE if deal.tricks[HOUSE] > deal.tricks[CHALLENGER] else CHALLENGER
    tricks, others = deal.tricks[taker], deal.tricks[1 - taker]
    if tricks != others:
        name = "the vole" if others == 0 else "the point"
        points = f"{deal.won[taker]} point{'' if deal.won[taker] == 1 else 's'}"
        yield f"{names[taker]} makes {name}, {tricks} tricks to {others}: {points}."
    for seat in (HOUSE, CHALLENGER):
        row = counters(deal.score[seat], deal.laws.target)
        yield f"{row}   {deal.score[seat]}  {names[seat]}"
    if deal.game_over:
        winner = deal.score.index(deal.laws.target)
        stake = _STAKES[multiplier(deal.score[1 - winner])]
        yield f"{names[winner]} wins the game: {stake}."


def _cards(cards: CardSet) -> str:
    return " ".join(map(_card, cards_in(cards)))


def _card(card: Card) -> str:
    return card_sign(CARD_NAMES[card])


_SUITS: Final = ("Spades", "Hearts", "Diamonds", "Clubs")
_NUMBERS: Final = ("None", "One card", "Two cards", "Three cards", "Four cards", "Five cards")
_STAKES: Final = {1: "single", 2: "double", 3: "triple"}
_VULNERABLE: Final = {
    actions.STAND: " (An elder who plays without proposing and loses gives 2 points.)",
    actions.REFUSE: " (A dealer who refuses the first proposal and loses gives 2 points.)",
}
_PHRASES: Final = {
    actions.PROPOSE: ": I propose.",
    actions.STAND: ": I play.",
    actions.ACCEPT: ": How many?",
    actions.REFUSE: ": Play!",
    actions.MARK: ": The king!",
    actions.CONCEDE: " concedes: the remaining tricks are the opponent's.",
    actions.NEW_DEAL: ": A new deal, please.",
    actions.LET_STAND: ": Let it stand.",
    actions.TAKE_BACK: " takes the card back.",
    actions.CLAIM: ": A revoke! The hands are restored and played again.",
}
