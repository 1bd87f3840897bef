"""Games with real moves whose clock is kept by the second model of the rulings: the audit accepts all of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from datetime import timedelta
from random import Random

import pytest

from engine import audit, record
from engine.clock.durations import parse
from engine.errors import RecordError
from engine.game import Match
from engine.moves import END, RESIGN, TIMEOUT, Mark, Move
from tests.clock_records.timed_game import BOT, TimedGame
from tests.oracle.clocks.accounts import Refused
from tests.oracle.clocks.model import Model
from tests.oracle.clocks.state import Settings
from tests.oracle.clocks.times import DAY, MINUTE, instant, stamp

HOUR = 60 * MINUTE
CLOCKS = (
    {"kind": "per_wait", "per_wait": "P1D"},
    {"kind": "per_wait", "per_wait": "P3D"},
    {"kind": "bank", "bank": "P2D", "increment": "PT6H", "cap": "P3D"},
    {"kind": "bank", "bank": "PT12H", "increment": "PT0M", "cap": "PT12H"},
)
LADDERS = (
    {"nudge": "P1D", "grace": "P2D", "then": "out"},
    {"nudge": "PT6H", "grace": None, "then": "autopilot"},
    {"nudge": "PT1H", "grace": "PT12H", "then": "autopilot"},
    {"nudge": "PT6H", "grace": "PT6H", "then": "wait"},
)
WORDS = ("more", "more", "keep", "back", "leave", "pause", "resume", "fail", "absence", "quiet")

OTHERS: dict[str, Move] = {"resign": RESIGN, "timeout": TIMEOUT, "end": END}


class Played:
    """A game on the engine and on the model at once; the model makes the marks, the engine the moves."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        seats = random.randint(2, 4)
        bots = [random.random() < 0.2 for _ in range(seats)]
        clock, ladder = random.choice(CLOCKS), random.choice(LADDERS)
        self.game = TimedGame(f"oracle-{seed}", None, seats, 5)
        self.model = Model(Settings(bots, clock, ladder, random.random() < 0.8, random.random() < 0.8, 30 * DAY))
        self.taken = 0
        self.now = instant(stamp_of(self.game))
        self.model.start(self.now, self.game.turn, self.then())
        self.follow()

    def then(self) -> list[int | None]:
        """Return the seats that would move next, one after the other, if the seat to move were gone."""
        state = self.game.state
        assert isinstance(state, Match)
        return list(state.moon.order[1:])

    def follow(self) -> None:
        """Take over what the model has written and the engine has not."""
        for entry in self.model.game.log[self.taken :]:
            if entry.kind != "move":
                move = OTHERS[entry.kind] if entry.kind in OTHERS else Mark(entry.kind, entry.data)
                self.game.now = record.moment(stamp(entry.at))
                self.game.add(entry.seat, move, entry.by)
        self.taken = len(self.model.game.log)
        assert self.taken == self.game.seq
        assert self.model.game.over == (self.game.state.turn is None)
        if self.model.game.stretch:
            assert self.model.game.stretch.seat == self.game.state.turn

    def move(self, by: str | None) -> None:
        self.game.now = record.moment(stamp(self.model.now))
        seat = self.game.turn
        self.game.play(by)
        self.model.move(seat, self.game.state.turn, self.then(), by)

    def go_on(self) -> None:
        """Let some time pass, and let somebody do something."""
        random = self.random
        until = self.now + random.choice((1, MINUTE, HOUR, HOUR, 6 * HOUR, 6 * HOUR, DAY, 40 * DAY)) * random.randint(
            1, 4
        )
        while self.now < until:
            self.now = min(until, self.now + 6 * HOUR)
            self.model.advance(self.now, including=True)
            self.follow()
            stretch = self.model.game.stretch
            if stretch is None or stretch.seat not in self.model.game.persons():
                break  # a bot does not wait for so long
        stretch = self.model.game.stretch
        if stretch is None:
            return
        if stretch.seat not in self.model.game.persons():
            self.move(BOT if random.random() < 0.9 or self.model.settings.bots[stretch.seat] else None)
        elif random.random() < 0.5:
            self.move(None)
        else:
            try:
                self.speak(random.choice(WORDS), random.randrange(len(self.model.accounts)), stretch.seat)
            except Refused:
                pass  # nothing was written
        self.follow()

    def speak(self, word: str, seat: int, turn: int) -> None:
        model, random = self.model, self.random
        person = seat in model.game.persons()
        if word == "more":
            for other in model.game.persons():
                if other != turn and random.random() < 0.8:
                    model.more(other, random.choice((HOUR, DAY, 14 * DAY)))
        elif word == "keep" and not model.settings.bots[seat]:
            model.keep(seat)
        elif word == "back" and not model.settings.bots[seat]:
            model.back(min(model.game.autopilot, default=seat))
        elif word == "leave" and person and random.random() < 0.3:
            model.leave(seat, None, [each for each in self.then() if each != seat])
        elif word == "pause" and not model.game.paused(model.now):
            model.pause(model.now + random.randint(1, 30 * DAY), "moving")
        elif word == "resume" and model.game.paused(model.now):
            model.resume("back")
        elif word == "fail":
            model.fail(stamp(model.now), stamp(model.now + random.choice((MINUTE, HOUR, DAY))), ["worker"])
        elif word == "absence":
            model.absence(seat, None, model.now + random.randint(2, 20) * DAY)
        elif word == "quiet":
            window = {"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "from": "22:00", "to": "07:00"}
            model.schedule(seat, "Europe/Berlin", [window])


def stamp_of(game: TimedGame) -> str:
    return record.stamp(game.now)


def played(seed: int) -> TimedGame:
    """Play a game until it ends, or for a while."""
    both = Played(seed)
    for _ in range(120):
        if both.model.game.over:
            break
        both.go_on()
    return both.game


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_clocks_12_what_the_model_writes_is_accepted(first: int) -> None:
    for seed in range(first, first + 20):
        audit.check(record.line(played(seed).record()))


def test_clocks_12_the_models_games_have_every_mark_but_the_hosts() -> None:
    kinds = {entry["move"].get("kind") for seed in range(60) for entry in played(seed).entries}
    assert kinds >= {
        "clock",
        "clock.nudge",
        "clock.grace",
        "clock.autopilot",
        "clock.back",
        "clock.keep",
        "clock.more",
        "clock.outage",
        "clock.warning",
        "clock.pause",
        "clock.resume",
    }


def refused_at(value: record.Object) -> int | str | None:
    """Return where the audit refuses a record whose chain is made again, or None."""
    prev = record.digest(audit.header(value))
    for entry in value["log"]:
        entry.pop("hash")
        entry["prev"] = prev
        prev = entry["hash"] = record.digest(entry)
    try:
        audit.check(record.line(value))
    except RecordError as error:
        return error.where
    return None


def forged(entry: record.Object, seats: int) -> Iterator[record.Object]:
    """Yield the entry of a clock's mark with one value changed, so that it cannot be right."""
    move = entry["move"]
    data = move.get("data", {})
    for changed in CHANGES.get(move["kind"], ()):
        yield entry | {"move": move | {"data": data | {changed: other(data[changed])}}}
    if move["kind"] in CHANGES:
        yield entry | {"seat": (entry["seat"] + 1) % seats}
        yield entry | {"by": BOT}
        yield entry | {"by": "host", "seat": None}


def other(value: object) -> object:
    """Return another value of the same form."""
    if isinstance(value, list):
        return value[1:]
    if isinstance(value, int):
        return value + 1
    if value in ("grace", "autopilot", None):
        return "out"
    return "autopilot" if value == "out" else "PT2H"


CHANGES = {
    "clock.nudge": ("wait", "for", "next"),
    "clock.grace": ("wait", "for", "next"),
    "clock.autopilot": ("wait",),
    "clock.more": ("wait", "given_by"),
    "clock.outage": ("wait",),
    "clock.warning": ("wait",),
}


@pytest.mark.parametrize("first", range(0, 24, 8))
def test_clocks_12_a_mark_with_another_value_is_refused(first: int) -> None:
    for seed in range(first, first + 8):
        value = played(seed).record()
        for place, entry in enumerate(value["log"]):
            if entry["move"]["type"] == "mark":
                for wrong in forged(entry, value["game"]["seats"]):
                    log = [*value["log"][:place], wrong, *value["log"][place + 1 :]]
                    assert refused_at(copy.deepcopy(value | {"log": log})) == place + 1, wrong


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_clocks_12_a_step_before_the_one_before_it_has_ended_is_refused(first: int) -> None:
    for seed in range(first, first + 20):
        value = played(seed).record()
        step: record.Object | None = None
        for place, entry in enumerate(value["log"]):
            kind = entry["move"].get("kind", entry["move"]["type"])
            if step is not None and kind == {"out": "timeout"}.get(step["next"], f"clock.{step['next']}"):
                least = record.moment(step["at"]) + parse(step["for"])
                early = max(value["log"][place - 1]["at"], record.stamp(least - timedelta(milliseconds=1)))
                log = [*value["log"][:place], entry | {"at": early}, *value["log"][place + 1 :]]
                if early < record.stamp(least):
                    assert refused_at(copy.deepcopy(value | {"log": log})) == place + 1
            if kind in ("clock.nudge", "clock.grace"):
                step = entry["move"]["data"] | {"at": entry["at"]}
            elif kind not in ("clock.keep", "clock.outage", "clock.pause", "clock.resume"):
                step = None
