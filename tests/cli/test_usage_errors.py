"""Usage errors of every command: exit status 2, one sentence, and no file written."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from casino.cli import MODULES, USAGE, casino, main

HAND = "odds --role elder --hand 7HKCQCJC7S --turn-up 8H"
BET = "bet http://127.0.0.1:9 --table t1 --side house --name ann"
FOLLOW = "follow http://127.0.0.1:9"
RUN = "simulate --games 9"

# A command line, then parts of the error message, separated by commas.
TABLE = f"""
reciept | there is no command 'reciept': did you mean verify-receipt?
run --headless --db casino.db.pub | casino.db.pub cannot be read as the casino's file
arena regle | missing argument 'B'. Choose from: novice
arena regle novice --games 1 | must be a whole number of 2 or more
arena regle novice --law target=6 | 6 is not one of 5, 7, 11
arena regle novice --law targett=7 | law targett is unknown: did you mean target?
admin pause t1 --reason x | --reason can only be used with void
audit --db a.db --from a.jsonl | --db, --from
audit --game t1-000001 --player ann | --game, --player
audit --from none | cannot read none (No such file or directory): give an export
admin pause petit --db / | / is not a file: give
backup . | File '.' is a directory
audit --db none.db | none.db does not exist: give
audit --db casino.db.pub | casino.db.pub cannot be read as the casino's file, if it was the casino's
audit other.db | (other.db): did you mean --db? See
audit --key casino.db.key | casino.db.key: this file is secret: give casino.db.pub
admin puase petit | 'puase' is not one of, did you mean pause? See
audit --from casino.db.pub | casino.db.pub, or give a file with --db
audit --game \udcff | is not valid UTF-8
{BET} --unit 5 --password x | no such option, --password
bet http://[::1 {BET[23:]} --unit 5 | is not the address
bet http://a:99999 {BET[23:]} --unit 5 | is not the address, check its host and port
{BET} --unit 5 --bet-id 'a b/c' | --bet-id 'a b/c': give up to 64 letters, digits
bot http://127.0.0.1:9 --table t1 --bot gone:Bot | bot gone:Bot: there is no module gone
config check . | cannot read . (Is a directory): choose a TOML file
copy --from none --to x.db | there is no log at none: choose another with --from
export | missing option '--format'. Choose from: beancount
export --format pdf | 'pdf' is not one of
{FOLLOW} --once --serve 127.0.0.1:0 | --once and --serve cannot be used together
{FOLLOW} --quorum 1 | needs at least 1 --witness-key
{FOLLOW} --once --key nonsense | public key
{FOLLOW} --once | no casino responds at http://127.0.0.1:9/log/: check
follow notaurl | 'notaurl' is not the address of a casino: try http
watch --tabel t1 | no such option '--tabel': did you mean --table? See
watch --link key | --link needs --table
watch 127.0.0.1:9 | no casino responds at http://127.0.0.1:9:
watch http://127.0.0.1:9 petit | (petit): did you mean --table? See
watch petit | 'petit' is not the address of a casino: try http://127.0.0.1:5000, and --table petit
watch htp://127.0.0.1:9/x | is not the address of a casino: try http://127.0.0.1:9
watch http://127.0.0.1:9/table/petit | no casino responds at http://127.0.0.1:9:
simulate --sweep | See 'casino simulate --help'
odds --table --hand 7HKCQCJC7S | --table, --hand
odds --table --json --format csv | --json, --format
odds --table -o chart.pdf | chart.pdf: name it .txt, .csv
odds --table -o no/such/chart.csv | cannot use no/such/chart.csv
odds --role elder --hand 7HKCQCJC --turn-up 8H | 4 cards
{HAND} --given stood | --given stood narrows the elder's hand only: leave it out
odds --role elder --hand 7HKCQCJC7S | give --hand, --turn-up and --role
{HAND} -o x.csv | --output, --table
{HAND} --lead spades | 'spades' is not a card
{HAND} --score 5-2 | --score '5-2'
review nobody-1 | casino.db: check its name, or give another file
review nobody-1 --db none.db | none.db does not exist: give a file or --db
rng | give --raw or --decks N.
rng --decks 9999999999999999999 | is too large: give at most 18
rng --raw --seed abc | 'abc' must be 64 digits of 0-9 a-f
rotate-key --db none.db | none.db does not exist: give
restore none.db --db r.db | none.db does not exist: give a copy made by casino backup
run --headless --host localhost | --headless, --host
run --host no.invalid --port 0 | (not an address): choose another --host
run --headless --db /no/casino.db | there is no folder /no: create it
run --headless --db /proc/x.db | cannot use /proc/x.db (
run --seed 1 | --seed needs --headless
{RUN} --house expert2 | there is no bot 'expert2': did you mean expert?
{RUN} --challenger nobody | there is no bot 'nobody': choose
{RUN} --law target=5 --law target=7 | law target, twice
{RUN} --workers all | 'all' must be a whole number from 1 to 1024
{RUN} --engine dask://127.0.0.1:9 --workers 2 | --engine, --workers
{RUN} --plot picture.gif | picture.gif: name it .svg or .png
{RUN} --records no/games | cannot write no/games
{RUN} --checkpoint no/c | cannot write no/c
{RUN} --resume | --resume needs --checkpoint: add it.
{RUN} --records x --checkpoint y/../x | --records, --checkpoint, the same file
{RUN} --json --records /dev/stdout | --json and --records both write to standard output
{RUN} house=regle | unexpected 'house=regle': put --sweep before it.
{RUN} --sweep seed=1,2 --records r | --sweep, --records
{RUN} --sweep seed=1,2 --seed 3 | --sweep, --seed
{RUN} --sweep law.target=5,7 --law target=7 | --law target, --sweep law.target
solve -o x.xz --law play=ordinary | under the strict law of play: change only law.target
solve -o x.xz --keep casino.db/sub | cannot use casino.db/sub (Not a directory)
solve -o x.xz --passes 1 --iterations 7 | '7' must be a whole number of 8 or more
table change h1 | give at least one setting to change, such as --pace slow
table list --url x --db y | --db and --url cannot be used together
table change h1 --law target=7 | use --target
table open --stake 1e999999 | '1e999999' is not an amount of chips
table open --law foo=1 | law foo is unknown: choose one of play, vole_unexchanged
table open --entry 3 | --entry needs --poule: add it.
top 'http://127.0.0.1:1/x y' --once | no casino responds at http://127.0.0.1:1/x y: check
verify-receipt casino.db | casino.db is not a text file: choose another file
verify-receipt none --key x | cannot read none (No such file or directory)
statement ann --db http://127.0.0.1:9 | http://127.0.0.1:9 is no file: give
statement ' Zoe\u0308 ' | Zo\u00eb has no account in casino.db: check the name
"""
ROWS = [line.split(" | ") for line in TABLE.strip().splitlines()]


@pytest.mark.parametrize(("line", "said"), ROWS, ids=[line.encode("ascii", "replace").decode()
                                                      for line, _ in ROWS])  # fmt: skip
def test_usage_errors_exit_with_2_and_one_sentence(
    line: str,
    said: str,
    db_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(db_file.parent)
    before = set(Path().iterdir())
    assert main(shlex.split(line)) == USAGE
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("casino: ") and err.count("\n") == 1
    assert all(part in err for part in said.split(", ")), err
    assert set(Path().iterdir()) == before


def test_repeated_and_empty_options_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for name in MODULES:
        command = casino.get_command(click.Context(casino), name)
        assert command is not None
        for option in command.params:
            if not isinstance(option, click.Option) or option.is_flag:
                continue
            for flag in option.opts:
                for nothing in ("", "  "):
                    assert main([name, flag, nothing]) == USAGE
                    out, err = capsys.readouterr()
                    assert out == "", (name, flag)
                    assert " is empty: give it a value, or leave it out." in err, (name, flag)
                if option.multiple:
                    continue
                for second in ("1", "2"):
                    assert main([name, flag, "1", flag, second]) == USAGE
                    out, err = capsys.readouterr()
                    assert (out, err.partition(" is given twice")[2]) == (
                        "", f": give it once. See 'casino {name} --help'.\n"
                    )  # fmt: skip


OUTPUTS = (
    "export --format csv -o", "odds --table --format csv -o", "solve -o", "simulate --records",
    "simulate --plot", "arena regle novice --plot", "backup",
)  # fmt: skip


@pytest.mark.parametrize("line", OUTPUTS)
def test_no_command_overwrites_a_file(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kept.svg").write_text("mine")
    Path("link.svg").symlink_to("kept.svg")
    assert main([*line.split(), "link.svg"]) == USAGE
    assert capsys.readouterr().err == "casino: link.svg already exists: choose another file\n"
    assert {file.read_text() for file in tmp_path.iterdir()} == {"mine"}


NUMBERS = (
    "simulate --games", "simulate --workers", "simulate --sweep seed=5,",
    "follow http://127.0.0.1:9 --every", "run --port", "run --tables", f"{HAND} --score",
    f"{BET} --unit",
)  # fmt: skip


@pytest.mark.parametrize("line", NUMBERS)
def test_numbers_must_use_ascii_digits(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = line.split()
    for wrong in ("٣", "1_0", "1.5.", "9" * 10_000):
        value = f"{wrong}-2" if words[-1] == "--score" else wrong
        given = [*words[:-1], words[-1] + value] if words[-1].endswith(",") else [*words, value]
        assert main(given) == USAGE
        err = capsys.readouterr().err
        assert len(err.splitlines()) == 1
        assert len(err) < 300
        assert "limit (" not in err and "set_int_max_str_digits" not in err


def test_ctrl_c_during_startup_prints_no_traceback() -> None:
    hook = "type('Hook', (), {'find_spec': staticmethod(find)})"
    program = f"""
import sys
def find(name, *_):
    if name == "click":
        raise KeyboardInterrupt
sys.meta_path.insert(0, {hook})
import casino.cli
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (130, "casino: interrupted\n")
