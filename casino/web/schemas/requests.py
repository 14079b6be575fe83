"""Pydantic models for requests; an invalid one is refused as `bad_request`."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from casino.config import MIN_PASSWORD_LENGTH
from casino.config_tables import Pace, Preset, TableOrder
from casino.errors import RefusalReason, Refused
from casino.table.domain.commands import LimitKey
from casino.table.domain.poule import MAX_ENTRANTS, MIN_ENTRANTS

MAX_CENTS: Final = 10**12

NO_FIELDS: Final = RefusalReason("no_fields", "bad_request", "send one JSON object with the fields")
FIELD_MISSING: Final = RefusalReason("field_missing", "bad_request", "{field} is missing: add it")
FIELD_UNKNOWN: Final = RefusalReason("field_unknown", "bad_request", "{field} is unknown: omit it")
NUMBER_TOO_GREAT: Final = RefusalReason(
    "number_too_great", "bad_request", "{field} is too large: send {most} or less"
)
NUMBER_TOO_SMALL: Final = RefusalReason(
    "number_too_small", "bad_request", "{field} is too small: send {least} or more"
)
BAD_FIELD: Final = RefusalReason("bad_field", "bad_request", "{field} {wanted}")

# Ids of the chat phrases; each page has their text in its language.
Phrase: TypeAlias = Literal[
    "applause", "well_played", "good_luck", "what_luck", "hard_luck", "close_one", "thanks"
]


def _as_whole(number: object) -> object:
    """Return 5 for 5.0, which JSON does not distinguish."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


WHOLE: Final = BeforeValidator(_as_whole)
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=40)]
GivenPassword: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
RequestId: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$")]
Token: TypeAlias = Annotated[str, Field(min_length=1, max_length=16)]  # of an action
GameName: TypeAlias = Annotated[str, Field(min_length=1, max_length=60)]
Cents: TypeAlias = Annotated[int, Field(ge=-MAX_CENTS, le=MAX_CENTS), WHOLE]
Seal: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Version: TypeAlias = Annotated[int, Field(ge=0, le=2**53), WHOLE]


class Payload(BaseModel):
    """Base class of all messages, which refuses unknown fields and coerces no values."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class OfTable(Payload):
    """A message about a table; `leave` is one without further fields."""

    table: Name


class Join(OfTable):
    """Follow a table, from a snapshot or from the version last seen.

    With `preview`, as the lobby does, the connection is not counted as watching the table.
    """

    since: Version | None = None
    preview: bool = False


class LeaveSeat(OfTable):
    """Leave the seat or its queue; if `game` is given, even as "", give up no other game."""

    game: Annotated[str, Field(max_length=60)] | None = None


class Start(OfTable):
    """Close betting early, which the challenger may do while there are no bets (G1)."""

    game: GameName


class TakeSeat(OfTable):
    """Take the challenger's seat or queue for it, offering `cover_cents` to match bettors.

    A program sets `remote_bot`.
    """

    cover_cents: Cents = 0
    remote_bot: bool = False


class Cut(OfTable):
    """Commit to a contribution to a game's shuffle (for the challenger)."""

    game: GameName
    seal: Seal


class OpenCut(OfTable):
    """Reveal a contribution, once the client has verified that the book is locked."""

    game: GameName
    text: Annotated[str, Field(max_length=64)]


class PlaceBet(OfTable):
    """Place a bet; a message with the same `bet_id` and content is a retry.

    A player's first bet on a game also commits to a contribution, with `seal`.
    """

    game: GameName
    bet_id: RequestId
    side: Literal["house", "challenger"]
    unit_cents: Cents
    seal: Seal | None = None


class Act(OfTable):
    """Play `action`, a game-record token chosen when the table was at `version`."""

    version: Version
    action: Token


class Say(OfTable):
    """Send a chat phrase to everyone who watches a table."""

    phrase: Phrase


class Practise(Payload):
    """A practice game: its number, chosen by the browser, and all of the player's actions.

    `house` is the opposing bot, or "" for the table's own. If `game` is set, practice begins after
    `step` actions of that finished game. The response contains the messages after version `since`,
    or the whole game if `since` is null.
    """

    number: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    house: Annotated[str, Field(max_length=40)] = ""
    actions: Annotated[list[Token], Field(max_length=600)]
    game: Annotated[str, Field(max_length=60)] = ""
    step: Annotated[int, Field(ge=0, le=2_000), WHOLE] = 0
    since: Version | None = None


