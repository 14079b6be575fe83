"""The naive rules against the worked deals and, article by article, against hand examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .basics import OTHER, PACK, IllegalToken, follows
from .game import NaiveDeal, NaiveGame
from .perft import lines_of_play
from .replay import read_laws, replay

GOLDEN = Path(__file__).parent.parent / "golden" / "deals.egr.jsonl"
ELDER = "KS QS JS AS TS"
DEALER = "KH QH 9S 8S 7S"


def pack(elder: str, dealer: str, turn_up: str, stock: str = "") -> list[str]:
    """A deck that deals these hands in packets of 3 and 2, its stock filled from the pack."""
    one, two = elder.split(), dealer.split()
    top = [*one[:3], *two[:3], *one[3:], *two[3:], turn_up, *stock.split()]
    return top + [card for card in PACK if card not in top]


def begun(deck: list[str], tokens: str = "", score: str = "0-0", **laws: Any) -> NaiveDeal:
    """A deal by the house, the elder's points first in the score, some tokens on."""
    elder, dealer = score.split("-")
    points = {"challenger": int(elder), "house": int(dealer)}
    deal = NaiveDeal(read_laws(laws), "house", deck, points)
    say(deal, tokens)
    return deal


def say(deal: NaiveDeal, tokens: str) -> None:
    """Play some tokens."""
    for token in tokens.split():
        deal.play(token)


def points(deal: NaiveDeal) -> tuple[int, int]:
    """The elder's and the dealer's points of a deal."""
    return deal.points()[deal.elder], deal.points()[deal.dealer]


def refused(deal: NaiveDeal, *tokens: str) -> bool:
    """Whether each of these tokens is refused and changes nothing."""
    before = (deal.legal_tokens(), deal.score(), deal.stage)
    for token in tokens:
        with pytest.raises(IllegalToken):
            deal.play(token)
    return (deal.legal_tokens(), deal.score(), deal.stage) == before


@pytest.mark.parametrize("line", GOLDEN.read_text().splitlines())
def test_r9_worked_deals(line: str) -> None:
    """The worked deals give the points and tricks that the books give."""
    record = json.loads(line)
    answer = replay(record)
    seats = {"dealer": record["first_dealer"], "elder": OTHER[record["first_dealer"]]}
    for what in ("points", "tricks"):
        for role, number in record["expected"][what].items():
            assert answer["deals"][0][what][seats[role]] == number
    assert (answer["winner"], answer["stake"]) == (None, None)


def test_r2_2_deals_alternate_or_the_house_deals() -> None:
    """The deal goes round, unless the house always deals."""
    for law, dealers in (("alternate", ["challenger", "house"]), ("house", ["house", "house"])):
        game = NaiveGame(read_laws({"deal": law}), dealers[0])
        for dealer in dealers:
            deal = game.start_deal(pack(ELDER, DEALER, "7H"))
            assert deal.dealer == dealer
            say(deal, "S C")


def test_r2_3_packets() -> None:
    """Five cards each, elder first, three and two or two and three at a time."""
    deal = begun(PACK, packets=[3, 2])
    assert deal.hands["challenger"] == ["KS", "QS", "JS", "8S", "7S"]
    assert deal.hands["house"] == ["AS", "TS", "9S", "KH", "QH"]
    deal = begun(PACK, packets=[2, 3])
    assert deal.hands["challenger"] == ["KS", "QS", "TS", "9S", "8S"]
    assert deal.hands["house"] == ["JS", "AS", "7S", "KH", "QH"]


def test_r2_5_turned_king() -> None:
    """A king turned up scores for the dealer, and can end the game before a word."""
    deck = pack(ELDER, DEALER, "KD")
    assert points(begun(deck)) == (0, 1)
    last = begun(deck, score="0-4")
    assert last.game_over() and last.over() and refused(last, "P", "S", "KS", "C", "V")
    assert begun(deck, score="0-4", target=7).legal_tokens()[-2:] == ["P", "S"]


def test_r3_talk_in_order() -> None:
    """Propose or stand, then accept or refuse, then both exchange, then again."""
    deal = begun(pack(ELDER, DEALER, "7H"))
    assert refused(deal, "A", "R", "X", "XKS", "K", "KS", "C", "W", "V", "N", "O", "", "p")
    deal.play("P")
    assert deal.legal_tokens() == ["A", "R"]
    deal.play("A")
    assert len(deal.legal_tokens()) == 31
    assert refused(deal, "X", "XKH", "XKSKS", "XKSQSJSASTSKH", "X KS", "KS", "XK", "C")
    deal.play("XTSKS")
    assert deal.legal_tokens()[0] == "XKH" and refused(deal, "X")
    deal.play("X7S")
    assert deal.legal_tokens() == ["P", "S"] and len(deal.stock) == 18


