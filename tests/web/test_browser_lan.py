"""A casino on the local network over plain HTTP, where browsers offer pages less."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from casino.cli.host.run import lan_address
from tests.web import browser
from tests.web.browser import Person
from tests.web.server import Server
from tests.web.test_browser_table import bet, copied_receipt

PLAIN = """() => !isSecureContext && !crypto.subtle && !crypto.randomUUID && !navigator.clipboard"""
# Record the messages about the own part of the shuffle, which a fast table soon removes.
RECORD_CUT_STATE = """() => {
    globalThis.saidOfCut = [];
    const box = document.getElementById("cut-state");
    new MutationObserver(() => saidOfCut.push(box.textContent))
        .observe(box, { childList: true, characterData: true, subtree: true });
}"""
COUNTED = "Your part of the shuffle counted: no one foresaw these cards."
TABLES = {name: browser.TABLES[name] for name in ("quick", "open")}


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a casino at the address that it prints for the local network."""
    if lan_address() == "127.0.0.1":
        pytest.skip("this machine has no address but its own")
    folder = tmp_path_factory.mktemp("network")
    with browser.casino(folder, TABLES, host=lan_address()) as opened:
        yield opened


@pytest.fixture
def person(chromium: Browser, network: Server) -> Iterator[Person]:
    """Open a browser as elsewhere in the network, with only what plain HTTP allows."""
    found = Person(chromium, network, reduced_motion="reduce")
    found.go("/")
    assert "127.0.0.1" not in network.url
    assert found.page.evaluate(PLAIN)
    yield found
    found.context.close()
    assert found.faults == []


def test_bet_receipt_and_game_are_verified_over_plain_http(person: Person) -> None:
    person.enter("Lan", "quick")
    person.page.evaluate(RECORD_CUT_STATE)
    game = bet(person, "house", 2)
    person.play_until(lambda: COUNTED in person.page.evaluate("saidOfCut"))
    person.skip_to_settlement(game)
    person.until(lambda: person.api(f"/api/games/{game}")["ok"])
    page = person.go(f"/audit?game={game}")
    page.wait_for_selector("#verdict-line.good")
    assert page.locator("#findings .bad").count() == 0
    receipt = copied_receipt(person)
    page = person.go("/audit")
    page.fill("#receipt-text", receipt)
    page.click("#receipt-form button")
    said = re.compile("^✓.* This browser cannot check the signature.$")
    expect(page.locator("#receipt-said")).to_have_text(said)
