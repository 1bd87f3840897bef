"""The enums of the OpenAPI document by name, so that a generated client has one type for each of them.

`service.api.openapi_converter` finds the name of an enum by its values.
"""

from __future__ import annotations

from engine.goals import SIDES
from service.api.account_schemas import TOKEN_KINDS
from service.api.checkpoint_schemas import LOG_STATES
from service.api.clock_schemas import KINDS as CLOCKS
from service.api.clock_schemas import STAGES, STANDSTILLS, STEPS
from service.api.components import Component
from service.api.game_schemas import CLOSED_BECAUSE, KINDS, RESULT_REASONS, VISIBILITIES
from service.api.health import READINESS
from service.api.invitation_schemas import INVITATION_STATES, LINK_STATES
from service.api.notification_schemas import DEFAULT, DELIVERY_KINDS, TALK
from service.api.story_schemas import MOVE_TYPES, PLOT_SCHEMES
from service.api.table_schemas import CLOCK_FILTERS, SORTS
from service.clocks.quiet_times import DAYS
from service.language.languages import CODES
from service.pictures.palette import SCHEMES
from service.pictures.scene import Part
from service.queries.exports import STATUSES as RECORDED
from service.queries.tables import STATUSES
from service.store.deliveries import STATES
from service.store.delivery_preferences import ANSWERS, HOWS, HTTP_COMMANDS

_VALUES: dict[str, tuple[str, ...]] = {
    "AnswerPreference": tuple(ANSWERS),
    "BoardPart": tuple(part.value for part in Part),
    "CheckpointLogState": LOG_STATES,
    "ClockFilter": CLOCK_FILTERS,
    "ClockKind": CLOCKS,
    "ClockStage": STAGES,
    "ClosingReason": CLOSED_BECAUSE,
    "ColorScheme": tuple(SCHEMES),
    "DeliveryKind": DELIVERY_KINDS,
    "DeliveryState": tuple(STATES),
    "GameAnswerPreference": (DEFAULT, *ANSWERS),
    "GameKind": KINDS,
    "GameMailPreference": (DEFAULT, *HOWS),
    "GameOrder": SORTS,
    "GameStatus": tuple(STATUSES),
    "HttpCommandsPreference": tuple(HTTP_COMMANDS),
    "InvitationLinkState": LINK_STATES,
    "InvitationState": INVITATION_STATES,
    "LadderStep": STEPS,
    "Language": tuple(CODES),
    "MailPreference": tuple(HOWS),
    "PlotColorScheme": PLOT_SCHEMES,
    "ReadinessStatus": READINESS,
    "RecordedStatus": RECORDED,
    "ResultReason": RESULT_REASONS,
    "SoloBoardPart": tuple(part.value for part in Part if part is not Part.TRACK),
    "StandstillReason": STANDSTILLS,
    "StoryMoveType": MOVE_TYPES,
    "TalkPreference": TALK,
    "TokenKind": TOKEN_KINDS,
    "TileSide": tuple(SIDES),
    "Visibility": VISIBILITIES,
    "Weekday": DAYS,
}

ENUMS = {values: Component(name, {"type": "string", "enum": list(values)}) for name, values in _VALUES.items()}
"""The named enums by their values."""
