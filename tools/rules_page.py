"""Render docs/rules*.md, which use little of Markdown, as HTML with an anchor for each article.

`python -m tools.rules_page` writes templates/rules_*.html.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from casino.web.i18n import ENGLISH, LANGUAGES

ROOT = Path(__file__).parent.parent
SOURCES = {ENGLISH: "rules.md"} | {code: f"rules.{code}.md" for code in LANGUAGES[1:]}

DIAGRAMS = {
    "r1-3": "KH QH JH AH TH 9H 8H 7H",
    "r2-4": "?? ?? ?? ?? ?? 8S",
    "r4-1": "KS 8S",
    "r5-2": "TD JD",
    "r5-3": "KD 7S",
}
"""Cards that illustrate an article; in the last three spades are trumps."""

STORY = {0: "KH QH JH AH TH 9H 8H 7H", 1: "7H TC JD KC 9S", 2: "TD JD"}
"""Cards under the paragraphs of the story, by their number."""


def page(language: str) -> str:
    """Return the HTML of the rules in a language."""
    text = (ROOT / "docs" / SOURCES[language]).read_text("utf-8")
    blocks = re.split(r"\n\n+", text.strip())
    title = next(block for block in blocks if block.startswith("# "))
    body: list[str] = []
    chapter = ""
    for block in blocks:
        if block.startswith("## "):
            body.append(("</section>\n" if chapter else "") + _heading(block[3:]))
            chapter = _number(block[3:])
        elif block != title:
            cards = "" if chapter else _cards(STORY.get(len(body)))
            body.append(_block(block, chapter) + cards)
    return "\n".join([f"<h1>{_inline(title[2:])}</h1>", *body, "</section>"]) + "\n"


def _heading(text: str) -> str:
    number = _number(text)
    anchor = f' id="{number}"' if number != "more" else ""
    return f"<section{anchor}>\n<h2>{_inline(text)}</h2>"


def _number(text: str) -> str:
    match = re.match(r"R(\d) ", text)
    return f"r{match[1]}" if match else "more"


def _block(block: str, chapter: str) -> str:
    if not re.match(r"1\. |- ", block):
        return f"<p>{_inline(block)}</p>"
    items = re.split(r"\n(?=\d+\. |- )", block)
    if block.startswith("- "):
        return "<ul>\n" + "\n".join(f"<li>{_inline(item[2:])}</li>" for item in items) + "\n</ul>"
    rows = [_article(chapter, n, item) for n, item in enumerate(items, 1)]
    return "<ol>\n" + "\n".join(rows) + "\n</ol>"


def _article(chapter: str, number: int, item: str) -> str:
    anchor = f"{chapter}-{number}"
    shown = f"{chapter.upper()}.{number}"
    link = f'<a class="number" href="#{anchor}">{shown}</a>'
    diagram = _cards(DIAGRAMS.get(anchor))
    text = _inline(re.sub(r"^\d+\. ", "", item))
    return f'<li id="{anchor}">{link} {text}{diagram}</li>'


def _cards(cards: str | None) -> str:
    """Return a row of cards, with room for each: the page's script draws them."""
    room = '<span class="show-card"></span>' * len((cards or "").split())
    return f'<div class="cards" data-cards="{cards}">{room}</div>' if cards else ""


def _inline(text: str) -> str:
    """Turn the marks within a line into HTML, with no-break spaces at French punctuation.

    What stands in brackets with the name of a law is for operators: players do not see it.
    """
    text = re.sub(r"\s*\([^()]*`[^()]*\)", "", text)
    text = re.sub(r" (?=[:;!?»])|(?<=«) ", "\u00a0", text)
    safe = escape(re.sub(r"\s*\n\s*", " ", text), quote=False)
    safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", safe)


def write() -> None:
    """Write the page of every language."""
    for language in SOURCES:
        path = ROOT / "templates" / f"rules_{language}.html"
        path.write_text(page(language), "utf-8")


if __name__ == "__main__":
    write()
