"""Style sheets are served without comments and needless spaces, and say what they said."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from casino.web.assets.scripts import minify_css

SHEETS = sorted((Path(__file__).parent.parent.parent / "static" / "css").glob("*.css"))
READ = """(text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  // What a variable stands for is kept letter by letter.
  return Array.from(sheet.cssRules, (rule) => rule.cssText.replaceAll(", ", ","));
}"""


@pytest.mark.parametrize(
    ("source", "served"),
    [
        ("a { color: red; }\n", "a{color:red}"),
        ("a , b > c  d { margin: 0  auto; }", "a,b > c d{margin:0 auto}"),
        ("/* One's own seat: 5; */\np:not(:empty) { order: 1 }", "p:not(:empty){order:1}"),
        ('p { content: "a  ; b: /* c */ "; }', 'p{content:"a  ; b: /* c */ "}'),
        ("p { content: '{ \" }'; }", "p{content:'{ \" }'}"),
        (".a :hover { x: calc(1px + 2px) }", ".a :hover{x:calc(1px + 2px)}"),
        ("@media (max-width: 5em) { p { order: 1; } }", "@media (max-width:5em){p{order:1}}"),
        ("p { background: url(\"data:x, y; z\") ; }", 'p{background:url("data:x, y; z")}'),
        ("", ""),
    ],
)  # fmt: skip
def test_what_means_nothing_is_left_out(source: str, served: str) -> None:
    """Comments, indentation, spaces around brackets; nothing of what stands in quotes."""
    assert minify_css(source) == served
    assert minify_css(served) == served


def test_a_browser_reads_the_same_rules(chromium: Browser) -> None:
    page = chromium.new_page()
    for sheet in SHEETS:
        source = sheet.read_text("utf-8")
        rules = page.evaluate(READ, source)
        assert len(rules) > 5
        assert page.evaluate(READ, minify_css(source)) == rules, sheet.name
        assert len(minify_css(source)) < len(source) * 0.95
    page.close()
