"""Sweeps: every combination once, in the order given, and errors that say what is wrong."""

from __future__ import annotations

import pytest

from casino.bots import BOT_NAMES
from casino.ecarte import Laws
from casino.errors import InputError, LawsError
from casino.simulate.series import Run
from casino.simulate.sweep import change_laws, sweep


def test_sweep_runs_every_combination() -> None:
    run = Run(77, 5, laws=Laws(target=7))
    found = sweep(run, ["law.vole_unexchanged=1,2", "house=regle,novice", "seed=1,2"])
    assert len(found) == 8
    assert [one.laws.vole_unexchanged for _, one in found] == [1] * 4 + [2] * 4
    assert [one.house for _, one in found] == ["regle", "regle", "novice", "novice"] * 2
    assert [one.seed for _, one in found] == [1, 2] * 4
    assert all((one.games, one.laws.target) == (77, 7) for _, one in found)
    assert found[-1][0] == {"law.vole_unexchanged": "2", "house": "novice", "seed": "2"}


@pytest.mark.parametrize(
    ("given", "laws"),
    [
        ("target=7", Laws(target=7)),
        ("play=ordinary", Laws(play="ordinary")),
        ("packets=2-3", Laws(packets=(2, 3))),
        ("packets=[2, 3]", Laws(packets=(2, 3))),
        ("packets=2,3", Laws(packets=(2, 3))),
        ("first_dealer=loser", Laws(first_dealer="loser")),
        ("deal=house", Laws(deal="house")),
        ("enforcement=claims", Laws(enforcement="claims")),
    ],
)
def test_law_is_parsed_from_text(given: str, laws: Laws) -> None:
    assert change_laws(Laws(), [given]) == laws


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("target=6", "law target: 6 is not one of 5, 7, 11"),
        ("target=five", "law target: 'five' is not one of"),
        ("targets=5", "law targets is unknown"),
        ("packets=4-1", "law packets"),
        ("target=\u0665", "law target"),
        ("vole_unexchanged=True", "law vole_unexchanged"),
        ("play=", "'play=': write a name, =, and a value"),
        ("play", "'play': write a name"),
        ("=5", "'=5': write a name"),
    ],
)
def test_invalid_law_is_named(given: str, said: str) -> None:
    with pytest.raises((LawsError, InputError), match=said):
        change_laws(Laws(), [given])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ["house=regle,croesus"],
            f"sweep house: there is no bot 'croesus': choose one of {', '.join(BOT_NAMES[:2])}",
        ),
        (["target=5,7"], "sweep target: must be house, challenger, seed or law.NAME"),
        (["law.target=5,6"], "law target: 6"),
        (["house=regle", "house=novice"], "sweep house is given twice"),
        (["house=regle,regle"], "sweep house: regle,regle repeats a value: give each value once"),
        (["seed=1,x"], "sweep seed: x must be a whole number"),
        (["seed=-1"], "sweep seed: -1 must be"),
        (["seed=\u0665"], "sweep seed: .* must be a whole number"),
        (["house"], "'house': write a name, =, and a value"),
    ],
)
def test_invalid_sweep_is_named(given: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        sweep(Run(10), given)
