"""What a table's full and public states have in common: all but the secrets of the running game.

Settings, the seat, bets, contributions and the end of betting are public. In the public state, the
hidden cards of the deal are unknown ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from msgspec import Struct
from msgspec.structs import replace

from casino.betting import NO_COVER, Bet, Book, Closing, Cover, close, lock, with_bet
from casino.ecarte import CHALLENGER, Deal, Game, Laws, after_deal, new_game
from casino.events import factories, types
from casino.events.types import SIDES, BookLocked, Event, GameOpened
from casino.table.domain.poule import PouleState, fold_poule
from casino.table.domain.settings import PlannedSettings, TableSettings, from_event, settings_at


class Commitment(NamedTuple):
    """Commitment to a contribution, numbered from 1 in each game."""

    number: int
    player: str
    seal: str


class StateBase(Struct, frozen=True):
    """An immutable state, with the same methods as a named tuple."""

    def _replace(self, **changes: Any) -> Self:
        return replace(self, **changes)


class GameBase(StateBase, frozen=True):
    """A running game; its seat is `abandoned` by a challenger who left or ran out of time.

    `cover` is what the principals offer, or can pay once the book is `locked`. `texts` lists the
    revealed contributions with their numbers.
    """

    opened: GameOpened
    laws: Laws
    book: Book
    cover: Cover
    seals: tuple[Commitment, ...] = ()
    texts: tuple[tuple[int, str], ...] = ()
    locked: BookLocked | None = None
    closing: Closing | None = None
    cut: str = ""
    game: Game | None = None
    deal: Deal | None = None
    abandoned: bool = False

    @classmethod
    def begin(cls, opened: GameOpened, rules: TableSettings) -> Self:
        """Return a game at its start, under these settings."""
        book = rules.book(opened.players.challenger)
        return cls(opened, rules.laws, book, Cover(rules.house_cover_cents, opened.cover_cents))

    @property
    def id(self) -> str:
        """Id of the game."""
        return self.opened.game

    @property
    def challenger(self) -> str:
        """Name of the player or bot in the challenger's seat."""
        return self.opened.players.challenger

    @property
    def is_bot(self) -> bool:
        """Whether the challenger is a bot."""
        return self.opened.bots.challenger is not None

    @property
    def waits_for_person(self) -> bool:
        """Whether the person in the challenger's seat is to act."""
        if self.deal is None or self.is_bot or self.abandoned:
            return False
        return self.deal.turn == CHALLENGER

    @property
    def revealed(self) -> list[int]:
        """Numbers of the revealed contributions, in order."""
        return sorted(number for number, _ in self.texts)

    @property
    def unrevealed(self) -> tuple[Commitment, ...]:
        """Commitments whose contribution has not been revealed."""
        revealed = self.revealed
        return tuple(seal for seal in self.seals if seal.number not in revealed)

    @property
    def held(self) -> Cover:
        """Cover in escrow while the book is locked but not yet closed."""
        if self.locked is None or self.closing is not None:
            return NO_COVER
        return lock(self.book, self.cover, {seal.player for seal in self.seals}).held

    def next_game(self) -> Game:
        """Return the game's score and dealer at the start of the next deal."""
        assert self.game is not None
        return self.game if self.deal is None else after_deal(self.game, self.deal)

    def seal_of(self, player: str) -> Commitment | None:
        """Return a player's commitment, or None if there is none."""
        return next((seal for seal in self.seals if seal.player == player), None)

    def close_book(self) -> Closing:
        """Close the locked book; contributions not revealed by now count as withheld."""
        withheld = {seal.player for seal in self.unrevealed}
        return close(self.book, self.cover, withheld, self.held)

    def after(self, event: Event, closing: Closing | None = None) -> Self:
        """Return the game after an event other than its cards and its end.

        `closing`, if known, is not computed.
        """
        match event:
            case types.BetAccepted():
                bet = Bet(event.order, event.player, SIDES.index(event.side), event.unit_cents)
                after = self._replace(book=with_bet(self.book, bet))
                return after if event.seal is None else after._sealed(event.player, event.seal)
            case types.CutSealed():
                return self._sealed(event.player, event.seal)
            case types.BookLocked():
                return self._replace(locked=event, cover=factories.cover_from_event(event.cover))
            case types.CutOpened():
                return self._replace(texts=(*self.texts, (event.number, event.text)))
            case types.BettingClosed():
                closing, dealer = closing or self.close_book(), SIDES.index(event.first_dealer)
                game = new_game(self.laws, dealer)
                return self._replace(book=closing.book, closing=closing, cut=event.cut, game=game)
            case types.SeatChanged(what="defaulted"):
                return self._replace(abandoned=True)
        return self

    def _sealed(self, player: str, seal: str) -> Self:
        return self._replace(seals=(*self.seals, Commitment(len(self.seals) + 1, player, seal)))


class TableBase(StateBase, frozen=True):
    """A table's settings, seat, queue and poule, and the number of its last game.

    `coming` lists settings with the first game they apply to. `holder` is the person who has the
    seat, or `""`. In a poule the person who entered keeps the seat throughout, even while two bots
    play.
    """

    rules: TableSettings
    coming: PlannedSettings = ()
    number: int = 0
    holder: str = ""
    queue: tuple[str, ...] = ()
    poule: PouleState | None = None

    @property
    def newest_settings(self) -> TableSettings:
        """The settings that were logged last, which may not apply yet."""
        return self.coming[-1][1] if self.coming else self.rules

    def after(self, event: Event) -> Self:
        """Return the table after an event; the running game is left to the subclass."""
        match event:
            case types.TermsSet():
                rules = from_event(event)
                if event.from_game <= self.number + 1:
                    return self._replace(rules=rules)
                return self._replace(coming=(*self.coming, (event.from_game, rules)))
            case types.GameOpened():
                number = game_number(event.game)
                rules, coming = settings_at(self.rules, self.coming, number)
                holder = "" if event.bots.challenger else event.players.challenger
                holder = holder if self.poule is None else self.holder
                return self._replace(rules=rules, coming=coming, number=number, holder=holder)
            case types.SeatChanged():
                holder = event.player if event.what == "seated" else self.holder
                holder = "" if event.what == "left" and event.player == holder else holder
                queue = tuple(waiting for waiting in self.queue if waiting != event.player)
                queue = (*queue, event.player) if event.what == "queued" else queue
                poule = fold_poule(self.poule, event)
                return self._replace(holder=holder, queue=queue, poule=poule)
            case types.GameOver() | types.PouleOpened() | types.PouleOver() | types.PouleVoid():
                return self._replace(poule=fold_poule(self.poule, event))
        return self


def game_number(game: str) -> int:
    """Return the number in a game's id."""
    return int(game.rpartition("-")[2])