def test_r3_3_new_cards_come_from_the_top() -> None:
    """The elder takes from the top of the stock first, then the dealer."""
    deal = begun(pack(ELDER, DEALER, "7H", "7D 8D 9D TD"), "P A XKSTS X9S8S S")
    assert sorted(deal.hands["challenger"]) == sorted(["QS", "JS", "AS", "7D", "8D"])
    assert sorted(deal.hands["house"]) == sorted(["KH", "QH", "7S", "9D", "TD"])


def exchange_all(deal: NaiveDeal) -> None:
    """Both exchange all five cards, twice: one card stays in the stock."""
    for _ in range(2):
        say(deal, "P A")
        for _ in range(2):
            deal.play(max(deal.legal_tokens(), key=len))


def test_r3_5_elder_takes_the_last_card() -> None:
    """Nobody asks for more than there is; the dealer who finds nothing says X, and it is play."""
    deal = begun(pack(ELDER, DEALER, "7H"))
    exchange_all(deal)
    assert len(deal.stock) == 1 and deal.legal_tokens() == ["P", "S"]
    say(deal, "P A")
    assert all(len(token) == 3 for token in deal.legal_tokens())
    deal.play(deal.legal_tokens()[0])
    assert deal.legal_tokens() == ["X"]
    deal.play("X")
    assert deal.stage == "play" and refused(deal, "S", "P")


def test_r3_4_empty_stock_begins_play() -> None:
    """When the dealer takes the last card there is nothing left to say."""
    deal = begun(pack(ELDER, DEALER, "7H"), "P A XKSQSJSASTS XKHQH9S8S7S P A")
    while len(deal.stock) > 8:
        deal.play(max(deal.legal_tokens(), key=len))
        if deal.stage == "speak":
            say(deal, "P A")
    while deal.stage != "play":
        deal.play(deal.legal_tokens()[0] if deal.legal_tokens() != ["P", "S"] else "P")
    assert deal.stock == [] and refused(deal, "S")


@pytest.mark.parametrize(
    ("tokens", "vulnerable"),
    [("S", "challenger"), ("P R", "house"), ("P A XKS XKH S", ""), ("P A XKS XKH P R", "")],
)
def test_r3_7_who_is_vulnerable(tokens: str, vulnerable: str) -> None:
    """Only the first decision makes a player vulnerable."""
    assert begun(pack(ELDER, DEALER, "7H"), tokens).vulnerable == vulnerable


def test_r4_king_only_before_the_first_card() -> None:
    """The king scores when announced before its holder's first card, and never after."""
    deck = pack("KS QS JS 8S 7S", "KH QH 9S AS TS", "7H")
    assert refused(begun(deck, "S"), "K")
    deal = begun(deck, "S KS K")
    assert points(deal) == (0, 1) and refused(deal, "K")
    say(deal, "TS")
    assert refused(deal, "K")
    silent = begun(deck, "S KS TS QS AS JS")
    assert refused(silent, "K")
    assert points(begun(pack("KH QS JS 8S 7S", "KS QH 9S AS TS", "7H"), "S K KH")) == (1, 0)


def test_r4_4_mark_ends_the_game() -> None:
    """A mark that makes the target leaves the tricks unplayed."""
    deal = begun(pack(ELDER, DEALER, "7H"), "S KS K", score="3-4")
    assert deal.game_over() and deal.tricks == {"house": 0, "challenger": 0}
    assert refused(deal, "7S", "C", "V")


@pytest.mark.parametrize(
    ("hand", "led", "strict", "ordinary"),
    [
        ("KS 9S 7S KH", "TS", "KS", "KS 9S 7S"),
        ("9S 7S KH", "TS", "9S 7S", "9S 7S"),
        ("KH 7H AD", "TS", "KH 7H", "KH 7H AD"),
        ("AD 7C", "TS", "AD 7C", "AD 7C"),
        ("AS KH", "TS", "AS", "AS"),
        ("AS TS", "JS", "AS TS", "AS TS"),
        ("7H KH AS", "TH", "KH", "7H KH"),
    ],
)
def test_r5_2_r5_4_answers(hand: str, led: str, strict: str, ordinary: str) -> None:
    """Follow and win, else follow, else trump, else anything; or merely follow."""
    assert follows(hand.split(), led, "H", "strict") == strict.split()
    assert follows(hand.split(), led, "H", "ordinary") == ordinary.split()


def test_r5_1_r5_3_the_winner_leads() -> None:
    """The winner of a trick leads to the next."""
    deal = begun(pack("KS 7C JD AD TD", "7S 7H KC 8S 9S", "AH"), "S KS")
    say(deal, "7S 7C")
    assert refused(deal, "7H", "8S")
    say(deal, "KC")
    assert deal.to_play() == "house" and refused(deal, "JD")
    say(deal, "7H")
    assert refused(deal, "KC") and deal.tricks == {"house": 1, "challenger": 1}


