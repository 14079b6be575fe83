"""The replay of a game in a real browser: its review, decision by decision."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from tests.web.browser import NewPerson

TOMORROW = datetime.now(UTC) + timedelta(days=1)


def test_review_rates_each_decision_and_links_to_its_step(new_person: NewPerson) -> None:
    person = new_person()
    game = person.finished_game()
    page = person.go(f"/game/{game}")
    page.wait_for_selector("#deals a")
    page.click("#review-start")
    page.wait_for_selector("#review-told:not([hidden])")
    told = person.api(f"/api/games/{game}/review")
    for seat in ("challenger", "house"):
        page.check(f"input[name=reviewed][value={seat}]")
        mine = [one for one in told["decisions"] if one["seat"] == seat]
        rows = page.locator("#review-list li[data-step]")
        expect(rows).to_have_count(len(mine))
        dear = sum(one["cost"] >= 0.02 for one in mine)
        expect(rows.locator("small")).to_have_count(dear)
    page.check("#review-challenger")
    link = page.locator("#review-list a").last
    address = str(link.get_attribute("href"))
    link.click()
    expect(page.locator("#steps")).to_have_value(address.removeprefix("#step-"))
    expect(page.locator("#review-list [data-here]")).to_have_count(1)
    *_, last = (one for one in told["decisions"] if one["seat"] == "challenger")
    expect(page.locator("#review-choices li")).to_have_count(len(last["options"]))
    expect(page.locator("#review-choices .done")).to_have_count(1)
    deals = [str(n) for n in range(1, page.locator("#deals li").count() + 1)]
    assert page.locator("#review-curve .axis b").all_inner_texts() == deals
    expect(page.locator("#review-list [data-here]")).to_have_count(1)
    # The same decision may be taken otherwise, in practice.
    points = page.locator(".plate .points").all_inner_texts()
    page.click("#play-on")
    expect(page.locator(".plate .points")).to_have_text(points)
    page.click("#deal")
    assert last["action"] in person.until(lambda: person.state("you.legal"))


def test_a_replay_has_keys_a_link_to_each_card_and_a_speed(new_person: NewPerson) -> None:
    person = new_person()
    person.page.clock.install()
    game = person.finished_game()
    page = person.go(f"/game/{game}")
    page.wait_for_selector("#deals a")
    table, _, number = game.rpartition("-")
    assert page.inner_text("h1").startswith(f"Table {table} #{int(number)} ")
    page.keyboard.press("ArrowRight")
    page.focus("#on")
    page.keyboard.press("Enter")
    assert page.input_value("#steps") == "2"
    page.keyboard.press("End")
    assert page.is_disabled("#on") and page.is_visible("#headline")
    assert page.input_value("#steps") == page.get_attribute("#steps", "max")
    assert page.locator(".plate .kind").all_inner_texts() == ["bot", "bot"]
    page.keyboard.press("Home")
    assert page.input_value("#steps") == "0"
    assert page.locator("#speed option").count() == 4
    page.click("#deals a >> nth=0")
    page.wait_for_url("**#deal-1")
    person.go(f"/game/{game}#step-3")
    expect(page.locator("#steps")).to_have_value("3")
    page.reload()
    page.wait_for_selector("#deals a")
    expect(page.locator("#steps")).to_have_value("3")
    page.keyboard.press("Home")
    # From here on the page's time goes on only as the test lets it.
    page.clock.pause_at(TOMORROW)
    page.select_option("#speed", "0.5")
    page.click("#run")
    page.select_option("#speed", "4")
    expect(page.locator("#steps")).to_have_value("0")
    # At half speed a step takes longer than this.
    page.clock.run_for(2_000)
    expect(page.locator("#steps")).to_have_value("6")
