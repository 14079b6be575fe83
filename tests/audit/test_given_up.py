"""A game that its challenger gives up is conceded, or void, as the table's settings say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from casino.audit import FileSource, audit
from casino.ecarte import CHALLENGER, Action, Deal, actor, concession
from casino.events.types import LEFT, OUT_OF_TIME, SeatChanged
from casino.table.domain.settings import TableSettings
from tests.ledger.night import Night, Play, open_bank


class Table(Night):
    abandon = "concede"

    def rules(self) -> TableSettings:
        return super().rules()._replace(abandon=self.abandon)


class GivenUp(Play):
    concedes = True
    gone_after = 2  # decisions of hers
    made = 0

    def give_up(self) -> None:
        gone = SeatChanged(game=self.game, player="ann", table="t1", what="defaulted")
        self.submit(lambda tx: {"leaf": tx.log(gone)})

    def choose(self, deal: Deal, number: int, choices: Sequence[Action]) -> Action:
        if deal.turn == CHALLENGER and actor(deal, choices[0]) == CHALLENGER:
            if self.made == self.gone_after:
                self.give_up()
            self.made += 1
            if self.made > self.gone_after and self.concedes:
                return concession(deal)
        return super().choose(deal, number, choices)


def played(
    tmp_path: Path, abandon: str, *, concedes: bool = True, gone: bool = True, void: str = ""
) -> list[str]:
    """What is wrong with a night of one such game, void for a reason or played to its end."""
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    Table.abandon = abandon
    play = GivenUp(Table(bank, bettors=2), "t1-000001")
    play.concedes, play.gone_after = concedes, 2 if gone and not void else 10**6
    play.open()
    play.bet("t1.p0", 0, 500)
    play.cut()
    play.close()
    for _ in play.deals(stop_after=1 if void else None):
        pass
    if void and gone:
        play.give_up()
    if void:
        play.void(void)
    else:
        play.settle()
    play.come_late()
    bank.close()
    findings = audit(FileSource(path), workers=1).findings
    return [one.text for one in findings if one.severity == "error"]


CONCEDES = "the challenger gave this game up and concedes it, but "
IS_VOID = "the challenger gave this game up, which makes it void by the terms, but it goes on"
NOT_VOID = "the game is void because it was given up, but "


def test_a_game_given_up_is_conceded_or_void_as_the_terms_say(tmp_path: Path) -> None:
    """Nothing is wrong with either, nor with a void for another reason."""
    for number, (abandon, void) in enumerate(
        [("concede", ""), ("void", LEFT), ("void", OUT_OF_TIME), ("concede", "a fire")]
    ):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        assert played(folder, abandon, void=void) == []


def test_a_house_that_plays_on_for_the_challenger_is_found(tmp_path: Path) -> None:
    (text,) = played(tmp_path, "concede", concedes=False)
    assert text.startswith(f"deal 1: {CONCEDES}")


@pytest.mark.parametrize("void", [LEFT, OUT_OF_TIME])
def test_a_house_that_voids_what_must_be_conceded_is_found(tmp_path: Path, void: str) -> None:
    assert played(tmp_path, "concede", void=void) == [f"{NOT_VOID}by the terms it is conceded"]


def test_a_house_that_plays_on_what_must_be_void_is_found(tmp_path: Path) -> None:
    assert played(tmp_path, "void")[0] == IS_VOID


def test_a_void_of_a_game_that_nobody_gave_up_is_found(tmp_path: Path) -> None:
    assert played(tmp_path, "void", gone=False, void=LEFT) == [f"{NOT_VOID}no one gave it up"]


def test_terms_say_one_of_the_two(tmp_path: Path) -> None:
    assert "the terms of t1 say 'shrug' of a game given up" in played(tmp_path, "shrug")
