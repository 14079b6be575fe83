"""Refusal texts: every refusal has a sentence in each language of the pages."""

from __future__ import annotations

import html
import re
from typing import get_args

import pytest

from casino.errors import PLACE, RefusalReason, Refused
from casino.events import types
from casino.web.i18n import ENGLISH, LANGUAGES
from tests.web.test_scripts import node_lines
from tools.build_assets import CATALOGUES, Forms, Pages, read_catalogue, script_tables
from tools.catalogues import ROOT, every_reason

SAMPLES: dict[str, str | int] = {
    "card": "TH", "chips": 150050, "moment": 1_700_000_000_000, "": "seven"
}  # fmt: skip
WRITTEN = {"en": ("10♥", "1500.50"), "fr": ("10♥", "1\u202f500,50"), "ru": ("10♥", "1\u00a0500,50")}


REASONS = sorted({one.name: one for one in every_reason()}.values())


def samples(reason: RefusalReason) -> dict[str, str | int]:
    kinds = PLACE.findall(reason.sentence)
    values: dict[str, str | int] = {name: SAMPLES[kind] for name, kind in kinds}
    return {**values, "n": 5} if "n" in values else values


def test_every_refusal_reason_has_one_name_and_sentence() -> None:
    stated = {one[:3] for one in every_reason()}
    assert len(stated) == len({name for name, _, _ in stated}) > 90
    for name, code, sentence in stated:
        assert re.fullmatch("[a-z_]+", name) and re.fullmatch("[a-z_]+", code)
        assert sentence == sentence.strip(" .") and "\n" not in sentence


def told(language: str) -> dict[str, dict[str, Forms]]:
    scripts = [path.relative_to(ROOT).as_posix() for path in (ROOT / "static/js").rglob("*.js")]
    pages: Pages = {"all": {"modules": scripts, "later": {}}}
    return script_tables(read_catalogue(CATALOGUES / f"{language}.po"), pages)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_is_translated(language: str) -> None:
    asked = [Refused(one, **samples(one)).json() for one in REASONS]
    tables = {} if language == ENGLISH else told(language)
    given = {"language": language, "tables": tables, "refusals": asked}
    (sentences,) = node_lines("refusals.mjs", given=[given])
    card, chips = WRITTEN[language]
    for no, sentence in zip(asked, sentences, strict=True):
        assert not re.search(r"[{}]|undefined|NaN", sentence), (no, sentence)
        values = no.get("values", {}).values()
        assert (card in sentence) == ("TH" in values), (no, sentence)
        assert sentence.count(chips) == list(values).count(150050), (no, sentence)
        assert ("2023" in sentence) == (SAMPLES["moment"] in values), (no, sentence)
        if "seven" in values:
            assert "seven" in sentence, (no, sentence)
        assert sentence.endswith(".") and (
            sentence.startswith("seven") or not sentence[0].islower()
        )
        same = sentence.removesuffix(".").lower() == no["message"].lower()
        assert same == (language == ENGLISH), (no, sentence)


def test_cards_and_chips_are_formatted_for_readers() -> None:
    card = RefusalReason("held", "illegal_action", "{card:card} is held")
    written = [card.format({"card": name}) for name in ("TH", "KS", "7D", "AC")]
    assert written == ["10♥ is held", "K♠ is held", "7♦ is held", "A♣ is held"]
    chips = RefusalReason("x", "x", "{x_cents:chips}")
    cents = {0: "0.00", 5: "0.05", 1205: "12.05", -1205: "-12.05", -5: "-0.05"}
    assert [chips.format({"x_cents": one}) for one in cents] == [*cents.values()]


def test_scripts_know_every_void_reason() -> None:
    script = (ROOT / "static" / "js" / "text" / "event_text.js").read_text("utf-8")
    stated = re.search(r"const VOID_REASONS = \{(.*?)\};", script, re.DOTALL)
    assert stated
    texts = dict(re.findall(r'(\w+): "([^"]+)"', stated[1]))
    assert texts.items() >= types.ENGLISH.items()
    assert texts.keys() == {*types.ENGLISH, *get_args(types.PouleVoidReason)}


UNSPACED = re.compile(r"[^\S\u00a0][:;!?»]|(?<=[^\W\d_])[;!?»](?!\w)|(?<=[^\W\d_]): |«(?!\u00a0)")
"""A French punctuation mark without its no-break space."""


def test_french_punctuation_follows_a_no_break_space() -> None:
    texts = [found.string for found in read_catalogue(CATALOGUES / "fr.po") if found.id]
    said = [form for text in texts for form in ([text] if isinstance(text, str) else text or ())]
    rules = (ROOT / "templates" / "rules_fr.html").read_text("utf-8")
    said += html.unescape(re.sub(r"<[^>]*>", "", rules)).splitlines()
    assert len(said) > 900
    # A header of HTTP is written as it is sent.
    assert [text for text in said if UNSPACED.search(text.replace("Content-Type: ", ""))] == []
