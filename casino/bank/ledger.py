"""Where a cent may move: the accounts, and the few balanced entries there are.

An entry is made by one of the moves below and by nothing else, and an entry that does not sum
to 0 cannot be made. Which account may fall below 0 is said once, in `may_be_negative`.

>>> hold("t1-000001", {"ann": 3000}).postings
(('escrow/t1-000001/ann', 3000), ('wallet/ann', -3000))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from casino.bank.leaves import GREATEST
from casino.errors import InvariantBroken, Refused

Account: TypeAlias = str
Posting: TypeAlias = tuple[Account, int]

TREASURY: Final = "treasury"
HOUSE: Final = "house"
HOUSE_BANK: Final = "house/bank"
COMMISSION: Final = "house/commission"
MOVES: Final = ("grant", "hold", "release", "settle", "void", "correct")
LONGEST_NAME: Final = 40


class Entry(NamedTuple):
    """One balanced transaction: what kind of move, its postings, and what it is about."""

    move: str
    postings: tuple[Posting, ...]
    game: str = ""
    reason: str = ""
    corrects: int = 0


def wallet(player: str) -> Account:
    """What a player has at hand; the house's is its bank."""
    return HOUSE_BANK if player == HOUSE else f"wallet/{player}"


def escrow(game: str, player: str) -> Account:
    """What a player has at risk in a game."""
    return f"escrow/{game}/{player}"


def may_be_negative(account: Account) -> bool:
    """Only the treasury owes: its balance is what the casino has issued."""
    return account == TREASURY


def check_name(player: str) -> None:
    """Refuse a name that cannot be an account's: it would be another account, or none."""
    if not 0 < len(player) <= LONGEST_NAME or not player.isprintable() or player != player.strip():
        raise Refused("bad_request", f"a name has 1 to {LONGEST_NAME} printed characters")
    if "/" in player or player == HOUSE:
        raise Refused("bad_request", f"the name {player!r} may not be used: no / and not house")


def grant(player: str, cents: int, reason: str = "") -> Entry:
    """Chips issued to a player, or to the house, by the treasury."""
    return _moved("grant", {TREASURY: {wallet(player): _positive(cents)}}, reason=reason)


def hold(game: str, amounts: Mapping[str, int]) -> Entry:
    """What players put at risk, from their wallets into the game's escrow."""
    flows = {wallet(who): {escrow(game, who): _positive(cents)} for who, cents in amounts.items()}
    return _moved("hold", flows, game)


def release(game: str, amounts: Mapping[str, int]) -> Entry:
    """What goes back before a game is decided, from escrow into wallets."""
    flows = {escrow(game, who): {wallet(who): _positive(cents)} for who, cents in amounts.items()}
    return _moved("release", flows, game)


def void(game: str, held: Mapping[str, int], reason: str) -> Entry:
    """All that is in a game's escrow goes back, because the game does not count."""
    flows = {escrow(game, who): {wallet(who): _positive(cents)} for who, cents in held.items()}
    return _moved("void", flows, game, reason)


def settle(
    game: str, held: Mapping[str, int], paid: Mapping[str, int], commission_cents: int
) -> Entry:
    """The one entry of a decided game: all its escrow is emptied, `paid` and commission take it."""
    postings = [(escrow(game, who), -_positive(cents)) for who, cents in held.items()]
    postings += [(wallet(who), cents) for who, cents in paid.items()]
    postings += [(COMMISSION, commission_cents)]
    if min(paid.values(), default=0) < 0 or commission_cents < 0:
        raise InvariantBroken(f"game {game}: nobody can be paid less than nothing")
    return _entry("settle", postings, game)


def correct(number: int, wrong: Iterable[Posting], reason: str, game: str = "") -> Entry:
    """The counter-entry of entry `number`: nothing is changed, what was wrong is undone."""
    postings = [(account, -cents) for account, cents in wrong]
    return _entry("correct", postings, game, reason, number)


def entry_leaf(number: int, entry: Entry) -> dict[str, Any]:
    """The fields of an entry's leaf; those that say nothing are left out."""
    leaf: dict[str, Any] = {
        "entry": number,
        "move": entry.move,
        "postings": [[account, cents] for account, cents in entry.postings],
    }
    if entry.game:
        leaf["game"] = entry.game
    if entry.reason:
        leaf["reason"] = entry.reason
    if entry.corrects:
        leaf["corrects"] = entry.corrects
    return leaf


class Balances:
    """Balances with changes of one's own on top, to be adopted or forgotten together.

    >>> balances = Balances({"wallet/ann": 50}.get)
    >>> balances.post(hold("t1-000001", {"ann": 60}))
    Traceback (most recent call last):
        ...
    casino.errors.Refused: wallet/ann holds 50 cents, but 60 are needed
    """

    def __init__(self, below: Callable[[Account], int | None]) -> None:
        self.changed: dict[Account, int] = {}
        self._below = below

    def of(self, account: Account) -> int:
        """The balance of an account; one that nothing has moved on has 0."""
        found = self.changed.get(account)
        return (self._below(account) or 0) if found is None else found

    def post(self, entry: Entry) -> None:
        """Move what an entry moves, all of it or, if an account lacks the chips, nothing."""
        after = {}
        for account, cents in entry.postings:
            after[account] = self.of(account) + cents
            if after[account] < 0 and not may_be_negative(account):
                _refuse(account, self.of(account), cents)
        self.changed.update(after)


def _refuse(account: Account, balance: int, cents: int) -> None:
    """Say that an account lacks the chips: a wallet may, an escrow or the house's pot may not."""
    text = f"{account} holds {balance} cents, but {-cents} are needed"
    if account == COMMISSION or account.startswith("escrow/"):
        raise InvariantBroken(text)
    raise Refused("insufficient_chips", text)


def _moved(
    move: str, flows: Mapping[Account, Mapping[Account, int]], game: str = "", reason: str = ""
) -> Entry:
    """An entry made of flows, each from one account to others: it balances by its form."""
    postings = []
    for source, targets in flows.items():
        for target, cents in targets.items():
            postings += [(source, -cents), (target, cents)]
    return _entry(move, postings, game, reason)


def _entry(
    move: str, given: Iterable[Posting], game: str = "", reason: str = "", corrects: int = 0
) -> Entry:
    """An entry, its postings one for each account, in order of their names."""
    sums: dict[Account, int] = {}
    for account, cents in given:
        sums[account] = sums.get(account, 0) + cents
    postings = tuple(sorted((account, cents) for account, cents in sums.items() if cents))
    if len(postings) < 2 or sum(cents for _, cents in postings) != 0:
        raise InvariantBroken(f"{move} {game}: the postings do not balance: {postings}")
    return Entry(move, postings, game, reason, corrects)


def _positive(cents: int) -> int:
    """An amount that can be moved: a whole number of cents above 0."""
    if type(cents) is not int or not 0 < cents <= GREATEST:
        raise InvariantBroken(f"{cents!r} is no amount of cents that can be moved")
    return cents
