"""The audit page: leaves in words, and verification in the browser."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, Route, expect

from casino.events.types import KINDS
from casino.ledger.accounts import MOVES
from casino.reports.export import export
from tests.ledger.game_simulator import play_games
from tests.web.browser import ROOT, NewPerson
from tests.web.test_scripts import node_lines
from tests.web.test_verify import receipts


def test_every_leaf_type_has_a_label() -> None:
    script = f"""
        import {{ KINDS }} from "{ROOT.as_posix()}/static/js/text/log_labels.js";
        console.log(JSON.stringify(Object.keys(KINDS)));
    """
    (labelled,) = node_lines("--input-type=module", "-e", script)
    assert set(labelled) == KINDS.keys() - {"entry"} | MOVES.keys()


def test_what_is_typed_early_stays_and_what_names_no_game_gets_an_example(
    new_person: NewPerson,
) -> None:
    person = new_person()
    game, page = person.finished_game(), person.page
    held: list[Route] = []
    page.route("**/api/games?limit=1", lambda route: held.append(route))
    page.goto(f"{person.url}/audit", wait_until="commit")
    person.until(lambda: held)
    page.fill("#verify-game", "quick 1")
    page.click("details:has(#leaves) > summary")
    page.fill("#log-from", "0")
    page.click("#log-form button")
    page.wait_for_selector("#leaves li[value='0']")
    types = page.locator("#leaves summary code").all_inner_texts()
    words = page.locator("#leaves summary b").all_inner_texts()
    assert types[0] == "log_opened" and len(types) == len(words) == 20
    assert not [one for one in words if "_" in one or one in types]
    assert not [one for one in page.locator("#leaves bdi").all_inner_texts() if "-0" in one]
    held[0].continue_()
    expect(page.locator("#checkpoint-said")).not_to_be_empty()
    assert page.input_value("#verify-game") == "quick 1"
    assert page.input_value("#log-from") == "0"
    page.fill("#verify-game", "36")
    page.click("#verify-form button")
    person.until(lambda: "such as" in page.inner_text("#verdict-line"))
    table, _, number = game.rpartition("-")
    page.fill("#verify-game", f" Table {table.upper()}  {int(number)}")
    page.click("#verify-form button")
    page.wait_for_selector("#verdict-line.good")


def test_a_game_without_bettors_is_verified_in_russian(new_person: NewPerson) -> None:
    person = new_person()
    person.finished_game()

    def alone() -> list[str]:
        games = person.api("/api/games?limit=50")["games"]
        return [one["game"] for one in games if one["score"] and not one["cuts"]]

    page = person.go(f"/audit?game={person.until(alone)[0]}&lang=ru")
    page.wait_for_selector("#verdict-line.good")
    for words in ("Зрители не добавили ни одного", "Тасовку определило одно секретное число"):
        expect(page.locator("#findings")).to_contain_text(words)


DROP = """(files) => {
    const dataTransfer = new DataTransfer();
    for (const [name, text] of files) dataTransfer.items.add(new File([text], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
}"""


def test_saved_page_verifies_files_offline(
    new_person: NewPerson, chromium: Browser, tmp_path: Path
) -> None:
    page = new_person().go("/audit")
    with page.expect_download() as download:
        page.click("a[download]")
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    play_games(tmp_path / "casino.db", 2)
    texts, key = receipts(tmp_path / "receipts.db")
    key_file = (tmp_path / "casino.db.pub").read_text("ascii")
    lines = list(export(tmp_path / "casino.db", "jsonl"))
    context = chromium.new_context(offline=True, locale="fr-FR")
    try:
        alone = context.new_page()
        asked: list[str] = []
        alone.on("request", lambda request: asked.append(request.url))
        alone.on("console", lambda said: asked.append(said.text))
        alone.goto(saved.as_uri())
        good = [
            ("games.jsonl", "".join(export(tmp_path / "casino.db", "egr"))),
            ("export.jsonl", "".join(lines)),
            ("casino.db.pub", key_file),
        ]
        alone.evaluate(DROP, good)
        expect(alone.locator(".verdict.good")).to_have_count(2)
        expect(alone.locator("#key")).to_have_value(key_file.strip())
        expect(alone.locator("#reports")).to_contain_text("C’est le journal de la clé")
        alone.evaluate(DROP, [("bet.tlog-proof", texts[0]), ("casino.db.pub", key)])
        expect(alone.locator(".verdict.good")).to_have_count(3)
        alone.evaluate(DROP, [("export.jsonl", "".join([*lines[:5], *lines[6:]]))])
        expect(alone.locator(".verdict.bad")).to_have_count(1)
        assert asked == [saved.as_uri()]
    finally:
        context.close()
