"""Check that chips are issued only under a grant policy stated in the log (L18).

Chips are issued to the house's bank, to each new player (once), to players who have run out, to
bots that cannot pay their stake, and to simulated bettors. Balances are carried over from an older
log only at the very beginning of its successor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from casino.audit.report import WARNING, Finding
from casino.events.types import GrantTerms, TermsSet
from casino.ledger.accounts import HOUSE_BANK, TREASURY
from casino.ledger.entries import WALLET, Entry, LogOpened

STAR: Final = "*"  # in the names of simulated bettors only

OPENING: Final = "opening chips"
BOTS_CHIPS: Final = "a bot's chips"
SPECTATORS_CHIPS: Final = "spectator"
REFILL: Final = "refill"
RESTORED: Final = "restored"


class Grant(NamedTuple):
    """Chips issued to an account.

    `sum_cents` is the account's net change in this range, including the grant. For a refill it
    also includes the change of the player's chips in escrow.
    """

    leaf: int
    entry: int
    at: int
    account: str
    cents: int
    reason: str
    sum_cents: int


class GrantPolicyChange(NamedTuple):
    """A grant policy and the leaf that puts it into force."""

    leaf: int
    terms: GrantTerms


Issued: TypeAlias = Grant | GrantPolicyChange | LogOpened


def grants_of(number: int, entry: Entry, sums: Mapping[str, Sequence[int]]) -> Iterator[Grant]:
    """Yield a grant for each account that a grant entry credits."""
    for account, cents in entry.postings:
        if account != TREASURY:
            reason, total = entry.reason or "", sums[account][0]
            if reason == REFILL:
                total += sum(change[0] for name, change in sums.items() if _is_risk(name, account))
            yield Grant(number, entry.entry, entry.at, account, cents, reason, total)


def _is_risk(account: str, wallet: str) -> bool:
    return account.startswith("escrow/") and account.endswith(f"/{wallet.removeprefix(WALLET)}")


class GrantsCheck:
    """Check of all grants, in log order."""

    def __init__(self) -> None:
        self.terms: GrantTerms | None = None
        self.follows = False
        self.issued_once: set[tuple[str, str]] = set()
        self.refilled: dict[str, int] = {}

    def check_range(
        self,
        issued: Iterable[Issued],
        balances: Mapping[str, int],
        tables: Sequence[tuple[int, TermsSet]],
    ) -> Iterator[Finding]:
        """Check the grants and policy changes of a range, given the balances before that range.

        `tables` lists the settings of all tables, each with the number of its leaf.
        """
        for grant in issued:
            if isinstance(grant, GrantPolicyChange):
                yield from self._changed(grant)
            elif isinstance(grant, LogOpened):
                self.follows = grant.after is not None
            else:
                held_cents = balances.get(grant.account, 0) + grant.sum_cents
                if grant.reason == REFILL:
                    held_cents += sum(
                        cents for name, cents in balances.items() if _is_risk(name, grant.account)
                    )
                wrong = self._wrong(grant, held_cents, tables)
                if wrong:
                    text = f"{grant.cents} cents are granted to {grant.account}, but {wrong}"
                    yield Finding("grants", text, grant.leaf, entry=grant.entry)

    def _changed(self, laid: GrantPolicyChange) -> Iterator[Finding]:
        before, self.terms = self.terms, laid.terms
        if before is None:
            return
        changes = [
            f"{name} {was} to {now}"
            for name in laid.terms.__struct_fields__
            if name != "at" and (was := getattr(before, name)) != (now := getattr(laid.terms, name))
        ]
        # The house may change its policy at any time, but not unseen.
        if changes:
            text = f"the house changes what it issues: {', '.join(changes)}"
            yield Finding("grants", text, laid.leaf, severity=WARNING)

    def _wrong(self, grant: Grant, held_cents: int, tables: Sequence[tuple[int, TermsSet]]) -> str:
        terms, name = self.terms, grant.account.removeprefix(WALLET)
        if grant.reason == RESTORED:
            if terms is not None or not self.follows:
                return "only a log that follows another one carries chips over, and at once"
            return self._once(grant, "chips are carried over once")
        if terms is None:
            return "no leaf says yet what the house issues"
        if grant.reason == OPENING:
            is_bank = grant.account == HOUSE_BANK
            expected = terms.bank_cents if is_bank else terms.opening_cents
            if grant.cents != expected:
                return f"opening chips are {expected} cents"
            return self._once(grant, "opening chips are given once")
        if grant.account == HOUSE_BANK:
            return "the house's bank is issued nothing but its opening chips"
        if grant.reason == REFILL:
            return self._refill(grant, terms, held_cents)
        if grant.reason == SPECTATORS_CHIPS:
            if STAR not in name:
                return f"a simulated spectator has a {STAR} in the name"
            most = terms.spectator_cents
            return "" if grant.cents <= most else f"a spectator is granted at most {most} cents"
        if grant.reason == BOTS_CHIPS:
            if (OPENING, grant.account) in self.issued_once or grant.account in self.refilled:
                return "the account is a player's"
            # Only settings logged before the grant can justify it.
            its = [
                terms_set
                for n, terms_set in tables
                if terms_set.challenger == name and n < grant.leaf
            ]
            return _bots(grant, held_cents, its)
        return f"{grant.reason or 'nothing'!r} is no reason to grant any"

    def _once(self, grant: Grant, rule: str) -> str:
        key = (grant.reason, grant.account)
        if key in self.issued_once:
            return rule
        self.issued_once.add(key)
        return ""

    def _refill(self, grant: Grant, terms: GrantTerms, held_cents: int) -> str:
        last_at = self.refilled.get(grant.account)
        self.refilled[grant.account] = grant.at
        if held_cents > terms.refill_cents:
            return f"a refill is up to {terms.refill_cents} cents, not {held_cents}"
        if last_at is not None and grant.at < last_at + terms.refill_ms:
            return f"it had a refill {grant.at - last_at} ms before, not {terms.refill_ms}"
        return ""

    def check_bettors(self, bettors: Mapping[str, int]) -> Iterator[Finding]:
        """Check that every bettor has an account; `bettors` maps names to leaves of first bets."""
        for name, number in bettors.items():
            is_opened = STAR in name or (OPENING, WALLET + name) in self.issued_once
            # A successor log carries over balances, but not the accounts without chips.
            if not (is_opened or self.follows):
                text = f"{name} bets, but no account was opened under this name"
                yield Finding("grants", text, number)


def _bots(grant: Grant, held_cents: int, terms: Sequence[TermsSet]) -> str:
    for terms_set in terms:
        stake_cents = 3 * terms_set.stake_cents
        lacks = held_cents - grant.cents < stake_cents
        if lacks and grant.cents == max(terms_set.refill_cents, stake_cents):
            return ""
    if not terms:
        return "no table's terms name such a bot"
    return "its table's terms say another sum, or it could pay its stake"