class HostLaws(Payload):
    """The laws that a host may choose, as in the settings; null leaves a law as it is."""

    play: Literal["strict", "ordinary"] | None = None
    vole_unexchanged: Literal[1, 2] | None = None
    deal: Literal["alternate", "house"] | None = None
    first_dealer: Literal["cut", "loser", "house", "challenger"] | None = None
    gallery_stakes: Literal["game", "single"] | None = None
    matching: Literal["pro_rata", "last_in_first_out"] | None = None


class ChangeTable(Payload):
    """A host's settings for a table; null keeps the preset's value, or the table's current one.

    The challenger `nobody` leaves the seat to people.
    """

    house: Name | None = None
    challenger: Name | None = None
    target: Literal[5, 7, 11] | None = None
    laws: HostLaws | None = None
    stake_cents: Cents | None = None
    min_bet_cents: Cents | None = None
    max_bet_cents: Cents | None = None
    pace: Pace | None = None

    def order(self) -> TableOrder:
        """Return the host's order for a table, without the request's `table_id`."""
        return TableOrder(**self.model_dump(exclude={"table_id"}, exclude_none=True))


class OpenTable(ChangeTable):
    """Open a table; the same `table_id` and content is a retry. `games` is 0 for a lasting table.

    `poule` is the number of entrants of every poule at the table; `wins` is one fewer by default. A
    table that `replaces` another of the host has its settings, changed, and the other one closes.
    """

    table_id: RequestId
    preset: Preset = "quick"
    spectators: Annotated[int, Field(ge=0, le=10_000), WHOLE] | None = None
    games: Annotated[int, Field(ge=0, le=100_000), WHOLE] = 0
    audience: Literal["public", "link"] = "public"
    poule: Annotated[int, Field(ge=MIN_ENTRANTS, le=MAX_ENTRANTS), WHOLE] | None = None
    entry_cents: Annotated[int, Field(ge=1, le=MAX_CENTS), WHOLE] | None = None
    wins: Annotated[int, Field(ge=2, le=MAX_ENTRANTS - 1), WHOLE] | None = None
    replaces: Name | None = None


class OrderGames(Payload):
    """Have bots play games at the player's table, without pauses."""

    games: Annotated[int, Field(ge=1, le=100_000), WHOLE]


class Enter(Payload):
    """Sign in; an account with a password can also be used from other browsers.

    `code` becomes the recovery code of a new account, and opens it while it has no password.
    """

    name: Name
    password: GivenPassword | None = None
    code: Annotated[str, Field(pattern=r"^recover-[0-9a-f]{32}$")] | None = None


class Password(Payload):
    """Change the player's password; `password` is the current one, if there is one."""

    password: GivenPassword | None = None
    new_password: Annotated[str, Field(min_length=MIN_PASSWORD_LENGTH, max_length=200)]


class SetLimit(Payload):
    """Set one of the player's own limits; see `casino.player_limits`."""

    key: LimitKey
    value: Annotated[int, Field(ge=0, le=2**53 - 1), WHOLE]


P = TypeVar("P", bound=Payload)


def parse(kind: type[P], payload: Any) -> P:
    """Validate a client's message; raise `Refused`, naming the first invalid field.

    Bytes are parsed as JSON.

    >>> parse(OrderGames, b'{"games": 5.0}').games
    5
    """
    validate = kind.model_validate_json if isinstance(payload, bytes) else kind.model_validate
    try:
        return validate(payload)
    except ValidationError as error:
        raise _refusal(error.errors()[0]) from None


def _refusal(fault: ErrorDetails) -> Refused:
    field = ".".join(str(step) for step in fault["loc"])
    match fault["type"]:
        case "missing":
            return Refused(FIELD_MISSING, field=field)
        case "extra_forbidden":
            return Refused(FIELD_UNKNOWN, field=field[:40])
        case "less_than_equal":
            return Refused(NUMBER_TOO_GREAT, field=field, most=fault["ctx"]["le"])
        case "greater_than_equal":
            return Refused(NUMBER_TOO_SMALL, field=field, least=fault["ctx"]["ge"])
    wanted = fault["msg"].replace("Input should be", "must be").replace("String should", "must")
    if not field:
        return Refused(NO_FIELDS)
    return Refused(BAD_FIELD, field=field, wanted=wanted)
