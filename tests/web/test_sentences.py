"""Every refusal that a browser can meet is said in each language of the pages."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from casino.ecarte import refusals
from casino.errors import IllegalAction
from casino.table.croupier import SECRETS_LOST
from casino.web.languages import LANGUAGES
from casino.web.live import refused
from tests.web.test_scripts import node

CASINO = Path(refusals.__file__).parent.parent
FILES = [path for room in ("bank", "gallery", "table", "web") for path in (CASINO / room).glob("*")]
CENTS, CHIPS = "1500", "15"
HELD = "is not in the hand of"
"""Said by several articles, so none is named."""

# The parts of sentences that are no amount of cents and no plain number.
PARTS = {
    "whose": ("one bet", "one bettor", "one side"),
    "bank/limits.py name": ("stake", "loss"),
    "ecarte/refusals.py name": ("KH",),
    "led": ("KH",),
    "better": ("AH",),
    "held": ("7H",),
    "ruff": ("7S",),
    "NAMES[king]": ("KH",),
    "NAMES[strange[0]]": ("KH",),
    "NAMES[card]": ("KH",),
    "place": ("the message",),
    "wanted": ("Field required",),
}
# These are about nothing but their code, or no page can ask for them.
BY_CODE = {
    "7 has no account in 7: check the name",
    "7 is taken: give its password if it is yours, or choose another name",
    "7 is running: one game at a time",
    "7 is to act: wait for him",
    "7 must put 1500 cents in escrow, but has 1500: play for a smaller stake",
    "7; ask again with the same id",
    "7 cannot be limited: say 7",
    "7 is no action",
    "KH is exposed already",
    "KH is not among the cards dealt to the hands",
    "a card exposed in dealing comes before anything else in a deal",
    "a card is led already: only a lead can be out of turn",
    "a cover is a whole number of cents, 0 or more",
    "a lead out of turn is refused under enforcement strict",
    "a side is house or challenger",
    "an id has 1 to 64 characters",
    "betting on this game is closed: wait for the next game",
    "cards are exposed by accident: nobody chooses to",
    "nobody challenges the house: take the seat",
    "only the challenger may start before the time is up",
    "say who you are first: enter with a name",
    "say one of 7",
    "say why, in 1 to 7 characters",
    "send JSON, with Content-Type: application/json",
    "send a JSON object",
    "somebody has bet: wait until the time is up",
    "that is too often: wait a moment",
    "the book is closed already: it closes once",
    "the house does not answer: ask again with the same id",
    "the house enters no bet but its cover: use another name",
    "the id 7 is taken: make a new one",
    "the line has closed meanwhile: open it again",
    "the message: Field required",
    "the pack is cut: cut for the next game",
    "there is no table 7: look at the lobby",
    "this was sent from another site: open the casino's own page",
    "version 7 has passed, the table is at 7: look again",
    "you bet on the other side of this game: add to that bet",
    "you have cut already, with another text: cut for the next game",
    "you play this game: offer to cover bets against you instead of betting on it",
}


class No(NamedTuple):
    """A refusal as the program may say it, one of the rules with its article."""

    code: str
    message: str
    article: str = ""


def sentences(text: ast.expr, near: dict[str, ast.expr], file: str) -> list[str]:
    """What an expression may come to, samples in the place of its parts."""
    match text:
        case ast.Constant(value=str(said)):
            return [said]
        case ast.JoinedStr(values=values):
            return [
                "".join(parts) for parts in product(*(sentences(v, near, file) for v in values))
            ]
        case ast.Name(id=name) if name in near:
            return sentences(near[name], near, file)
        case ast.FormattedValue(value=ast.Name(id="text") as inner):
            return sentences(inner, near, file)
        case ast.FormattedValue(value=value):
            said = ast.unparse(value)
            if "cents" in said:
                return [CENTS]
            return list(PARTS.get(f"{file} {said}") or PARTS.get(said) or ["7"])
    return []


def of_file(path: Path) -> Iterator[No]:
    """The refusals that a module states."""
    file = path.relative_to(CASINO).as_posix()
    for function in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(function, ast.FunctionDef):
            continue
        near: dict[str, ast.expr] = {}
        found = sorted(
            (n for n in ast.walk(function) if isinstance(n, (ast.Assign, ast.Call))),
            key=lambda n: n.lineno,
        )
        for one in found:
            match one:
                case ast.Assign(targets=[ast.Name(id="text")], value=value):
                    near["text"] = value
                case ast.Call(
                    func=ast.Name(id="Refused"), args=[ast.Constant(value=str(code)), text]
                ):
                    yield from (No(code, said) for said in sentences(text, near, file))
                case ast.Call(func=ast.Name(id="IllegalAction"), args=[_, article, text]):
                    named = str(article.value) if isinstance(article, ast.Constant) else "R5.2"
                    said = sentences(text, near, file)
                    yield from (No("illegal_action", one, named) for one in said)


def all_refusals() -> list[No]:
    """Whatever a browser may be refused."""
    found = {no for path in FILES if path.suffix == ".py" for no in of_file(path)}
    found |= set(of_file(Path(refusals.__file__)))
    rules = (*refusals.DUE.values(), *refusals._SIMPLE.values())
    found |= {No("illegal_action", said, article) for _, article, said in rules}
    fault = refused(IllegalAction("", "", ""))
    return sorted(found | {No(fault["code"], fault["message"])})


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_is_said_in_the_language_of_the_page(language: str) -> None:
    """Each has a sentence that keeps its amounts, its card and its article, or goes by its code."""
    asked = all_refusals()
    assert len(asked) > 80
    script = Path(__file__).parent / "scripts" / "refusals.mjs"
    run = node(script, language, given=json.dumps([no._asdict() for no in asked]))
    assert run.returncode == 0, run.stderr
    answers = json.loads(run.stdout)
    for no, (sentence, by_code) in zip(asked, answers, strict=True):
        assert by_code, f"{no.code} has no sentence"
        if sentence is None:
            continue
        assert not re.search(r"[{}]|undefined", sentence), (no, sentence)
        assert (CENTS in no.message) == bool(re.search(rf"\b{CHIPS}\b", sentence)), (no, sentence)
        assert CENTS not in sentence
        named = re.findall(r"\((R[\d.]+)\)$", sentence)
        assert named == [no.article] * bool(no.article and HELD not in no.message), (no, sentence)
        assert language == "en" or sentence != by_code
    silent = {
        no.message for no, (sentence, _) in zip(asked, answers, strict=True) if sentence is None
    }
    assert silent == BY_CODE


def test_every_reason_of_a_void_game_is_said_in_the_language_of_the_page() -> None:
    """What the table says when it voids a game is a text of every language."""
    reasons = {SECRETS_LOST}
    for path in (CASINO / "table").glob("*.py"):
        for one in ast.walk(ast.parse(path.read_text("utf-8"))):
            match one:
                case ast.Call(
                    func=ast.Name(id="_default"), args=[_, _, ast.Constant(value=str(said))]
                ):
                    reasons.add(said)
                case ast.JoinedStr(values=[ast.Constant(value=str(said)), _]) if "bot" in said:
                    reasons.add(said.removesuffix(": "))
    texts = (Path(__file__).parent / "scripts" / "texts.test.mjs").read_text("utf-8")
    stated = re.search(r"^const VOID = (.*);$", texts, re.MULTILINE)
    assert stated
    assert set(json.loads(stated[1])) == reasons
