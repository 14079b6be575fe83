"""Every reason for which the rules refuse an action, as a table of positions."""

from __future__ import annotations

import pickle

import pytest

from casino import ecarte
from casino.errors import IllegalAction, RefusalReason
from tests.ecarte.deal_helpers import refused

SHORT = "house deals at 0-0"
CLAIMS = f"{SHORT}, enforcement=claims"
ORDINARY = f"{SHORT}, play=ordinary"
HANDS = "KSQSJSKHQH9SASTS9H8H7D"
"""The elder's KS QS JS AS TS, the dealer's KH QH 9S 9H 8H, the seven of diamonds turned."""
ANSWERS = "TSTDAHKSQDJC9C8H7SKC8D"
"""The elder leads TS: KS or 7S follow. TD and AH find no card of their suit but QD."""
EMPTY = "P A XKSQSJSASTS XKHQH9S9H8H P A X8S7SJHAHTH X7HKDQDJDAD P A XTD X"
"""Eleven cards left, then one, then none."""

# The position, the token refused, the reason, the article.
TABLE = f"""
{SHORT}: {HANDS} | EKH P | turn_up_due | R2.4
{SHORT}: {HANDS} | EKH EKH | exposed_twice | R8.1
{SHORT}: {HANDS} | EKS O EKS | exposed_twice | R8.1
{SHORT}: {HANDS} | EKH EKC | not_dealt | R8.1
{SHORT}: {HANDS} | P EKH | exposed_too_late | R8.1
{SHORT}: {HANDS} | EKH N | not_exposed | R8.2
{SHORT}: {HANDS} | S O | not_exposed | R8.2
{SHORT}: {HANDS} | EKS N N | deal_annulled | R8.2
{SHORT}: {HANDS} | KS | decision_due | R3.1
{SHORT}: {HANDS} | A | no_proposal | R3.2
{SHORT}: {HANDS} | S R | no_proposal | R3.2
{SHORT}: {HANDS} | XKS | not_accepted | R3.3
{SHORT}: {HANDS} | S XKS | not_accepted | R3.3
{SHORT}: {HANDS} | P P | answer_due | R3.2
{SHORT}: {HANDS} | P C | answer_due | R3.2
{SHORT}: {HANDS} | P XKS | answer_due | R3.2
{SHORT}: {HANDS} | P S | stand_too_late | R3.4
{SHORT}: {HANDS} | S P | propose_too_late | R3.6
{SHORT}: {HANDS} | P A XKS K | dealer_exchange_due | R3.3
{SHORT}: {HANDS} | P A X | too_few | R3.3
{SHORT}: {HANDS} | {EMPTY[:-2]} XKH | not_held | R3.3
{SHORT}: {HANDS} | {EMPTY[:-2]} XJC | too_many | R3.5
{SHORT}: {HANDS} | {EMPTY} P | no_stock | R3.4
{SHORT}: {HANDS} | S KH | not_held | R5.1
{SHORT}: {ANSWERS} | S TS JC | must_win | R5.2
{SHORT}: {ANSWERS} | S 8H KS | must_trump | R5.2
{SHORT}: KSQSJSKHQH9SASTS9H8H7D | S KS KH | must_follow | R5.2
{ORDINARY}: {HANDS} | S KS KH | must_follow | R5.4
{SHORT}: {HANDS} | S K | no_king | R4.1
{SHORT}: KDQSJSKHQH9SASTS9H8H7D | S K K | already_marked | R4.1
{SHORT}: KDQSJSKHQH9SASTS9H8H7D | S QS 9S K | mark_too_late | R4.2
{SHORT}: {HANDS} | S V | no_claims | R8.5
{CLAIMS}: {HANDS} | S V | no_revoke | R8.5
{CLAIMS}: {HANDS} | S KS KH V V | no_revoke | R8.5
{SHORT}: {HANDS} | S L7S | no_lead_out | R8.4
{CLAIMS}: {HANDS} | S LKS | not_held_out_of_turn | R8.4
{CLAIMS}: {HANDS} | S KS LKH | already_led | R8.4
{CLAIMS}: {HANDS} | P LKH | answer_due | R3.2
{CLAIMS}: {HANDS} | S KS W | nothing_to_take_back | R8.4
{SHORT}: {HANDS} | S C C | deal_over | R7.1
house deals at 4-0: KSQSJSKHQH9SASTS9H8HKD | P | game_over | R7.1
house deals at 4-0: {HANDS} | S C V | game_over | R7.1
"""
CASES = [tuple(line.split(" | ")) for line in TABLE.strip().splitlines()]


