"""Tampered games: the settings in entry 1, and marks that there are not."""

from __future__ import annotations

from typing import Any

from engine.moves import Mark
from tests.clock_records.tampering import (
    DAY,
    SETTINGS_JSON,
    Script,
    Tampered,
    by_host,
)
from tests.clock_records.timed_game import BOT, TimedGame


def _settings(**changes: Any) -> Script:
    """Begin with settings of which something is different."""
    return lambda game: game.raw("clock", SETTINGS_JSON | changes)


def _clock(**values: Any) -> Script:
    return _settings(clock=values)


def _ladder(**changes: Any) -> Script:
    return _settings(ladder=SETTINGS_JSON["ladder"] | changes)


def _clock_again(game: TimedGame) -> object:
    return game.after("PT1H").raw("clock", SETTINGS_JSON)


SETTINGS: tuple[Tampered, ...] = (
    # the settings
    Tampered("settings-none", "a game without a clock has no mark clock", _clock(kind="none")),
    Tampered("settings-kind", "The kind of a clock is", _clock(kind="hourglass")),
    Tampered("settings-field", "There is no field bank here", _clock(kind="per_wait", per_wait="P1D", bank="P1D")),
    Tampered("settings-missing", "The field increment is missing", _clock(kind="bank", bank="P1D", cap="P2D")),
    Tampered("settings-spelling", "not written as the service writes them", _clock(kind="per_wait", per_wait="PT24H")),
    Tampered("settings-week", "A duration has days", _clock(kind="per_wait", per_wait="P1W")),
    Tampered("per-wait-short", "The least here is PT1H", _clock(kind="per_wait", per_wait="PT59M")),
    Tampered("per-wait-long", "the most P30D", _clock(kind="per_wait", per_wait="P30DT1M")),
    Tampered("bank-long", "the most P60D", _clock(kind="bank", bank="P61D", increment="P1D", cap="P70D")),
    Tampered("cap-below-bank", "The cap of a bank", _clock(kind="bank", bank="P5D", increment="P1D", cap="P4D")),
    Tampered("cap-long", "the most P90D", _clock(kind="bank", bank="P5D", increment="P1D", cap="P91D")),
    Tampered("increment-long", "the most P14D", _clock(kind="bank", bank="P5D", increment="P15D", cap="P5D")),
    Tampered("ladder-no-nudge", "(ladder.nudge)", _ladder(nudge=None)),
    Tampered("ladder-nudge-short", "The least here is PT1H", _ladder(nudge="PT59M")),
    Tampered("ladder-nudge-long", "the most P7D", _ladder(nudge="P8D")),
    Tampered("ladder-grace-long", "the most P14D", _ladder(grace="P15D")),
    Tampered("ladder-then", "The last step is", _ladder(then="lose")),
    Tampered("settings-quiet", "(quiet)", _settings(quiet=1)),
    Tampered("settings-more", "There is no field zone here", _settings(zone="UTC")),
    Tampered("settings-empty", "the settings of the clock are wrong", lambda game: game.raw("clock")),
    Tampered("settings-seat", "which moves first", lambda game: game.raw("clock", SETTINGS_JSON, seat=1 - game.turn)),
    Tampered("settings-by-bot", "carries no by", lambda game: game.raw("clock", SETTINGS_JSON, by=BOT)),
    Tampered("settings-late", "the mark clock is entry 1", _clock_again, DAY),
    Tampered("settings-after-a-move", "the mark clock is entry 1", lambda game: _clock_again(game.play())),
    Tampered("settings-solo", "a solo has no clock", lambda game: game.raw("clock", SETTINGS_JSON), seats=1),
    # other marks
    Tampered("mark-unknown", "there is no mark clock.stop", lambda game: game.raw("clock.stop"), DAY),
    Tampered("mark-unknown-host", "there is no mark host.warn", by_host("host.warn", {"reason": "so"}), DAY),
    Tampered("mark-unknown-no-clock", "there is no mark clock.stop", lambda game: game.raw("clock.stop")),
    Tampered(
        "mark-by-bot",
        "which is no bot's and not on autopilot",
        lambda game: game.add(game.turn, Mark("note", "moved"), BOT),
        DAY,
    ),
)
