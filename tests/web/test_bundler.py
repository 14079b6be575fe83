"""Scripts joined for a page do what the modules do one by one, each made once."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin

import pytest

from casino.web.assets.bundler import bundle_name, make_bundles, preload_names
from casino.web.assets.scripts import Scripts, minify, read_scripts
from casino.web.assets.static_files import join_styles
from tests.web.test_scripts import node

ROOT = Path(__file__).parent.parent.parent
STATIC = ROOT / "static"
SCRIPTS = read_scripts(STATIC)
JOINED = {name: body.decode() for name, body in make_bundles(SCRIPTS).items()}

SMALL = {
    "lib/told.js": "export const told = [];",
    "js/once.js": """import { told } from "../lib/told.js";
const name = "once";
export function count() { told.push(name); return told.length; }
export const here = () => import.meta.url;
told.push("made once");
""",
    "js/deep/words.js": """import { count } from "../once.js";
export const word = await Promise.resolve("waited");
export class Counted { count = count(); }
export const again = () => import("./late.js");
""",
    "js/deep/late.js": """import { count } from "../once.js";
import { shared } from "./shared.js";
export const late = [count(), shared];
""",
    "js/deep/shared.js": "export const shared = {};",
    "js/also.js": """import { shared } from "./deep/shared.js";
export const renamed = shared;
export const known = () => import("./once.js");
""",
    "js/pages/small.js": """import * as words from "../deep/words.js";
import { told } from "../../lib/told.js";
import { count as counted, here } from "../once.js";
const name = "page";
const { late } = await words.again();
const { renamed, known } = await import("../also.js");
const once = await known();
globalThis.found = { told, late, same: renamed === late[1] && once.count === counted,
  name, word: words.word, counted: new words.Counted().count, here: here() };
""",
}


def found_by(script: Path) -> object:
    """What a page's script leaves behind, run by node."""
    code = "process.on('exit', () => console.log(JSON.stringify(globalThis.found)));"
    code += "await import(process.argv[1])"
    run = node("--input-type=module", "--eval", code, script)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_a_joined_page_finds_what_its_modules_find(tmp_path: Path) -> None:
    """Names stay apart, a module is made once, also for one asked for later; addresses hold."""
    files = {**SMALL, "package.json": '{"type": "module"}'}
    for name, text in (
        files | {k: v.decode() for k, v in make_bundles(Scripts(SMALL)).items()}
    ).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    one_by_one = found_by(tmp_path / "js/pages/small.js")
    assert one_by_one == found_by(tmp_path / "js/joined/small.js")
    assert one_by_one == {
        "told": ["made once", "once", "once"],
        "late": [2, {}],
        "same": True,
        "name": "page",
        "word": "waited",
        "counted": 3,
        "here": (tmp_path / "js/once.js").as_uri(),
    }


@pytest.mark.parametrize("page", SCRIPTS.pages)
def test_everything_a_page_needs_is_in_its_file_once(page: str) -> None:
    """Every module it imports, whole but for imports and exports; no other file but libraries."""
    script = SCRIPTS.pages[page]
    text = JOINED[bundle_name(page)]
    ours = [one for one in SCRIPTS.at_once(script) if not one.startswith("lib/")]
    assert text.count("=await(async()=>{\n") == len(ours)
    for one in (script, *ours):
        for said in re.findall(
            r"^(?:export )?(function \w+\(.*)$", SCRIPTS.source(one), re.MULTILINE
        ):
            assert said in text
    first, *libraries = preload_names(SCRIPTS, page)
    assert first == bundle_name(page)
    assert {urljoin(first, one) for one in re.findall(r'from "([^"]+)"', text)} == set(libraries)
    assert minify(text) == text


@pytest.mark.parametrize("name", JOINED)
def test_every_file_asked_for_is_there(name: str) -> None:
    """What a joined file imports, at once or later, is joined for the same page, or a library."""
    page = PurePosixPath(name).parts[2].removesuffix(".js")
    for one in re.findall(r'(?:from |import\()"([^"]+)"', JOINED[name]):
        target = urljoin(name, one)
        assert target in JOINED or (STATIC / target).is_file()
        assert target.startswith((f"js/joined/{page}/", f"js/joined/{page}.js", "lib/"))


def test_style_sheets_are_joined_in_the_order_of_the_page() -> None:
    """Every page has one sheet of our own; a later sheet of it may overrule an earlier one."""
    sheets = join_styles(STATIC, ROOT / "templates")
    assert "css/base+cards.css" in sheets
    for name, body in sheets.items():
        names = PurePosixPath(name).stem.split("+")
        assert names[:2] == ["base", "cards"]
        assert body == b"".join((STATIC / "css" / f"{one}.css").read_bytes() for one in names)


def test_what_means_nothing_is_left_out_of_a_script() -> None:
    """Comments, types, empty lines and needless spaces; nothing that runs."""
    source = """// A word.
import { a } from "./a.js";

/**
 * @param {string} one
 */
function f(one) {
  // Why.
  const half = one.length / 2, other = /[/ = ]: '/.test(one);
  if (other && half > 1) return `${one} = ${half}`;
  return /** @type {Seat} */ (one ?? "// kept, = ");
}
"""
    served = (
        'import{a}from "./a.js";\nfunction f(one){\n'
        "const half=one.length / 2,other=/[/ = ]: '/.test(one);\n"
        "if(other&&half>1)return `${one} = ${half}`;\n"
        'return(one??"// kept, = ");\n}\n'
    )
    assert minify(source) == served
    assert minify(served) == served


TOKENS = """
const { tokenizer } = require("internal/deps/acorn/acorn/dist/acorn");
const options = { ecmaVersion: "latest", sourceType: "module" };
const words = (text) => [...tokenizer(text, options)]
  .map(({ type, value }) => [type.label, `${value?.pattern ?? value}`.replace(/\\n */g, "\\n")]);
const differs = ([read, served]) => JSON.stringify(words(read)) !== JSON.stringify(words(served));
const scripts = Object.entries(JSON.parse(require("fs").readFileSync(0, "utf-8")));
console.log(JSON.stringify(scripts.filter(([, both]) => differs(both)).map(([name]) => name)));
"""


def test_a_bare_script_has_every_word_of_the_script() -> None:
    """Read by the parser that node has, each script says what its file says, word by word."""
    texts = {path.name: path.read_text("utf-8") for path in (STATIC / "js").rglob("*.js")}
    both = {name: [text, minify(text)] for name, text in texts.items()}
    broken = {"broken.js": ["const a = `b = c`;", "const a=`b=c`;"]}
    run = node("--expose-internals", "--eval", TOKENS, given=json.dumps(both | broken))
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == ["broken.js"]
