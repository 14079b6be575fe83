"""Each rule that code, tests and pages cite by number (L15, G16, R5.2) is defined in docs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ("ledger-rules.md", "betting-rules.md")
CITATION = re.compile(r"(?<![\w.])(?:[LG]\d{1,2}|R\d(?:\.\d+)?)(?![\w+/=])")
CITING = ("casino/**/*.py", "tests/**/*.py", "tests/**/*.mjs", "static/js/**/*.js", "docs/*.md")


def numbered_rules() -> list[str]:
    """Return the rules of the ledger and of betting, in the order of their pages."""
    pages = [(ROOT / "docs" / page).read_text("utf-8") for page in PAGES]
    return re.findall(r"^### ([LG]\d+)\. ", "\n".join(pages), re.MULTILINE)


def articles() -> list[str]:
    found = []
    for line in (ROOT / "docs" / "rules.md").read_text("utf-8").splitlines():
        if section := re.match(r"## (R\d) ", line):
            found.append(section[1])
        elif found and (article := re.match(r"(\d+)\. ", line)):
            found.append(f"{found[-1][:2]}.{article[1]}")
    return found


def test_rules_are_numbered_without_gaps() -> None:
    expected = [f"L{n}" for n in range(1, 26)] + [f"G{n}" for n in range(1, 20)]
    assert numbered_rules() == expected


def test_every_cited_rule_is_defined() -> None:
    defined = {*numbered_rules(), *articles()}
    unknown = {
        (number, str(path.relative_to(ROOT)))
        for pattern in CITING
        for path in ROOT.glob(pattern)
        for number in CITATION.findall(path.read_text("utf-8"))
        if number not in defined
    }
    assert unknown == set()