@pytest.mark.parametrize(
    ("tokens", "laws", "expected", "tricks"),
    [
        ("S C", {}, (0, 2), (0, 5)),
        ("S KS C", {}, (1, 0), (5, 0)),
        ("S KS C", {"vole_unexchanged": 2}, (2, 0), (5, 0)),
        ("P R KS C", {}, (2, 0), (5, 0)),
        ("P R C", {}, (0, 1), (0, 5)),
        ("P R C", {"vole_unexchanged": 2}, (0, 2), (0, 5)),
        ("P A XKS XKH S C", {}, (0, 2), (0, 5)),
        ("P A X7S XTS P R C", {}, (0, 2), (0, 5)),
        ("P R KS TS C", {}, (0, 1), (1, 4)),
        ("P R KS TS QS 9S JS AS C", {}, (2, 0), (3, 2)),
        ("P A X8S XKH S KS C", {}, (2, 0), (5, 0)),
    ],
)
def test_r6_points_and_r5_5_concessions(
    tokens: str, laws: dict[str, Any], expected: tuple[int, int], tricks: tuple[int, int]
) -> None:
    """Point, vole and penalty, each reached by laying down a hand."""
    deck = pack("KS QS JS 8S 7S", "KH QH 9S AS TS", "7H")
    deal = begun(deck, tokens, **laws)
    assert deal.over() and points(deal) == expected
    assert (deal.tricks[deal.elder], deal.tricks[deal.dealer]) == tricks


def test_r7_1_nothing_beyond_the_target() -> None:
    """Points beyond the target do not count."""
    deal = begun(pack(ELDER, DEALER, "7H"), "S C", score="2-4")
    assert deal.score() == {"house": 5, "challenger": 2} and points(deal) == (0, 1)


@pytest.mark.parametrize(("loser", "stake"), [(0, 3), (1, 2), (2, 2), (3, 1), (4, 1)])
def test_r7_2_stakes(loser: int, stake: int) -> None:
    """Triple at nil, double at one or two, single from three."""
    game = NaiveGame(read_laws({}), "house")
    deal = game.start_deal(pack(ELDER, DEALER, "7H"))
    deal.score_before = {"house": 4, "challenger": loser}
    say(deal, "S C")
    assert (game.winner(), game.stake()) == ("house", stake)


def test_r8_1_dealers_card_exposed() -> None:
    """A card of the dealer's shown while dealing changes nothing."""
    deal = begun(pack(ELDER, DEALER, "7H"), "EKH E7S")
    assert refused(deal, "EKH", "N", "O", "E7H", "EAD") and "EKS" in deal.legal_tokens()
    deal.play("P")
    assert refused(deal, "E9S")


def test_r8_2_elders_card_exposed() -> None:
    """A card of the elder's lets the elder have a new deal, and the turned king lapse."""
    deck = pack(ELDER, DEALER, "KD")
    deal = begun(deck, "EKS", score="0-4")
    assert refused(deal, "P", "S", "EKS") and points(deal) == (0, 0) and not deal.over()
    say(deal, "EQS EKH O EJS")
    assert refused(deal, "S") and points(deal) == (0, 0)
    say(deal, "O")
    assert deal.game_over() and refused(deal, "P", "S", "N", "O")
    game = NaiveGame(read_laws({}), "house")
    say(game.start_deal(deck), "EKS N")
    assert (game.may_deal(), game.next_dealer()) == (True, "house")
    assert game.score() == {"house": 0, "challenger": 0} and game.legal_tokens() == []


def test_r8_4_lead_out_of_turn() -> None:
    """A lead out of turn is taken back, or stands once it has been answered."""
    deck = pack("KS QS JS 8S 7S", "KH QH 9S AS TS", "7H")
    assert refused(begun(deck, "S"), "LKH")
    deal = begun(deck, "S", enforcement="claims")
    assert refused(deal, "LKS", "W") and "LKH" in deal.legal_tokens()
    say(deal, "L9S W L9S")
    assert deal.to_play() == "challenger" and refused(deal, "KH", "K", "LKH")
    say(deal, "JS")
    assert refused(deal, "W") and deal.tricks == {"house": 0, "challenger": 1}
    say(deal, "KS")
    assert refused(deal, "K"), "the standing lead was the dealer's first card"
    back = begun(deck, "S LKH W KS", enforcement="claims")
    assert "K" in back.legal_tokens() and "LKH" not in back.legal_tokens()


