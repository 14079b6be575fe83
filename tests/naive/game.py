"""Naive rules of Écarté: strings, lists and dicts, changed in place.

A `NaiveDeal` lists the legal tokens of its state and plays one; a `NaiveGame` is a row of
deals with a score. Nothing here is fast, and nothing is shared with the engine it judges.
"""

from __future__ import annotations

from itertools import combinations

from .basics import (
    OTHER,
    PACK,
    IllegalToken,
    Laws,
    deal_out,
    exchange_token,
    follows,
    in_order,
    normal,
    reply_wins,
    trick_points,
)


class NaiveDeal:
    """One deal: from the cards dealt to the points scored, one token after the other.

    `stage` is one of: open (before the first word; cards may still be shown to have been
    exposed), answer (an exposed card of the elder's waits for N or O), annulled, speak,
    reply, elder takes, dealer takes, play, done (five tricks, or conceded).
    """

    def __init__(self, laws: Laws, dealer: str, deck: list[str], score: dict[str, int]) -> None:
        self.laws = laws
        self.dealer = dealer
        self.elder = OTHER[dealer]
        elder_hand, dealer_hand = deal_out(deck, laws["packets"])
        self.hands = {self.elder: elder_hand, self.dealer: dealer_hand}
        self.turn_up = deck[10]
        self.trump = deck[10][1]
        self.stock = deck[11:]
        self.score_before = dict(score)
        self.earned: list[tuple[str, int, str]] = []
        if self.turn_up[0] == "K":
            self.earned.append((dealer, 1, "turned"))
        self.stage = "open"
        self.exposed: list[str] = []
        self.proposals = 0
        self.exchanged = False
        self.vulnerable = ""
        self.marked = False
        self.played_a_card: set[str] = set()
        self.offenders: set[str] = set()
        self.hands_at_play: dict[str, list[str]] = {}
        self.set_up_tricks()

    def score(self) -> dict[str, int]:
        """Return the current score, never above the target (R6.4, R7.1).

        While the elder has not answered an exposed card, and once the deal is annulled,
        the card turned up counts for nothing (R8.2).
        """
        score = dict(self.score_before)
        if self.stage not in ("answer", "annulled"):
            for seat, points, _ in self.earned:
                score[seat] = min(self.laws["target"], score[seat] + points)
        return score

    def points(self) -> dict[str, int]:
        score = self.score()
        return {seat: score[seat] - self.score_before[seat] for seat in ("house", "challenger")}

    def game_over(self) -> bool:
        return self.laws["target"] in self.score().values()

    def over(self) -> bool:
        return self.stage in ("annulled", "done") or self.game_over()

    def legal_tokens(self) -> list[str]:
        if self.stage == "open":
            return self.exposures() + ([] if self.game_over() else ["P", "S"])
        if self.stage == "answer":
            return [*self.exposures(), "N", "O"]
        if self.stage == "annulled" or self.game_over():
            return []
        if self.stage == "speak":
            return ["P", "S"]
        if self.stage == "reply":
            return ["A", "R"]
        if self.stage == "elder takes":
            return self.exchanges(self.hands[self.elder])
        if self.stage == "dealer takes":
            return self.exchanges(self.hands[self.dealer])
        if self.stage == "play":
            return self.plays() + self.claims()
        return self.claims()

    def exposures(self) -> list[str]:
        """Return the cards that may be reported as exposed (R8.1, R8.2)."""
        dealt = self.hands[self.elder] + self.hands[self.dealer]
        return ["E" + card for card in in_order(dealt) if card not in self.exposed]

    def exchanges(self, hand: list[str]) -> list[str]:
        """Return the exchanges of a hand: as many cards as the stock holds; none if it is empty."""
        if not self.stock:
            return ["X"]
        most = min(5, len(self.stock))
        return [
            exchange_token(list(some))
            for number in range(1, most + 1)
            for some in combinations(hand, number)
        ]

    def to_play(self) -> str:
        if self.table:
            return OTHER[self.table[0][0]]
        return self.leader

    def plays(self) -> list[str]:
        """Return what can be played, announced, conceded, led out of turn or taken back."""
        seat = self.to_play()
        hand = self.hands[seat]
        tokens = list(hand)
        if self.laws["enforcement"] == "strict" and self.table:
            tokens = follows(hand, self.table[0][1], self.trump, self.laws["play"])
        if self.may_mark(seat):
            tokens.append("K")
        tokens.append("C")
        if self.laws["enforcement"] == "claims":
            if not self.table:
                tokens += ["L" + card for card in self.hands[OTHER[seat]]]
            if self.wrong_lead:
                tokens.append("W")
        return tokens

    def may_mark(self, seat: str) -> bool:
        """Return True if a seat may announce the king of trumps (R4.1, R4.2)."""
        holds_it = "K" + self.trump in self.hands[seat]
        return holds_it and not self.marked and seat not in self.played_a_card

    def claims(self) -> list[str]:
        """Return the claim of a revoke, if there was one since the play last began (R8.5)."""
        return ["V"] if self.revokers else []

    def play(self, token: str) -> None:
        """Play one legal token, or raise `IllegalToken` and change nothing."""
        legal = self.legal_tokens()
        if normal(token) not in legal:
            raise IllegalToken(f"{token!r} is not legal: {' '.join(legal) or 'nothing'} is")
        if token in PACK:
            self.play_card(token)
        elif token[0] == "E":
            self.expose(token[1:])
        elif token[0] == "X":
            self.exchange([token[at : at + 2] for at in range(1, len(token), 2)])
        elif token[0] == "L":
            self.lead_out_of_turn(token[1:])
        elif token in ("N", "O"):
            self.stage = "annulled" if token == "N" else "open"
        elif token in ("P", "S", "A", "R"):
            self.speak(token)
        elif token == "K":
            self.marked = True
            self.earned.append((self.to_play(), 1, "marked"))
        elif token == "C":
            self.concede()
        elif token == "W":
            self.take_back()
        elif token == "V":
            self.claim()

    def expose(self, card: str) -> None:
        """Expose a card while dealing; the elder answers if it is the elder's."""
        self.exposed.append(card)
        if card in self.hands[self.elder]:
            self.stage = "answer"

    def speak(self, word: str) -> None:
        """Propose, stand, accept or refuse (R3.1, R3.2, R3.7)."""
        if word == "P":
            self.proposals += 1
            self.stage = "reply"
        elif word == "A":
            self.stage = "elder takes"
        elif word == "S":
            if self.proposals == 0:
                self.vulnerable = self.elder
            self.begin_play()
        elif word == "R":
            if self.proposals == 1:
                self.vulnerable = self.dealer
            self.begin_play()

    def exchange(self, cards: list[str]) -> None:
        """Discard, then take as many from the top of the stock (R3.3 to R3.5)."""
        seat = self.elder if self.stage == "elder takes" else self.dealer
        for card in cards:
            self.hands[seat].remove(card)
        for _ in cards:
            self.hands[seat].append(self.stock.pop(0))
        self.exchanged = True
        if self.stage == "elder takes":
            self.stage = "dealer takes"
        elif self.stock:
            self.stage = "speak"
        else:
            self.begin_play()

    def set_up_tricks(self) -> None:
        """Clear the table: no trick taken, the elder to lead, no revoke made."""
        self.leader = self.elder
        self.table: list[tuple[str, str]] = []
        self.wrong_lead = False
        self.tricks = {"house": 0, "challenger": 0}
        self.revokers: set[str] = set()

    def begin_play(self) -> None:
        self.hands_at_play = {seat: list(hand) for seat, hand in self.hands.items()}
        self.stage = "play"

    def play_card(self, card: str) -> None:
        seat = self.to_play()
        if self.table:
            self.answer(seat, card)
            return
        self.hands[seat].remove(card)
        self.table.append((seat, card))
        self.played_a_card.add(seat)

    def answer(self, seat: str, card: str) -> None:
        """Answer the card on the table; a lead out of turn is final from now on."""
        opponent, led = self.table[0]
        if card not in follows(self.hands[seat], led, self.trump, self.laws["play"]):
            self.revokers.add(seat)
        self.hands[seat].remove(card)
        self.played_a_card.add(seat)
        self.played_a_card.add(opponent)
        self.leader = seat if reply_wins(led, card, self.trump) else opponent
        self.tricks[self.leader] += 1
        self.table = []
        self.wrong_lead = False
        if sum(self.tricks.values()) == 5:
            self.score_tricks()

    def lead_out_of_turn(self, card: str) -> None:
        """Let the seat that is not to lead put down a card (R8.4)."""
        seat = OTHER[self.leader]
        self.hands[seat].remove(card)
        self.table.append((seat, card))
        self.wrong_lead = True

    def take_back(self) -> None:
        seat, card = self.table.pop()
        self.hands[seat].append(card)
        self.wrong_lead = False

    def concede(self) -> None:
        """Give all the remaining tricks to the opponent of the seat to play (R5.5)."""
        winner = OTHER[self.to_play()]
        self.tricks[winner] += 5 - sum(self.tricks.values())
        self.score_tricks()

    def score_tricks(self) -> None:
        """Count the tricks (R6) and end the deal; an offender scores one less (R8.5)."""
        winner = max(self.tricks, key=lambda seat: self.tricks[seat])
        points = trick_points(
            self.tricks[winner],
            self.exchanged,
            self.vulnerable == OTHER[winner],
            self.laws["vole_unexchanged"],
        )
        if winner in self.offenders:
            points = max(0, points - 1)
        self.earned.append((winner, points, "tricks"))
        self.stage = "done"

    def claim(self) -> None:
        """Undo the tricks and their points and play again; the king stays as it was."""
        self.offenders |= self.revokers
        self.earned = [one for one in self.earned if one[2] != "tricks"]
        self.hands = {seat: list(hand) for seat, hand in self.hands_at_play.items()}
        self.set_up_tricks()
        self.stage = "play"


