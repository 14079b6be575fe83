"""What clients may send, message by message: anything else is a `bad_request`."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from casino.errors import Refused

MOST_CENTS: Final = 10**12

TableName: TypeAlias = Annotated[str, Field(min_length=1, max_length=40)]
GameName: TypeAlias = Annotated[str, Field(min_length=1, max_length=60)]
Cents: TypeAlias = Annotated[int, Field(ge=-MOST_CENTS, le=MOST_CENTS)]
Version: TypeAlias = Annotated[int, Field(ge=0, le=2**53)]


class Payload(BaseModel):
    """What all messages have in common: no unknown field, no value bent to fit."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Join(Payload):
    """Watch a table, from the beginning or from the version last seen."""

    table: TableName
    since: Version | None = None


class OfTable(Payload):
    """Something about a table as a whole: `leave`, `leave_seat`."""

    table: TableName


class TakeSeat(Payload):
    """Take the challenger's seat, or queue for it; `cover_cents` is offered against bettors."""

    table: TableName
    cover_cents: Cents = 0


class Cut(Payload):
    """A text for the cut of a game's packs."""

    table: TableName
    game: GameName
    text: Annotated[str, Field(max_length=200)]


class PlaceBet(Payload):
    """A bet; the same `bet_id` with the same content is the same bet."""

    table: TableName
    game: GameName
    bet_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$")]
    side: Literal["house", "challenger"]
    unit_cents: Cents


class Act(Payload):
    """What the challenger does, a token of the game's record, having seen `version`."""

    table: TableName
    version: Version
    action: Annotated[str, Field(min_length=1, max_length=16)]


class Enter(Payload):
    """Who somebody wants to be; with a password the name can be used from elsewhere."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    password: Annotated[str, Field(min_length=1, max_length=200)] | None = None


class SetLimit(Payload):
    """A limit a player sets himself; see `casino.table.limits`."""

    key: Literal["day_stake_cents", "day_loss_cents", "break_until_ms"]
    value: Annotated[int, Field(ge=0, le=2**53)]


P = TypeVar("P", bound=Payload)


def parsed(kind: type[P], given: Any) -> P:
    """What a client has sent, or the refusal that names the field."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(str(step) for step in fault["loc"]) or "the message"
        wanted = fault["msg"].replace("Input should be", "must be")
        raise Refused("bad_request", f"{place}: {wanted}") from None
