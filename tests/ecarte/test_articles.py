"""R1 to R8, article by article: the rules applied to single positions."""

from __future__ import annotations

from typing import Any

import pytest

from casino import ecarte
from casino.ecarte import CHALLENGER, HOUSE, NO_SEAT, Deal, Game, Laws
from casino.ecarte.rules import cut_dealer, points_after_revoke
from casino.errors import IllegalAction
from tests.ecarte.deal_helpers import (
    DEALER,
    ELDER,
    FIVES,
    TOP,
    begun,
    changed,
    dealt,
    hand,
    legal,
    points,
    refused,
    say,
    score,
    tricks,
)
from tests.ecarte.playthrough import PHASES

# Hands of elder and dealer, turn-up, cards to draw.
USUAL = f"{ELDER}/{DEALER}/7D/{TOP}"
WEAK = f"{ELDER}/9S 8S 7S 9H 8H/7D/TH 7H"
KING = "KD QS JS AS TS/KH QH 9S 8S 7S/7D"
ANSWER = "KC QC JC AC TC/KD 8D 9S 8S 7S/7D"
FORCED = "TS QH JD AC 9H"
GIVES = "KS QS JS AS TS/9S 8S 7S KC QC/7D/7C 8C"
LOSES = "TS 9H 8H 7S 9S/KS QS JS AS 8S/7D"
DRAWS = "KS QS JS AS TS/9S 8S 7S 9H KH/7D/7H 8C"
DUCKS = "QS JS AS TS 9S/KS 8S 7D KH 8H/9D"
REVOKE = "KS QS JS 9S 8S/AS TS 7S KD 8D/7D"
BOTH = "KS QS JS TD 9D/AS TS 7S KD 8D/7D"
VOLE = "KS 9S QS 8S JS 7S AS 8H TS 9H"
LOST = "TS KS QS 9S JS 7S AS 9H 8S 8H"
OVER = "S KS KD 8D QS AS JS 9S TS 7S 8S"
# The dealer has revoked and takes all tricks of the replay: 0 points instead of 1, 1 instead of 2.
CAUGHT = "TS 9H 8H 9C 8C/AS KD QD KH KC/7D/7C JC"
REPLAY = "TS KD V TS AS KD 8H QD"

