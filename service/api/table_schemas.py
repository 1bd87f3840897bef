"""Schemas of the requests that make, join and list tables, and of invitations."""

from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from engine.clock.terms import ABANDONED_AFTER, DEFAULT_LADDER, PRESETS, Bank, NoClock, PerWait
from engine.draw import ENTROPY_CHARACTERS, LONGEST_ENTROPY
from engine.errors import SetupError, with_ruling
from engine.game import FEWEST, MOST, goal_discs
from engine.phrases import Phrase, phrase
from service.api.clock_fields import ClockField, Duration, LadderField
from service.api.components import Component
from service.api.event_schemas import cursor_field
from service.api.fields import Flag, QueryFlag, QueryWhole, Whole
from service.api.game_schemas import VISIBILITIES
from service.api.invitation_schemas import secret
from service.api.paging import PageQuery
from service.api.schema import RequestSchema
from service.api.validators import Length, Matching, OneOf, Range
from service.queries.tables import STATUSES

NEWEST, RUNS_OUT_AT = SORTS = ("newest", "runs_out_at")
"""The orders of the list of games."""

DISCS_PRESET = Component("DiscsPreset", {"type": "string", "enum": ["full", "first_game"]})
"""The numbers of goal discs that have a name."""

CLOCK_FILTERS = (NoClock.kind, PerWait.kind, Bank.kind, *PRESETS)
"""The clocks by which lists can be filtered: the kinds, and the presets."""


