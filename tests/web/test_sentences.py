"""Every refusal that a browser can meet is said in each language of the pages."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import casino
from casino.ecarte.cards import NAMES
from casino.errors import PLACE, Reason, Refused
from casino.table.croupier import SECRETS_LOST
from casino.web.languages import CATALOGUES, ENGLISH, LANGUAGES, read_catalogue, tables
from tests.web.catalogues import every_reason
from tests.web.test_scripts import node

CASINO = Path(casino.__file__).parent

SAMPLES: dict[str, str | int] = {"card": "TH", "chips": 150050, "": "seven"}
WRITTEN = {
    "en": ("10♥", "1500.50"),
    "fr": ("10♥", "1\u202f500,50"),
    "ru": ("10♥", "1\u00a0500,50"),
}


REASONS = sorted({one.name: one for one in every_reason()}.values())


def samples(reason: Reason) -> dict[str, str | int]:
    """Values for all places of a sentence."""
    kinds = PLACE.findall(reason.sentence)
    values: dict[str, str | int] = {name: SAMPLES[kind] for name, kind in kinds}
    return {**values, "n": 5} if "n" in values else values


def test_a_reason_has_one_name_and_one_sentence() -> None:
    """The name stands for the sentence: no two sentences share one."""
    stated = {one[:3] for one in every_reason()}
    assert len(stated) == len({name for name, _, _ in stated}) > 90
    for name, code, sentence in stated:
        assert re.fullmatch("[a-z_]+", name) and re.fullmatch("[a-z_]+", code)
        assert sentence == sentence.strip(" .") and "\n" not in sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_is_said_in_the_language_of_the_page(language: str) -> None:
    """Each has a sentence there with all its values, written in the manner of the language."""
    asked = [Refused(one, **samples(one)).json() for one in REASONS]
    script = Path(__file__).parent / "scripts" / "refusals.mjs"
    found = {} if language == ENGLISH else tables(read_catalogue(CATALOGUES / f"{language}.po"))
    read = {name: json.loads(table) for name, table in found.items()}
    given = {"language": language, "tables": read, "refusals": asked}
    run = node(script, given=json.dumps(given))
    assert run.returncode == 0, run.stderr
    card, chips = WRITTEN[language]
    for no, sentence in zip(asked, json.loads(run.stdout), strict=True):
        assert not re.search(r"[{}]|undefined|NaN", sentence), (no, sentence)
        values = no.get("values", {}).values()
        assert (card in sentence) == ("TH" in values), (no, sentence)
        assert sentence.count(chips) == list(values).count(150050), (no, sentence)
        if "seven" in values:
            assert "seven" in sentence, (no, sentence)
        ends = f". ({no['article']})" if "article" in no else "."
        assert sentence.endswith(ends) and (
            sentence.startswith("seven") or not sentence[0].islower()
        )
        same = sentence.removesuffix(ends).lower() == no["message"].lower()
        assert same == (language == ENGLISH), (no, sentence)


@pytest.mark.parametrize("card", NAMES)
def test_a_card_is_written_as_its_face_shows_it(card: str) -> None:
    """In English 10♥ and K♠, never a token."""
    reason = Reason("held", "illegal_action", "{card:card} is held")
    signs = dict(zip("SHDC", "♠♥♦♣", strict=True))
    rank = card[0].replace("T", "10")
    assert reason.say({"card": card}) == f"{rank}{signs[card[1]]} is held"


@pytest.mark.parametrize(
    ("cents", "said"), [(0, "0.00"), (5, "0.05"), (1205, "12.05"), (-1205, "-12.05"), (-5, "-0.05")]
)
def test_chips_are_written_with_two_decimals(cents: int, said: str) -> None:
    """Also what is less than nothing, and less than one chip."""
    assert Reason("x", "x", "{x_cents:chips}").say({"x_cents": cents}) == said


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
    for language in LANGUAGES[1:]:
        texts = {message.id for message in read_catalogue(CATALOGUES / f"{language}.po")}
        assert reasons <= texts