class NaiveGame:
    """A game: deals one after the other until a seat has the target."""

    def __init__(self, laws: Laws, first_dealer: str) -> None:
        self.laws = laws
        self.first_dealer = first_dealer
        self.deals: list[NaiveDeal] = []

    def score(self) -> dict[str, int]:
        return self.deals[-1].score() if self.deals else {"house": 0, "challenger": 0}

    def over(self) -> bool:
        return self.laws["target"] in self.score().values()

    def next_dealer(self) -> str:
        """Return the next dealer (R2.2), the same again after an annulled deal (R8.2)."""
        if self.laws["deal"] == "house":
            return "house"
        if not self.deals:
            return self.first_dealer
        last = self.deals[-1]
        return last.dealer if last.stage == "annulled" else OTHER[last.dealer]

    def may_deal(self) -> bool:
        return not self.over() and (not self.deals or self.deals[-1].over())

    def start_deal(self, deck: list[str]) -> NaiveDeal:
        assert self.may_deal()
        self.deals.append(NaiveDeal(self.laws, self.next_dealer(), deck, self.score()))
        return self.deals[-1]

    def winner(self) -> str | None:
        for seat, points in self.score().items():
            if points == self.laws["target"]:
                return seat
        return None

    def stake(self) -> int | None:
        winner = self.winner()
        if winner is None:
            return None
        lost_at = self.score()[OTHER[winner]]
        return 1 if lost_at >= 3 else 2 if lost_at >= 1 else 3