class Discs(fields.Field[str | int]):
    """The number of goal discs of each player: full, first_game, or a number (ruling 1.2)."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str | int:
        if isinstance(value, str) and value in ("full", "first_game"):
            return value
        try:
            return int(Whole(validate=Range(FEWEST, MOST)).deserialize(value))
        except ValidationError:
            right = phrase(
                "Must be full, first_game or a whole number from %(least)s to %(most)s.", least=FEWEST, most=MOST
            )
            raise ValidationError([right]) from None


class GameRequest(RequestSchema):
    """A new table."""

    seats = Whole(required=True, validate=Range(2, 4))
    discs = Discs(
        load_default="full",
        metadata={
            "description": f"Goal discs of each player: `full` (20), `first_game` (17 for 3, 15 for 4 players), or a"
            f" number from {FEWEST} to {MOST}.",
            "oneOf": [DISCS_PRESET, {"type": "integer", "minimum": FEWEST, "maximum": MOST}],
        },
    )
    bots = Whole(
        load_default=0,
        validate=Range(0, 3),
        metadata={
            "description": "How many of the seats bots play, fewer than `seats`, as one is yours. If they play all"
            " others, the game starts at once; then your `entropy` was given before the commitment could be seen."
        },
    )
    visibility = fields.String(load_default="public", validate=OneOf(VISIBILITIES))
    hints = Flag(
        load_default=True,
        metadata={"description": "False: no mail of this game says on which cells a tile would cover goals."},
    )
    clock = ClockField(load_default=NoClock())
    ladder = LadderField(load_default=DEFAULT_LADDER)
    quiet = Flag(
        load_default=True,
        metadata={
            "description": "False: the clock runs through the players' quiet times. They still hold back reminders."
        },
    )
    absences = Flag(
        load_default=True,
        metadata={"description": "False: the clock runs while a player is away. The table still sees who is away."},
    )
    abandoned_after = Duration(
        "abandoned_after",
        "A game that nobody goes on with ends after this time. The table is warned 14 days before. It counts in games"
        " without a clock, and where the ladder has no further step.",
        load_default=ABANDONED_AFTER,
    )

    @validates_schema(skip_on_field_errors=True)
    def check_discs(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse the first-game variant if there is none for this number of players."""
        try:
            goal_discs(data["seats"], data["discs"])
        except SetupError as error:
            raise ValidationError([with_ruling(error)], "discs") from error

    @validates_schema(skip_on_field_errors=True)
    def check_bots(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse bots at all seats."""
        if data["bots"] >= data["seats"]:
            why = phrase("Must be at most %(most)s here, as one of the seats is yours.", most=data["seats"] - 1)
            raise ValidationError([why], "bots")


class SoloSessionRequest(RequestSchema):
    """A new solo session. It has no options."""


def _entropy(**options: Any) -> fields.String:
    return fields.String(
        validate=(
            Length(0, LONGEST_ENTROPY),
            Matching(rf"{ENTROPY_CHARACTERS}*\Z", Phrase("Must have only characters from U+0020 to U+007E.")),
        ),
        metadata={
            "description": "A text of your own for the draw, so that nobody can know the draw in advance: 0 to 64"
            " characters from U+0020 to U+007E. From the start of the game it is public forever.",
            "pattern": f"^{ENTROPY_CHARACTERS}*$",
        },
        **options,
    )


class JoinRequest(RequestSchema):
    """A request to take a seat."""

    invitation = secret()
    entropy = _entropy(load_default="")


class EntropyRequest(RequestSchema):
    """A player's own text for the draw."""

    entropy = _entropy(required=True)


class StartRequest(RequestSchema):
    """A request to start a solo session."""

    entropy = _entropy(load_default="")


class RematchRequest(RequestSchema):
    """A request for a rematch."""

    entropy = _entropy(load_default="")


def _since() -> fields.String:
    return cursor_field(
        "Only those at whose table something has happened since this cursor of `/v1/events`. A page then has fewer"
        " items than `limit`; go on with `next` all the same. If what happened since is no longer kept, the answer is"
        " 410 `events_gone`: list all of them."
    )


class TableFilters(PageQuery):
    """The filters of a player's games."""

    since = _since()
    status = fields.String(validate=OneOf(STATUSES))
    seats = QueryWhole(validate=Range(2, 4), metadata={"description": "Only games with this number of seats."})
    goal_discs = QueryWhole(
        validate=Range(FEWEST, MOST), metadata={"description": "Only games with this number of goal discs."}
    )
    clock = fields.String(
        validate=OneOf(CLOCK_FILTERS),
        metadata={
            "description": "Only games with a clock of this kind (`per_wait` or `bank`), without a clock (`none`), or"
            f" with one of these presets: {', '.join(f'`{name}`' for name in PRESETS)}."
        },
    )
    free_seats = QueryWhole(
        validate=Range(1, 3),
        metadata={"description": "Only open games with at least this number of free seats."},
    )

    @validates_schema(skip_on_field_errors=True)
    def check_free_seats(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse free seats of games that are not open."""
        if "free_seats" in data and data.get("status", "open") != "open":
            raise ValidationError(
                [Phrase("Only open games have free seats: leave out `status`, or let it be open.")], "free_seats"
            )


class GameQuery(TableFilters):
    """The filters and the order of the list of games."""

    mine = QueryFlag(
        metadata={
            "description": "True: only games that you sit at, which requires an access token. False: only games that"
            " you do not sit at."
        }
    )
    my_turn = QueryFlag(
        load_default=False, metadata={"description": "Only games in which it is your turn; requires an access token."}
    )
    sort = fields.String(
        validate=OneOf(SORTS),
        metadata={
            "description": "The order: `newest`, which is the default, or `runs_out_at`, for your own games: those"
            " whose time runs out soonest come first, those without such a time last. It needs `mine` or `my_turn`."
        },
    )

    @validates_schema(skip_on_field_errors=True)
    def check_sort(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse the order by time in a list of everybody's games."""
        if data.get("sort") == RUNS_OUT_AT and not (data.get("mine") or data["my_turn"]):
            raise ValidationError([Phrase("Must be together with mine=true or my_turn=true.")], "sort")

    @validates_schema(skip_on_field_errors=True)
    def check_mine(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse to list those games in which it is the caller's turn that the caller does not sit at."""
        if data["my_turn"] and data.get("mine") is False:
            raise ValidationError([Phrase("Must not be false together with my_turn=true.")], "mine")


class SoloQuery(PageQuery):
    """The filters of the list of solo sessions."""

    since = _since()
    status = fields.String(validate=OneOf(STATUSES))
    mine = QueryFlag(
        load_default=False,
        metadata={"description": "As for games; has no effect, because all solo sessions in the list are yours."},
    )
    my_turn = QueryFlag(load_default=False, metadata={"description": "Only sessions in which it is your turn."})