def put(line: str, tokens: str) -> ecarte.Deal:
    head, deck = line.split(": ")
    unknown = "??" * (32 - len(deck) // 2)
    position = ecarte.parse_position(f"{head}: {deck}{unknown} {tokens}".rstrip())
    return position.dealing(ecarte.PACK) if tokens else position.deal(ecarte.PACK)


@pytest.mark.parametrize(("line", "tokens", "reason", "article"), CASES)
def test_refusal_names_reason_and_article(
    line: str, tokens: str, reason: str, article: str
) -> None:
    *before, said = tokens.split()
    assert refused(put(line, " ".join(before)), said) == (reason, article)


def test_every_refusal_reason_has_a_case() -> None:
    given = {
        (one.name, one.article)
        for one in vars(ecarte.errors).values()
        if type(one) is RefusalReason
    }
    given |= {(due.name, due.article) for due in ecarte.errors.PHASE_REASONS.values()}
    assert len({name for name, _ in given}) == len(given) > 30
    provoked = {(reason, article) for _, _, reason, article in CASES}
    provoked |= {(reason, article) for _, reason, article in SHOWN}
    assert given - provoked == {("no_action", "R3.1")}
    assert provoked - given == {("must_follow", "R5.4"), ("not_held", "R3.3")}


SHOWN = [
    ("EKS", "exposure_due", "R8.2"),
    ("P", "answer_due", "R3.2"),
    ("P A", "elder_exchange_due", "R3.3"),
    ("P A XKS", "dealer_exchange_due", "R3.3"),
    ("P R", "lead_due", "R5.1"),
    ("S KS", "reply_due", "R5.1"),
    ("S C", "deal_over", "R7.1"),
    ("EKS N", "deal_annulled", "R8.2"),
]


@pytest.mark.parametrize(("tokens", "reason", "article"), SHOWN)
def test_r2_4_turn_up_is_refused_in_other_phases(tokens: str, reason: str, article: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        ecarte.turn_up(put(f"{SHORT}: {HANDS}", tokens))
    assert (caught.value.reason, caught.value.article) == (reason, article)


@pytest.mark.parametrize(
    ("hands", "tokens", "reason", "article", "text", "values"),
    [
        (ANSWERS, "S TS 7S", "must_win", "R5.2", "must win the trick: K♠ beats 10♠",
         {"card": "7S", "led": "TS", "held": "KS"}),
        (ANSWERS, "S 8H KS", "must_trump", "R5.2",
         "must trump 8♥, say with Q♦: you have none of its suit",
         {"card": "KS", "led": "8H", "held": "QD"}),
        (ANSWERS, "S 8H AH", "not_held", "R5.1", "A♥ is not in the hand", {"card": "AH"}),
        (ANSWERS, "P A X9H", "not_held", "R3.3", "9♥ is not in the hand", {"card": "9H"}),
        (HANDS, f"{EMPTY[:-2]} XJC", "too_many", "R3.5",
         "the stock holds only 0 cards: exchange no more than that", {"asked": 1, "n": 0}),
        (HANDS, f"{EMPTY[:-6]} XTD9D", "too_many", "R3.5",
         "the stock holds only 1 card: exchange no more than that", {"asked": 2, "n": 1}),
    ],
)  # fmt: skip
def test_refusal_names_cards_and_numbers_even_pickled(
    hands: str, tokens: str, reason: str, article: str, text: str, values: dict[str, str | int]
) -> None:
    *before, said = tokens.split()
    with pytest.raises(IllegalAction) as caught:
        ecarte.apply(put(f"{SHORT}: {hands}", " ".join(before)), ecarte.parse_token(said))
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert type(error) is IllegalAction and str(error) == text
        assert error.json() == {
            "code": "illegal_action",
            "message": text,
            "reason": reason,
            "article": article,
            "values": values,
        }
