"""A game record as readable text: what changed at each step, and for which viewer.

A step shows the action and its seat, then the public changes, then the changes that only one of
house, challenger and gallery sees, then the legal actions.
"""

from __future__ import annotations

from collections.abc import Iterator

from casino import ecarte
from casino.ecarte import GALLERY, NO_CARD, NO_SEAT, Deal, Exchanges, Step, View

VIEWERS = {"house": 0, "challenger": 1, "gallery": GALLERY}
PHASES = (
    "dealing", "exposed", "proposing", "answering", "elder exchanges", "dealer exchanges",
    "leading", "following", "over", "annulled",
)  # fmt: skip
"""The phases of a deal in the order of their numbers."""


def playthrough(line: str) -> str:
    record = ecarte.read_record(line)
    lines = [line, ""]
    before: Deal | None = None
    for number, step in enumerate(ecarte.replay_steps(record)):
        lines += tell(number, step, before)
        before = step.deal
    outcome = ecarte.outcome_json(ecarte.replay(record))
    for number, deal in enumerate(outcome["deals"], 1):
        lines.append(f"deal {number}: {pair(deal['points'])} points, {pair(deal['tricks'])} tricks")
    lines.append(f"score {pair(outcome['score'])}, {outcome['winner']} wins {outcome['stake']}")
    return "\n".join(lines) + "\n"


def tell(number: int, step: Step, before: Deal | None) -> Iterator[str]:
    deal = step.deal
    if step.action is not None and before is not None:
        yield f"{number}. {name_of(ecarte.actor(before, step.action))} {ecarte.token(step.action)}"
    elif deal.phase == ecarte.DEALING:
        before = None
        yield f"{number}. deal {step.number}"
    else:
        yield f"{number}. turn-up"
    yield from changes(deal, before)
    yield f"   may: {' '.join(options(deal)) or '-'}"
    yield ""


def options(deal: Deal) -> Iterator[str]:
    legal = ecarte.legal_actions(deal)
    if isinstance(legal, Exchanges) and len(legal) > 1:
        held = ecarte.format_cards(ecarte.cards_in(legal.cards))
        yield f"{len(legal)} exchanges of {legal.minimum}-{legal.maximum} of {held}"
        return
    yield from map(ecarte.token, legal)


def changes(deal: Deal, before: Deal | None) -> Iterator[str]:
    seen = {name: facts(ecarte.view(deal, viewer)) for name, viewer in VIEWERS.items()}
    known = {
        name: facts(ecarte.view(before, viewer)) if before is not None else {}
        for name, viewer in VIEWERS.items()
    }
    new = {
        name: {key: value for key, value in seen[name].items() if known[name].get(key) != value}
        for name in VIEWERS
    }
    for_all = {key: value for key, value in new["gallery"].items()
               if all(one.get(key) == value for one in new.values())}  # fmt: skip
    if for_all:
        yield f"   all: {said(for_all)}"
    for name, changed in new.items():
        if own := {key: value for key, value in changed.items() if key not in for_all}:
            yield f"   {name}: {said(own)}"


def said(some: dict[str, str]) -> str:
    return "; ".join(f"{key} {value}" for key, value in some.items())


def facts(seen: View) -> dict[str, str]:
    """Return a view's fields as texts; the position line holds the deck and the history."""
    facts = {
        "phase": PHASES[seen.phase],
        "turn": name_of(seen.turn),
        "score": "-".join(map(str, seen.score)),
        "tricks": "-".join(map(str, seen.tricks)),
        "led": card_of(seen.led),
        "stock": str(seen.stock),
        "sizes": "-".join(map(str, seen.sizes)),
        "exchanged": str(seen.exchanged),
        "vulnerable": name_of(seen.vulnerable),
        "marked": name_of(seen.marked),
        "exposed": ecarte.format_cards(ecarte.cards_in(seen.exposed)) or "-",
        "led out": str(seen.led_out),
        "offended": " ".join(map(str, seen.offenders)),
        "hand": ecarte.format_cards(ecarte.cards_in(seen.hand)) or "-",
        "kept": ecarte.format_cards(one for hand in seen.kept for one in ecarte.cards_in(hand))
        or "-",
        "said": ecarte.token(seen.history[-1]) if seen.history else "-",
        "turn-up": card_of(seen.turn_up),
    }
    return facts | {
        "line": ecarte.format_position(ecarte.position_of_view(seen._replace(history=())))
    }


def card_of(card: int) -> str:
    return "-" if card == NO_CARD else ecarte.format_card(card)


def name_of(seat: int) -> str:
    return "-" if seat == NO_SEAT else ecarte.SEATS[seat]


def pair(by_seat: dict[str, int]) -> str:
    return "-".join(str(by_seat[seat]) for seat in ecarte.SEATS)
