"""Update the catalogues from the texts of the templates, the scripts and the refusals.

`python -m tools.catalogues` adds new texts with an empty translation, removes unused ones, and
lists the files that use each. For a new language, write the first lines of its file, from
`msgid ""` to `Plural-Forms`, and run it.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

import casino
from casino.errors import RefusalReason
from tools.build_assets import CATALOGUES, read_catalogue

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "static" / "js"
TERMINAL = ("casino.cli", "casino.__main__")
"""Modules whose refusals only a terminal shows, in English."""

STRING = r'"((?:[^"\\\n]|\\.)*)"'
ASKED = re.compile(rf"\bt\(\s*{STRING}")
COUNTED = re.compile(rf"\btn\(\s*{STRING},\s*{STRING}")
SAID = re.compile(r"^\s*// Said: (.*)$", re.MULTILINE)
"""Texts that a script composes or looks up: `// Said: king of {spades|hearts}; void`."""

COMMENT = re.compile(r"^\s*(//|\*|/\*\*).*$", re.MULTILINE)
FRENCH = (
    "Je propose", "Je joue", "Combien\u00a0?", "Jouez\u00a0!", "Le roi\u00a0!",
    "Le reste est à vous", "Redonnez", "Laissez", "Renonce\u00a0!", "Je la reprends",
    "Servi", "Une carte", "Deux cartes", "Trois cartes", "Quatre cartes", "Cinq cartes",
)  # fmt: skip
"""What players say at the table: French on purpose, in every language."""

NO_TEXT = re.compile(
    r"[a-z]+(\.[a-z-]+)+( .*)?|[a-z]+\[.*|face back|use strict|input, select|input:not.*|[#.[(].*"
    r"|.*\$\{.*|(rotate|translate)\(.*|[A-Z0-9]{2,}|KQJAT987|789TAJQK|KH QH|first dealer|M19 .*"
    r"|Accept|Content-Type|application/json|Escape|Enter|Tab|Ed25519"
    r"|NotSupportedError|c2sp\.org.*|--.*|\.\.?/.*|0 0 .*"
)
"""Strings that are not for people: names of things, pieces of markup, selectors, keys."""


class Text(NamedTuple):
    """A text, its plural if it counts something, and the reason if it is that of a refusal."""

    reason: str
    text: str
    many: str = ""

    @classmethod
    def of(cls, message: Message) -> Text:
        """Return the text that an entry of a catalogue translates."""
        text, many = message.id if isinstance(message.id, tuple) else (message.id, "")
        return cls(message.context or "", str(text), str(many))


def every_text() -> dict[Text, set[str]]:
    """Return all texts that pages may show, with the templates and scripts that use them."""
    texts: dict[Text, set[str]] = {text: set() for text in of_refusals()}
    for text, file in (*of_templates(), *of_scripts()):
        texts.setdefault(text, set()).add(file)
    return texts


def of_templates() -> Iterator[tuple[Text, str]]:
    """Yield the texts of the templates, each with its file."""
    for file, _, text, _, _ in extract_from_dir(ROOT / "templates", [("**.html", "jinja2")]):
        yield Text("", str(text)), f"templates/{file}"


def of_scripts() -> Iterator[tuple[Text, str]]:
    """Yield the texts of the scripts, each with its file."""
    for path in sorted(SCRIPTS.rglob("*.js")):
        file = path.relative_to(ROOT).as_posix()
        source = path.read_text("utf-8")
        for line in SAID.findall(source):
            yield from ((Text("", text), file) for text in expanded(line))
        code = COMMENT.sub("", source)
        counted = {string(part) for pair in COUNTED.findall(code) for part in pair}
        yield from ((Text("", string(a), string(b)), file) for a, b in COUNTED.findall(code))
        asked = set(map(string, ASKED.findall(code)))
        literals = set(map(string, re.findall(STRING, code)))
        for text in asked | set(filter(reads_like_a_text, literals)):
            if text not in counted:
                yield Text("", text), file


def string(written: str) -> str:
    """Return the value of a string as a script writes it."""
    return re.sub(r"\\(.)", r"\1", written)


def expanded(line: str) -> Iterator[str]:
    """Yield the texts that a comment names: `{a|b}` means each of its parts.

    >>> list(expanded("{ten|ace} of {spades|hearts}; void"))
    ['ten of spades', 'ten of hearts', 'ace of spades', 'ace of hearts', 'void']
    """
    for text in line.split("; "):
        parts = re.split(r"\{([^}]*\|[^}]*)\}", text)
        for chosen in product(*(part.split("|") for part in parts)):
            yield "".join(chosen)


def reads_like_a_text(literal: str) -> bool:
    """Return True if a string of a script looks like a text for people."""
    if literal in FRENCH or NO_TEXT.fullmatch(literal) or not re.search("[A-Za-z]{2}", literal):
        return False
    return bool(re.search("[a-z}] [a-z{“]", literal, re.IGNORECASE) or literal[0].isupper())


def of_refusals() -> Iterator[Text]:
    """Yield the sentences of all refusals that a page may show."""
    return (Text(reason.name, reason.sentence, reason.plural) for reason in every_reason())


def every_reason() -> Iterator[RefusalReason]:
    """Yield the reasons for refusals that the modules of the casino define."""
    for module in pkgutil.walk_packages(casino.__path__, "casino."):
        if module.name.startswith(TERMINAL):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            for reason in value.values() if isinstance(value, dict) else [value]:
                if type(reason) is RefusalReason:
                    yield reason


def update(path: Path) -> None:
    """Update a catalogue and keep its translations."""
    before = {Text.of(message): message.string for message in read_catalogue(path) if message.id}
    header, _, _ = path.read_text("utf-8").partition("\n\n")
    after = Catalog(locale=path.stem)
    texts = sorted(every_text().items(), key=lambda item: (sorted(item[1]), item[0]))
    for text, files in texts:
        after.add(
            (text.text, text.many) if text.many else text.text,
            before.get(text, ""),
            [(file, 0) for file in sorted(files)],
            context=text.reason or None,
        )
    with path.open("wb") as file:
        file.write(f"{header}\n\n".encode())
        write_po(file, after, width=100, include_lineno=False, omit_header=True)


if __name__ == "__main__":
    for catalogue in sorted(CATALOGUES.glob("*.po")):
        update(catalogue)
