"""Leader boards, a player's page and the statistics in a real browser."""

from __future__ import annotations

from playwright.sync_api import expect

from casino.web.i18n import LANGUAGES
from tests.web.browser import PHONE, NewPerson
from tests.web.test_browser_table import bet


def test_a_board_leads_to_a_player_the_games_and_the_statistics(new_person: NewPerson) -> None:
    backer = new_person(chance="a winner")
    backer.enter("Backer", "quick")
    game = backer.skip_to_settlement(bet(backer, "challenger", 2))
    assert game["result"]["winner"] == "challenger", "with these cards"
    backer.until(lambda: backer.api(f"/api/players/{backer.name}")["ok"])
    page = backer.go("/leaders")
    page.locator("#backers a", has_text=backer.name).click()
    page.wait_for_url(f"**/player/{backer.name}")
    told = backer.api(f"/api/players/{backer.name}")
    rows = page.locator("#last tr:visible")
    expect(rows).to_have_count(len(told["last"]))
    assert page.locator("#record").is_hidden()
    words = page.inner_text("#tiles")
    won, lost = told["backed"]["won"], told["backed"]["lost"]
    assert f"{won} of {won + lost}" in words
    assert page.inner_text("#over").startswith(f"{won + lost} game")
    for part, value, count in (
        *(("#came", "won", won), ("#came", "lost", lost), ("#came", "", won + lost)),
        *(("#how", "played", 0), ("#how", "backed", won + lost)),
    ):
        page.select_option(part, value)
        expect(rows).to_have_count(count)
    page.locator("#last a").first.click()
    expect(page.locator("#settled a", has_text=backer.name)).to_have_count(1)
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    room = "document.querySelector('#last').closest('.scroll')"
    for language in LANGUAGES:
        backer.go(f"/player/{backer.name}?lang={language}").wait_for_selector("#last tr")
        assert page.evaluate(f"{room}.scrollWidth <= {room}.clientWidth"), language
        result = page.locator("#last tr").first.locator("td").last.bounding_box()
        assert result and result["x"] + result["width"] <= PHONE[0], language

    with page.expect_response("**/api/statistics") as answer:
        backer.go("/stats?lang=en")
    page.wait_for_selector("#told:not([hidden])")
    assert page.locator("#pairs .span").count() >= 1
    assert page.locator("#scores tr").count() >= 1
    assert page.locator("#stakes li").count() == 3
    assert page.locator("#course polyline").count() == 1
    assert page.inner_text("#course small") == "50%"
    half, curve = (page.locator(f"#course {one}").bounding_box() for one in ("small", "svg"))
    assert half and curve and half["x"] + half["width"] <= curve["x"], "the curve hides no figure"
    told = answer.value.json()
    share = told["course"][-1][1] / told["games"]
    # The page rounds halves up, Python to even.
    assert page.inner_text("#course b") == f"{int(100 * share + 0.5)}%"