def test_r8_4_king_and_concession_after_a_lead_out_of_turn() -> None:
    """The one who was to lead may announce the king or concede before answering."""
    deck = pack("KH QS JS 8S 7S", "KS QH 9S AS TS", "7H")
    deal = begun(deck, "S LKS K", enforcement="claims")
    assert points(deal) == (1, 0) and "W" in deal.legal_tokens()
    deal.play("C")
    assert points(deal) == (1, 2) and deal.tricks == {"house": 5, "challenger": 0}


REVOKE = pack("KS QS JS 8S 7S", "KH QH 9S AS TS", "7H")
"""The dealer holds the king of trumps, and spades that he must follow with."""


def test_r8_5_strict_refuses_a_revoke() -> None:
    """An illegal card is refused and nothing is lost."""
    assert refused(begun(REVOKE, "S KS"), "KH", "V")


def test_r8_5_claim_restores_the_hands_and_the_mark() -> None:
    """A claim puts the hands back, the elder leads again, the mark stays as it was."""
    deal = begun(REVOKE, "S KS K KH", enforcement="claims")
    assert "V" in deal.legal_tokens() and points(deal) == (0, 1)
    deal.play("V")
    assert deal.to_play() == "challenger" and len(deal.hands["house"]) == 5
    assert points(deal) == (0, 1) and refused(deal, "V", "K")
    say(deal, "KS")
    assert refused(deal, "K")
    silent = begun(REVOKE, "S KS KH V KS", enforcement="claims")
    assert refused(silent, "K")


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("S KS KH C", (1, 0)),  # unclaimed: the dealer concedes after his false trick
        ("S KS KH QH C", (0, 2)),  # unclaimed: all five to the dealer, the elder had stood
        ("S KS KH V C", (0, 1)),  # 2 for beating who had stood, less 1
        ("P R KS KH V C", (0, 0)),  # 1 for a vole without exchange, less 1
        ("P A XKS XTS P R QS KH V C", (0, 1)),  # 2 for the vole, less 1
        ("S KS KH V KS C", (1, 0)),  # the innocent side wins and scores as ever
        ("S KS KH C V KS TS C", (0, 1)),  # claimed after the dealer laid down his hand
        ("S KS KH V KS KH V C", (0, 1)),  # caught twice, still less 1
        ("S KS KH 9S 8S V KS C", (0, 0)),  # both revoked: the elder's 1, less 1
        ("S KS KH 9S 8S V C", (0, 1)),  # both revoked: the dealer's 2, less 1
    ],
)
def test_r8_5_offender_scores_one_less(tokens: str, expected: tuple[int, int]) -> None:
    """In the replay an offender who wins scores one point less, once and for all."""
    deal = begun(REVOKE, tokens, enforcement="claims")
    assert deal.over() and points(deal) == expected


def test_r8_5_only_a_real_revoke_can_be_claimed() -> None:
    """Nothing can be claimed before a revoke, nor the same revoke twice."""
    for tokens in ("S", "S KS", "S KS TS", "S KS TS C", "S KS KH V", "S KS KH V KS TS"):
        assert refused(begun(REVOKE, tokens, enforcement="claims"), "V")


def test_r8_5_not_winning_is_no_revoke_in_ordinary_play() -> None:
    """Under ordinary play only not following is a revoke."""
    tokens = "S 8S 9S AS 7S"
    assert "V" in begun(REVOKE, tokens, enforcement="claims").legal_tokens()
    assert refused(begun(REVOKE, tokens, enforcement="claims", play="ordinary"), "V")


def test_r8_5_claim_until_the_next_deal_but_not_after_the_game() -> None:
    """A revoke may be claimed after the last trick, unless the game is over."""
    tokens = "S KS KH QH 7S 9S QS JS AS 8S TS"
    deal = begun(REVOKE, tokens, enforcement="claims")
    assert deal.over() and points(deal) == (0, 2) and deal.tricks["house"] == 3
    assert deal.legal_tokens() == ["V"]
    deal.play("V")
    assert not deal.over() and points(deal) == (0, 0) and sum(deal.tricks.values()) == 0
    assert begun(REVOKE, tokens, "0-3", enforcement="claims").legal_tokens() == []


@pytest.mark.parametrize(
    ("leader", "follower", "strict", "ordinary"),
    [
        ("KS", "QS", 1, 1),
        ("KS 7S", "QS 8S", 4, 4),
        ("KS QS", "AH 7D", 2, 4),
        ("KS QS JS AS TS", "KC QC JC AC TC", 14400, 14400),
    ],
)
def test_lines_of_play(leader: str, follower: str, strict: int, ordinary: int) -> None:
    """Small deals whose lines can be counted by hand."""
    assert lines_of_play(leader.split(), follower.split(), "H", "strict") == strict
    assert lines_of_play(leader.split(), follower.split(), "H", "ordinary") == ordinary