# Article, hands, laws and score, tokens, expected facts.
TABLE = f"""
R3.1 | {USUAL} | | | phase:proposing turn:elder legal:P,S
R3.2 | {USUAL} | | P | phase:answering turn:dealer legal:A,R
R3.2 | {USUAL} | | P R | phase:leading turn:elder elder:KSQSJSASTS dealer:9S8S7SKHQH
R3.3 | {USUAL} | | P A XTSAS | phase:dealer-exchanges turn:dealer elder:KSQSJS8C7C
R3.3 | {USUAL} | | P A XTSAS X7S | phase:proposing turn:elder dealer:9S8SKHQH9C stock:18
R3.4 | {USUAL} | | {FIVES} P A XKD X | stock:0 phase:leading no:P=no_stock vulnerable:nobody
R3.5 | {USUAL} | | {FIVES} P A | no:XKDQD=too_many legal:XAD,XJD,XKD,XQD,XTD
R3.7 | {USUAL} | | S | phase:leading vulnerable:elder
R3.7 | {USUAL} | | P R | vulnerable:dealer
R3.7 | {USUAL} | | P A XKS X7S S | vulnerable:nobody
R4.1 | {KING} | | S | has:K
R4.1 | {KING} | | S K | points:1-0 marked:elder turn:elder phase:leading no:K=already_marked
R4.1 | {ANSWER} | | S KC | turn:dealer legal:8D,C,K,KD
R4.1 | {ANSWER} | | S KC K | points:0-1 marked:dealer turn:dealer
R4.1 | QD QS JS AS TS/KH QH 9S 8S 7S/KD | | S | points:0-1 no:K=no_king
R4.2 | {KING} | | S JS 9S | turn:elder no:K=mark_too_late
R4.3 | {KING} | | S KD 7S QS 9S JS 8S AS KH TS QH | phase:over marked:nobody points:1-0
R4.4 | {KING} | score=4-4 | S K | score:5-4 phase:over legal: no:C=game_over
R4.4 | {ANSWER} | score=3-4 | P R KC K | score:3-5 phase:over legal:
R5.1 | KS QH JD AC TS/9S 8S 7S 9H 8H/7D | | S | phase:leading legal:AC,C,JD,KS,QH,TS led:-
R5.1 | KS QH JD AC TS/9S 8S 7S 9H 8H/7D | | S KS 9S | turn:elder phase:leading tricks:1-0
R5.2 | {FORCED}/KS JS 8S 7H 8H/7D | | S TS | legal:C,JS,KS no:8S=must_win no:7H=must_win
R5.2 | {FORCED}/8C 9C KD 8D 8H/7D | | S TS | legal:8D,C,K,KD no:8C=must_trump
R5.3 | KS QH JH AC 9H/8C 9C 7D 7H 8H/8D | | S KS 7D | tricks:0-1 turn:dealer
R5.4 | {FORCED}/KS 8S KD 7H 8H/7D | play=ordinary | S TS | legal:8S,C,K,KS no:KD=must_follow
R5.5 | {GIVES} | | S C | phase:over turn:nobody tricks:0-5 points:0-2
R5.5 | {GIVES} | | P R KS C | tricks:5-0 points:2-0
R5.5 | {GIVES} | | S KS 9S QS 8S JS 7S C | tricks:3-2 points:1-0
R6.1 | {DRAWS} | | P A XTS X9H S KS 9S QS 8S JS 7S 7H KH 8C AS | tricks:3-2 points:1-0
R6.1 | {WEAK} | | P A XTS X9H S KS 9S QS 8S JS 7S AS 7H TH 8H | tricks:5-0 points:2-0
R6.2 | {WEAK} | | P R {VOLE} | points:2-0
R6.2 | {LOSES} | | S {LOST} | points:0-2
R6.3 | {WEAK} | | S {VOLE} | tricks:5-0 points:1-0 no:KS=deal_over
R6.3 | {WEAK} | vole_unexchanged=2 | S {VOLE} | tricks:5-0 points:2-0
R6.4 | QD JD AD TD 9D/9S 8S 7S 9H 8H/KD | score=4-4 | | score:4-5 phase:over legal: no:S=game_over
R6.4 | AD QS JS AS TS/KD 9S 8S 7S 9H/7D | score=4-4 | S AD K | score:4-5 tricks:0-0 phase:over
R6.4 | KD QS JS AS TS/9S 8S 7S 9H 8H/7D/TC 8C | | P A XTS X8H S K KD 8C QS 9S JS 8S AS 7S TC 9H \
| points:3-0
R7.1 | {WEAK} | score=4-0 | P R {VOLE} | score:5-0 points:1-0 phase:over
R7.3 | KD QS 9H 8H 7H/KH QH KS JS AS/7D | score=2-3 | S K C | score:3-5
R8.1 | {USUAL} | | EKH . | phase:dealing turn:dealer lacks:EKH
R8.1 | {USUAL} | enforcement=claims | EKH | legal:P,S
R8.2 | {USUAL} | | EKS | phase:exposed turn:elder has:N has:O no:P=exposure_due
R8.2 | {USUAL} | | EKS EQS | phase:exposed turn:elder
R8.2 | {USUAL} | | EKS EKH | phase:exposed turn:elder
R8.2 | {USUAL} | | EKS O . | phase:dealing turn:dealer
R8.2 | {USUAL} | | EKS O | legal:P,S
R8.2 | {USUAL} | | EKS O EQS | phase:exposed
R8.2 | {ELDER}/{DEALER}/KD | score=4-4 | EKS N | phase:annulled turn:nobody score:4-4 legal:
R8.4 | {WEAK} | enforcement=claims | S | has:L9S has:L8H lacks:LKS
R8.4 | {WEAK} | enforcement=claims | S L8H | phase:following turn:elder led:8H dealer:9S8S7S9H
R8.4 | {WEAK} | enforcement=claims | S L8H W | phase:leading turn:elder dealer:9S8S7S9H8H
R8.4 | {WEAK} | enforcement=claims | S KS 9S L8H | phase:following turn:elder led:8H
R8.4 | {WEAK} | enforcement=claims | S L9S KS | tricks:1-0 turn:elder no:W=nothing_to_take_back
R8.4 | {WEAK} | enforcement=claims | S L9H TS | tricks:0-1 turn:dealer
R8.4 | KD QS JS AS TS/9S 8S 7S 9H 8H/7D | enforcement=claims | S L9S K QS | points:1-0
R8.4 | {ELDER}/KD 9S 8S 7S 9H/7D | enforcement=claims | S L9S W KS K | points:0-1
R8.4 | {WEAK} | enforcement=claims | S L9S C | phase:over tricks:0-5 points:0-2 led-out:False
R8.5 | {DUCKS} | enforcement=claims | S QS 7D | claims:elder
R8.5 | {DUCKS} | enforcement=claims | S QS 8S | claims:elder
R8.5 | QS JS AS TS 9S/KH 9H 8D 9C 8C/9D | enforcement=claims | S QS KH | claims:elder
R8.5 | {DUCKS} | enforcement=claims play=ordinary | S QS KH | claims:elder
R8.5 | {DUCKS} | enforcement=claims | S QS KS | no:V=no_revoke
R8.5 | {DUCKS} | enforcement=claims play=ordinary | S QS 8S | no:V=no_revoke
R8.5 | {REVOKE} | enforcement=claims | S KS KD 8D QS V | phase:leading turn:elder tricks:0-0 \
elder:KSQSJS9S8S dealer:ASTS7SKD8D offended:dealer no:V=no_revoke
R8.5 | {REVOKE} | enforcement=claims | S KS KD V KS 7S QS TS JS AS 9S 8D KD 8S | tricks:3-2 \
points:1-0
R8.5 | {REVOKE} | enforcement=claims | P R KS KD V KS 7S QS TS JS AS 9S 8D KD 8S | points:2-0
R8.5 | {REVOKE} | enforcement=claims | {OVER} | phase:over points:0-2 legal:V
R8.5 | {REVOKE} | enforcement=claims | {OVER} V | phase:leading points:0-0 tricks:0-0
R8.5 | {REVOKE} | enforcement=claims | S KS KD 8D QS C V | phase:leading
R8.5 | {REVOKE} | enforcement=claims score=4-3 | {OVER} | score:4-5 legal: no:V=game_over
R8.5 | {REVOKE} | enforcement=claims | S KS K KD V | points:0-1 marked:dealer
R8.5 | {REVOKE} | enforcement=claims | S KS K KD V KS | no:K=already_marked
R8.5 | {REVOKE} | enforcement=claims | S KS KD V KS | lacks:K no:K=mark_too_late
R8.5 | {REVOKE} | enforcement=claims | S KS KD V KS 8D V | phase:leading offended:dealer
R8.5 | {CAUGHT} | enforcement=claims | S {REPLAY} 8C KH 9H KC 9C | tricks:0-5 points:0-1
R8.5 | {CAUGHT} | enforcement=claims | P R {REPLAY} 8C KH 9H KC 9C | tricks:0-5 points:0-0
R8.5 | {CAUGHT} | enforcement=claims vole_unexchanged=2 | P R {REPLAY} 8C KH 9H KC 9C | points:0-1
R8.5 | {CAUGHT} | enforcement=claims | P A X8C XKC S {REPLAY} 7C KH 9H JC 9C | tricks:0-5 points:0-1
R8.5 | {BOTH} | enforcement=claims | S KS KD 8D QS | claims:nobody
R8.5 | {BOTH} | enforcement=claims | S KS KD 8D QS V | offended:both
R8.5 | {BOTH} | enforcement=claims | S LAS TD | claims:dealer
"""
ROWS = [[part.strip() for part in row.split("|")] for row in TABLE.strip().splitlines()]


