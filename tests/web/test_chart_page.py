"""The hand chart: as JSON, as a CSV file, and on its page in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from casino.errors import Refused
from casino.solver.evaluation.hand_chart import CLASSES, lookup
from tests.web.browser import NEXT_FRAME, NewPerson
from tests.web.server import Server, Visit, fetch


def test_chart_api_returns_the_charts_entry(visit: Visit) -> None:
    told = visit().get("/api/chart?hand=7HKCQCJC7S&turn_up=8H")
    assert told == {"ok": True, **lookup("7HKCQCJC7S", "8H")}


@pytest.mark.parametrize("query", ["", "?hand=7H&turn_up=8H", "?hand=7HKCQCJC7S&turn_up=7S"])
def test_invalid_hand_is_refused(visit: Visit, query: str) -> None:
    with pytest.raises(Refused) as refusal:
        visit().get(f"/api/chart{query}")
    assert (refusal.value.code, refusal.value.reason) == ("unknown_hand", "not_a_hand")


def test_chart_csv_lists_every_class_and_can_be_gzipped(server: Server) -> None:
    plain = fetch(server.url, "/chart.csv")
    assert "ecarte-chart.csv" in plain.headers["Content-Disposition"]
    packed = fetch(server.url, "/chart.csv", Accept_Encoding="gzip")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.body) < len(plain.body) / 4
    lines = plain.text.splitlines()
    assert len(lines) == CLASSES + 1
    assert len({line.count(",") for line in lines}) == 1


def test_a_hand_is_chosen_card_by_card(new_person: NewPerson) -> None:
    person = new_person()
    page = person.go("/chart")
    page.wait_for_selector("#told:not([hidden])")
    assert page.inner_text("#share") == "67.99%"
    page.click("#clear")
    page.select_option("#turn-up", "9C")
    for card in ("8C", "7C", "9H", "8H", "7H"):
        page.click(f"#pack [data-card='{card}']")
    person.until(lambda: "47,768 of 65,780" in page.inner_text("#share-words"))
    assert page.url.endswith("#8C7C9H8H7H-9C")
    assert page.locator("#pack [aria-pressed=true]").count() == 5
    assert page.locator("#pack [data-card='9C']").is_disabled()
    assert page.locator("#grid td").count() == 25
    proposes = page.locator("#grid").inner_text()
    page.check("#role-dealer")
    told = lookup("8C7C9H8H7H", "9C")
    wins = sum(told["dealer"][3:])
    assert f"{wins:,} of 65,780" in page.inner_text("#share-words")
    assert page.locator("#grid").inner_text() != proposes
    page.go_back()
    person.until(lambda: page.input_value("#turn-up") == "8H")
    # A dealer who turns a king has a point: the first column is empty.
    person.go("/chart#8C7C9H8H7H-KC")
    page.reload()
    page.wait_for_selector("#told:not([hidden])")
    assert page.locator("#grid td.none").count() == 5
    # An answer that comes late does not take the chosen hand away.
    held: list[Route] = []
    person.go("/chart").wait_for_selector("#told:not([hidden])")
    page.route("**/api/chart?*", lambda route: held.append(route))
    page.click(".wrong a >> nth=1")
    person.until(lambda: len(held) == 1)
    page.click(".wrong a >> nth=0")
    person.until(lambda: len(held) == 2)
    held[1].continue_()
    expect(page.locator("#share")).to_have_text("48.33%")
    with page.expect_request_finished(lambda request: request == held[0].request):
        held[0].continue_()
    page.evaluate(NEXT_FRAME)
    assert page.inner_text("#share") == "48.33%"
