"""What silence moved, to the cent: a cheat that opens its puppet's text only when it pays."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from casino import betting, fairness
from casino.audit.checks.withholding import (
    Contribution,
    ReplayInput,
    WithholdingEffect,
    WithholdingTally,
    effect_of_late,
    play,
)
from casino.betting import Bet, BetSizeLimits, BettingRules, Book, Cover
from casino.cli.verify.audit import decide_again
from casino.ecarte import CHALLENGER, HOUSE, Laws
from casino.events.types import BotName
from casino.table.domain.state import BOT_VERSION

REGLE, NOVICE = (
    BotName(name=name, version=BOT_VERSION, strength="") for name in ("regle", "novice")
)
LIMITS = BetSizeLimits(1, 10**6, 10**7, 10**8)
BETS = (
    Bet(1, "honest", HOUSE, 500),
    Bet(2, "puppet", CHALLENGER, 300),
    Bet(3, "mallory", CHALLENGER, 400),
)
BOOK = Book("novice", 1000, BettingRules(commission_bp=500), LIMITS, BETS)


def text_of(number: int, player: str, game: str, opened: bool) -> Contribution:
    salt = sha256(f"{game}{player}".encode()).digest()[:16]
    return Contribution(number, player, salt.hex(), opened)


def a_game(number: int, *texts: tuple[str, bool], **changes: Any) -> ReplayInput:
    game = f"t1-{number:06d}"
    made = ReplayInput(
        game=game,
        server_seed=sha256(game.encode()).digest(),
        laws=Laws(),
        loser_deals=None,
        bots=(REGLE, NOVICE),
        slip_permille=0,
        book=BOOK,
        cover=Cover(200, 0),
        texts=[text_of(n, player, game, is_open) for n, (player, is_open) in enumerate(texts, 1)],
        never_opened=(),
    )
    return made._replace(**changes)


def cut_by(played: ReplayInput, *players: str) -> str:
    return fairness.combine([text.text for text in played.texts if text.player in players])


def net_of(played: ReplayInput, winner: int, times: int, shut: set[str]) -> dict[str, int]:
    settled = betting.settle(betting.close(played.book, played.cover, shut), winner, times)
    net: dict[str, int] = {"commission": 0}
    for one in (*settled.principals, *settled.bets):
        who, fee = one.bet.bettor, one.commission_cents
        net[who] = net.get(who, 0) + one.gain_cents - fee
        net["commission"] += fee
    return net


def tally(games: list[WithholdingEffect], account: str) -> WithholdingTally:
    found = WithholdingTally()
    for game in games:
        found = found.plus(game.cents[account]) if account in game.cents else found
    return found


def test_nobody_silent_moves_nothing() -> None:
    """A game whose texts were all opened, and one that nobody cut, have nothing to derive."""
    assert effect_of_late(a_game(1, ("honest", True)), decide_again) is None
    assert effect_of_late(a_game(1), decide_again) is None


def test_what_a_late_text_moved_is_summed_to_the_cent() -> None:
    """The deck it would have made is played, its bettor's returned bets stand in it."""
    for number in range(1, 25):
        played = a_game(number, ("honest", True), ("puppet", False))
        found = effect_of_late(played, decide_again)
        assert found is not None
        was = play(played, cut_by(played, "honest"), decide_again)
        would = play(played, cut_by(played, "honest", "puppet"), decide_again)
        before, after = net_of(played, *was, {"puppet"}), net_of(played, *would, set())
        due = {who: before.get(who, 0) - after[who] for who in after}
        assert found.cents == {who: cents for who, cents in due.items() if cents}
        assert (found.silent, found.winner, found.would_have_won) == (("puppet",), was[0], would[0])
        assert sum(found.cents.values()) == 0


def test_a_text_that_nobody_ever_saw_stays_out_of_both() -> None:
    """Only what is known can be derived; the bets of the other stay returned."""
    played = a_game(3, ("honest", True), ("puppet", False), never_opened=("mallory",))
    found = effect_of_late(played, decide_again)
    assert found is not None
    was = play(played, cut_by(played, "honest"), decide_again)
    would = play(played, cut_by(played, "honest", "puppet"), decide_again)
    before = net_of(played, *was, {"puppet", "mallory"})
    after = net_of(played, *would, {"mallory"})
    assert found.cents == {w: c for w in after if (c := before.get(w, 0) - after[w])}
    assert "mallory" not in found.cents


@pytest.mark.parametrize("laws", [Laws(), Laws(first_dealer="loser"), Laws(deal="house")])
def test_a_game_is_played_as_the_table_plays_it(laws: Laws) -> None:
    """With slips and whoever deals first; the same cut gives the same game."""
    played = a_game(5, ("honest", True), laws=laws, slip_permille=500, loser_deals=CHALLENGER)
    cut = cut_by(played, "honest")
    assert play(played, cut, decide_again) == play(played, cut, decide_again)
    outcomes = {play(played, fairness.combine([str(n)]), decide_again) for n in range(40)}
    assert {winner for winner, _ in outcomes} == {HOUSE, CHALLENGER}


def test_a_cheat_by_silence_is_found_by_name_and_sum() -> None:
    """A house that shuts its puppet's text where that pays gains, and the audit says how much."""
    honest_net = cheat_net = 0
    silent: list[WithholdingEffect] = []
    for number in range(1, 61):
        open_game = a_game(number, ("honest", True), ("puppet", True), book=BOOK._replace(bets=()))
        both = play(open_game, cut_by(open_game, "honest", "puppet"), decide_again)
        alone = play(open_game, cut_by(open_game, "honest"), decide_again)
        gains = [net_of(open_game, *one, set())["novice"] for one in (both, alone)]
        honest_net += gains[0]
        cheat_net += max(gains)
        if gains[1] > gains[0]:
            shut = a_game(number, ("honest", True), ("puppet", False), book=open_game.book)
            found = effect_of_late(shut, decide_again)
            assert found is not None
            silent.append(found)
    assert cheat_net > honest_net
    assert {name for game in silent for name in game.silent} == {"puppet"}
    assert tally(silent, "novice").cents == cheat_net - honest_net
    assert tally(silent, "house").cents == honest_net - cheat_net
    assert len(silent) >= 10
    assert tally(silent, "novice").is_beyond_chance
    assert not tally(silent, "house").is_beyond_chance


@pytest.mark.parametrize(
    ("ups", "downs", "beyond"),
    [(0, 0, False), (9, 0, False), (10, 0, True), (15, 3, False), (17, 2, True)],
)
def test_luck_is_no_cheat(ups: int, downs: int, beyond: bool) -> None:
    """Nine silences all one way may be chance (1 in 512), ten are not (1 in 1,024)."""
    assert WithholdingTally(0, ups, ups + downs).is_beyond_chance is beyond