def facts(deal: Deal) -> dict[str, str]:
    roles = {deal.elder: "elder", deal.dealer: "dealer", NO_SEAT: "nobody"}
    offenders = [roles[seat] for seat in (0, 1) if deal.irregular.offenders[seat]]
    return {
        "phase": PHASES[deal.phase].replace(" ", "-"),
        "turn": roles[deal.turn],
        "legal": ",".join(sorted(legal(deal))),
        "points": "{}-{}".format(*points(deal)),
        "score": "{}-{}".format(*score(deal)),
        "tricks": "{}-{}".format(*tricks(deal)),
        "vulnerable": roles[deal.vulnerable],
        "marked": roles[deal.marked],
        "elder": hand(deal, deal.elder).replace(" ", ""),
        "dealer": hand(deal, deal.dealer).replace(" ", ""),
        "stock": str(deal.stock),
        "led": "-" if deal.led < 0 else ecarte.format_card(deal.led),
        "led-out": str(deal.irregular.led_out),
        "claims": roles[ecarte.actor(deal, ecarte.parse_token("V"))] if "V" in legal(deal) else "-",
        "offended": "both" if len(offenders) == 2 else "".join(offenders),
    }


@pytest.mark.parametrize("seat", [HOUSE, CHALLENGER])
@pytest.mark.parametrize("row", ROWS, ids=[row[0].lower().replace(".", "_") for row in ROWS])
def test_rules_by_article(row: list[str], seat: int) -> None:
    _, hands, laws, tokens, expected = row
    agreed: dict[str, Any] = {key: int(value) if value.isdigit() else value
              for key, value in (law.split("=") for law in laws.split())}  # fmt: skip
    whole = dealt(*hands.split("/"), seat=seat, **agreed)
    deal = say(whole, tokens[:-1]) if tokens.endswith(".") else begun(
        tokens, *hands.split("/"), seat=seat, **agreed
    )  # fmt: skip
    for fact in expected.split():
        key, value = fact.split(":")
        if key in ("has", "lacks"):
            assert (value in legal(deal)) == (key == "has")
        elif key == "no":
            said, reason = value.split("=")
            assert refused(deal, said)[0] == reason
        else:
            assert facts(deal)[key] == value, key


