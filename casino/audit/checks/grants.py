"""Check that chips are issued only under a grant policy stated in the log (L18).

Chips are issued to the house's bank, to each new player (once), to players who have run out, to
bots that cannot pay their stake, and to simulated bettors. Balances are carried over from an older
log only at the very beginning of its successor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from casino.audit.check import STAR, WARNING, Check, Finding, count_cents
from casino.audit.checks.ledger import LedgerCheck
from casino.audit.checks.table_rules import TableRulesCheck
from casino.events.types import BetAccepted, GrantTerms, TermsSet
from casino.ledger.accounts import HOUSE_BANK, TREASURY
from casino.ledger.entries import WALLET, Entry, LogOpened

OPENING: Final = "opening chips"
BOTS_CHIPS: Final = "a bot's chips"
SPECTATORS_CHIPS: Final = "spectator"
REFILL: Final = "refill"
RESTORED: Final = "restored"


class GrantsCheck(Check):
    """Check of all grants, run after the ledger's check so that the balances include them.

    `terms` are in force, and `follows` is set if the log succeeds an older one. `refilled` maps
    each account to its last refill's time; `bettors` have bet before.
    """

    name = "grants"

    terms: GrantTerms | None
    follows: bool
    issued_once: set[tuple[str, str]]
    refilled: dict[str, int]
    bettors: set[str]

    def __init__(self, ledger: LedgerCheck, rules: TableRulesCheck) -> None:
        self.terms, self.follows = None, False
        self.issued_once, self.refilled, self.bettors = set(), {}, set()
        self._ledger = ledger
        self._rules = rules
        self.handlers = {
            LogOpened: self._opened,
            GrantTerms: self._changed,
            Entry: self._granted,
            BetAccepted: self._bet,
        }

    def _opened(self, _: int, leaf: LogOpened) -> tuple[()]:
        self.follows = leaf.after is not None
        return ()

    def _granted(self, number: int, entry: Entry) -> Iterable[Finding]:
        if entry.move != "grant":
            return ()
        findings = []
        for account, cents in entry.postings:
            if account == TREASURY:
                continue
            wrong = self._wrong(entry, account, cents)
            if wrong:
                text = f"{count_cents(cents)} granted to {account}, but {wrong}"
                findings.append(Finding(self.name, text, number, entry=entry.entry))
        return findings

    def _changed(self, number: int, terms: GrantTerms) -> Iterator[Finding]:
        before, self.terms = self.terms, terms
        if before is None:
            return
        changes = [
            f"{name} {was} to {now}"
            for name in terms.__struct_fields__
            if name != "at" and (was := getattr(before, name)) != (now := getattr(terms, name))
        ]
        # The house may change its policy at any time, but not unseen.
        if changes:
            text = f"the house changes its grants: {', '.join(changes)}"
            yield Finding(self.name, text, number, severity=WARNING)

    def _bet(self, number: int, leaf: BetAccepted) -> Iterable[Finding]:
        player = leaf.player
        if player in self.bettors:
            return ()
        self.bettors.add(player)
        is_opened = STAR in player or (OPENING, WALLET + player) in self.issued_once
        # A successor log carries over balances, but no record of empty accounts.
        if is_opened or self.follows:
            return ()
        text = f"{player} bets, but no account was opened under this name"
        return [Finding(self.name, text, number)]

    def _wrong(self, entry: Entry, account: str, cents: int) -> str:
        terms, reason, name = self.terms, entry.reason, account.removeprefix(WALLET)
        if reason == RESTORED:
            if terms is not None or not self.follows:
                return "only a log that replaces another carries chips over, at its start"
            return self._once(reason, account, "chips are carried over only once")
        if terms is None:
            return "no leaf before it says what the house grants"
        if reason == OPENING:
            expected = terms.bank_cents if account == HOUSE_BANK else terms.opening_cents
            if cents != expected:
                return f"opening chips are {count_cents(expected)}"
            return self._once(reason, account, "opening chips are granted only once")
        if account == HOUSE_BANK:
            return "the house's bank gets only its opening chips"
        if reason == REFILL:
            return self._refill(entry.at, account, terms)
        if reason == SPECTATORS_CHIPS:
            if STAR not in name:
                return f"a simulated spectator has a {STAR} in the name"
            most = terms.spectator_cents
            return "" if cents <= most else f"a spectator gets at most {count_cents(most)}"
        if reason == BOTS_CHIPS:
            if (OPENING, account) in self.issued_once or account in self.refilled:
                return "the account belongs to a player"
            # Only settings logged before the grant can justify it.
            laid_down = chain.from_iterable(self._rules.laid_down.values())
            its = [terms_set for terms_set in laid_down if terms_set.challenger == name]
            return _bots(cents, self._ledger.balances.get(account, 0), its)
        return f"{reason or 'nothing'!r} is not a reason to grant any"

    def _once(self, reason: str, account: str, rule: str) -> str:
        if (reason, account) in self.issued_once:
            return rule
        self.issued_once.add((reason, account))
        return ""

    def _refill(self, at: int, account: str, terms: GrantTerms) -> str:
        last_at = self.refilled.get(account)
        self.refilled[account] = at
        at_risk_cents = self._ledger.at_risk(account.removeprefix(WALLET))
        held_cents = self._ledger.balances.get(account, 0) + at_risk_cents
        if held_cents > terms.refill_cents:
            return f"a refill tops up to {terms.refill_cents} cents, not {held_cents}"
        if last_at is not None and at < last_at + terms.refill_ms:
            return f"the last refill was {at - last_at} ms before, not {terms.refill_ms}"
        return ""


def _bots(cents: int, held_cents: int, terms: Sequence[TermsSet]) -> str:
    for terms_set in terms:
        stake_cents = 3 * terms_set.stake_cents
        lacks = held_cents - cents < stake_cents
        if lacks and cents == max(terms_set.refill_cents, stake_cents):
            return ""
    if not terms:
        return "no table's terms name such a bot"
    return "its table's terms give another sum, or it could still pay its stake"
