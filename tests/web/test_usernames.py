"""Names: no player can pass for the house, a bot, a spectator or another player."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest
from fontTools.unicodedata import script_extension

from casino.bots import BOT_NAMES
from casino.errors import Refused
from casino.web.accounts.usernames import (
    UsernameRegistry,
    _lookalikes,
    bot_names,
    check_readable,
    display_name,
    scripts_of,
    skeleton,
)

AVATARS = Path(__file__).parents[2] / "static" / "js" / "felt" / "avatars.js"
PLAYERS = ("victim", "Анна", "Zoë", "PAUL", "mo")


def refusal(name: str) -> str:
    try:
        reserved = UsernameRegistry(("novice", "regle"), PLAYERS).check(name)
    except Refused as refused:
        return refused.reason
    return "" if reserved == name else f"becomes {reserved}"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("House", "looks_like_the_house"),
        ("HOUSE", "looks_like_the_house"),
        ("hоuse", "mixed_letters"),
        ("Τreasury", "mixed_letters"),
        ("novice", "looks_like_the_house"),
        ("Nоvice", "mixed_letters"),
        ("n0vice", "looks_like_the_house"),
        ("rеgle", "mixed_letters"),
        ("house", "forbidden_name"),
        ("viсtim", "mixed_letters"),
        ("Victim", "looks_like_another"),
        ("victirn", "looks_like_another"),
        ("v\u0456ctim", "mixed_letters"),
        ("PAUI", "looks_like_another"),
        ("mо", "mixed_letters"),
        ("мо", ""),
        ("Аннa", "mixed_letters"),
        ("zoё", "mixed_letters"),
        ("ｖｉｃｔｉｍ", "hidden_letters"),
        ("ｈｏｕｓｅ", "hidden_letters"),
        ("𝐡𝐨𝐮𝐬𝐞", "hidden_letters"),
        ("ⓗouse", "hidden_letters"),
        ("vic\u200btim", "bad_name"),
        ("\u202evictim", "bad_name"),
        ("\u200fvictim", "bad_name"),
        ("vic\u00adtim", "bad_name"),
        ("vic\u034ftim", "hidden_letters"),
        ("vic\ufe0ftim", "hidden_letters"),
        ("victim\u3164", "hidden_letters"),
        ("victim\u2800", "hidden_letters"),
        ("victim\U0001d159", "hidden_letters"),
        ("Odette*", "starred_name"),
        ("Odette＊", "hidden_letters"),
        ("Odette∗", "starred_name"),
        ("Odette✱", "starred_name"),
        ("Odette٭", "mixed_letters"),
        ("Odette⁎", "starred_name"),
        ("..", "hidden_letters"),
        ("", "bad_name"),
        ("a/b", "forbidden_name"),
        ("a|b", "forbidden_name"),
        ("x" * 41, "bad_name"),
        ("Zoë", ""),
        ("Zoe\u0308", "becomes Zoë"),
        ("Odette", ""),
        ("Анна-Мария", ""),
        ("Ξένια", ""),
        ("たろう太郎", ""),
        ("太郎 Taro", ""),
        ("王小明", ""),
        ("홍길동", ""),
        ("ann 7", ""),
        ("<img src=x>&'\"", ""),
        ("🎲 lucky", ""),
    ],
)
def test_deceptive_names_are_refused(name: str, reason: str) -> None:
    assert refusal(name) == reason


def test_a_taken_name_is_that_of_one_player() -> None:
    names = UsernameRegistry((), ())
    assert [names.check(name) for name in ("Ann B", "  ann   b ")] == ["Ann B", "ann b"]
    names.add("ann b")
    assert names.check("ann b") == "ann b"
    with pytest.raises(Refused):
        names.check("Ann B")


def test_names_are_case_insensitive_in_every_alphabet() -> None:
    """Although some capitals look like another letter, as I like l and Н like H."""
    alphabets = (
        "abcdefghijklmnopqrstuvwxyz",
        "абвгдежзийклмнопрстуфхцчшщъыьэюя",
        "αβγδεζηθικλμνξοπρστυφχψω",
    )
    for letter in "".join(alphabets):
        for small, capital in ((letter * 2, letter.upper() * 2), (letter.upper() * 2, letter * 2)):
            with pytest.raises(Refused):
                UsernameRegistry((), (small,)).check(capital)
            assert UsernameRegistry((), ()).check(capital) == capital


def test_bot_names_shown_on_pages_are_reserved() -> None:
    shown = bot_names()
    assert {*BOT_NAMES, "Maître Hubert", "Sosthène", "Basile", "Мэтр Юбер"} <= shown
    names = UsernameRegistry(shown, ("Odile",))
    for name in ("Maître Hubert", "maître hubert", "Мэтр Юбер", "Basile", "expert"):
        with pytest.raises(Refused) as refused:
            names.check(name)
        assert refused.value.reason == "looks_like_the_house"
    assert names.check("Odile") == "Odile"


def test_bots_have_the_same_names_on_the_pages_and_in_link_previews() -> None:
    row = r'(\w+): \["(.+?)", "(.+?)", "\d'
    shown = re.findall(row, AVATARS.read_text("utf-8"))
    assert shown == [(bot, display_name(bot), display_name(bot, bot)) for bot in BOT_NAMES]
    assert display_name("novice", "regle") == display_name("novice") == "Odile"


def test_lookalike_table_is_that_of_unicode() -> None:
    """Samples of UTS 39, including whole-script confusables."""
    table = _lookalikes()
    assert len(table) > 2_800
    assert all(one != stands for one, stands in table.items())
    assert skeleton("сосо") == skeleton("coco")
    assert skeleton("rn") == skeleton("m")
    assert skeleton("ο") == skeleton("о") == skeleton("o") == skeleton("0")
    assert skeleton("ann") != skeleton("anna")


def test_scripts_match_the_unicode_tables() -> None:
    """Compare every assigned character with fontTools' tables of Unicode.

    No character is assigned in the planes between the third and the fourteenth.
    """
    everybodys = {"Zyyy", "Zinh", "Zzzz"}
    for number in chain(range(0x40000), range(0xE0000, 0xF0000)):
        found = script_extension(chr(number))
        expected = found if everybodys.isdisjoint(found) else set()
        assert scripts_of(chr(number)) == expected, hex(number)


def test_check_readable_accepts_or_refuses_any_character() -> None:
    for number in range(0, 0x30000, 7):
        try:
            check_readable(f"a{chr(number)}")
        except Refused:
            continue