def test_r2_1_higher_cut_card_deals() -> None:
    for pair in ("KS QS", "JS AS", "KD 7S"):
        assert cut_dealer(*ecarte.cards(pair)) == ecarte.cut_for_deal(ecarte.cards(pair)) == HOUSE
    for pair in ("TS AS", "7H 8C", "AC JH"):
        assert (
            cut_dealer(*ecarte.cards(pair)) == ecarte.cut_for_deal(ecarte.cards(pair)) == CHALLENGER
        )
    assert ecarte.cut_for_deal(ecarte.cards("KS KH AS AH 7S 8S")) == CHALLENGER
    assert ecarte.cut_for_deal(ecarte.cards("KS KH AS AH")) == HOUSE


@pytest.mark.parametrize("cut", [HOUSE, CHALLENGER])
def test_r2_1_last_loser_deals_only_under_loser_law(cut: int) -> None:
    for loser in (HOUSE, CHALLENGER):
        assert ecarte.first_dealer(Laws(first_dealer="loser"), cut, loser) == loser
        assert ecarte.first_dealer(Laws(), cut, loser) == cut
    assert ecarte.first_dealer(Laws(first_dealer="loser"), cut) == cut


@pytest.mark.parametrize("law", ["cut", "loser", "house", "challenger"])
def test_r2_1_first_dealer_must_match_the_law(law: str) -> None:
    for seat, name in ((HOUSE, "house"), (CHALLENGER, "challenger")):
        if law in ("cut", "loser", name):
            assert ecarte.new_game(Laws(first_dealer=law), seat).dealer == seat
            continue
        with pytest.raises(IllegalAction) as caught:
            ecarte.new_game(Laws(first_dealer=law), seat)
        assert (caught.value.reason, caught.value.article) == ("wrong_dealer", "R2.1")


def test_r2_2_r2_5_game_refuses_deals_out_of_sequence() -> None:
    for play, refusal in (
        (
            lambda: ecarte.after_deal(ecarte.new_game(Laws(), HOUSE), begun("S")),
            ("deal_unfinished", "R2.2"),
        ),
        (
            lambda: ecarte.begin_deal(Game(Laws(), HOUSE, (5, 0)), ecarte.PACK),
            ("game_over", "R7.1"),
        ),
        (lambda: ecarte.turn_up(begun("", "7S", "7H", "KD", score="4-4")), ("game_over", "R7.1")),
        (lambda: ecarte.new_game(Laws(deal="house"), CHALLENGER), ("wrong_dealer", "R2.1")),
    ):
        with pytest.raises(IllegalAction) as caught:
            play()
        assert (caught.value.reason, caught.value.article) == refusal
    deal = ecarte.turn_up(ecarte.begin_deal(Game(Laws(), HOUSE, (2, 3)), ecarte.PACK))
    assert (deal.score_before, deal.dealer) == ((2, 3), HOUSE)


def test_r6_half_of_the_tricks_scores_nothing() -> None:
    assert ecarte.trick_points(1, 2, True, False, 1) == 0


def test_r8_5_score_never_falls_below_zero() -> None:
    assert [points_after_revoke(points) for points in (0, 1, 2)] == [0, 0, 1]


@pytest.mark.parametrize(
    ("scores", "target", "won", "paid"),
    [
        ((5, 4), 5, HOUSE, 1),
        ((5, 3), 5, HOUSE, 1),
        ((2, 5), 5, CHALLENGER, 2),
        ((1, 5), 5, CHALLENGER, 2),
        ((0, 5), 5, CHALLENGER, 3),
        ((7, 2), 7, HOUSE, 2),
        ((11, 10), 11, HOUSE, 1),
        ((4, 4), 5, None, None),
        ((4, 0), 5, None, None),
        ((6, 6), 7, None, None),
        ((10, 10), 11, None, None),
    ],
)
def test_r1_3_r7_2_score_ends_the_game_and_decides_its_stake(
    scores: tuple[int, int], target: int, won: int | None, paid: int | None
) -> None:
    game = Game(Laws(target=target), HOUSE, scores)
    assert (game.over, ecarte.winner(game), ecarte.stake(game)) == (won is not None, won, paid)
    assert ecarte.multiplier(2) == 2


def test_r7_2_after_deal_counts_deals_and_carries_score() -> None:
    game = Game(Laws(), HOUSE, (1, 2), 3)
    deal = begun("S C", score="2-1")
    assert ecarte.after_deal(game, deal) == Game(Laws(), CHALLENGER, (3, 2), 4)
    annulled = changed(deal, phase=ecarte.ANNULLED, score=deal.score_before)
    assert ecarte.after_deal(game, annulled) == Game(Laws(), HOUSE, (1, 2), 4)
