"""Simulated lives of a game: people who move, dawdle, go away, come back or vanish, hosts, bots and failures.

`life(seed)` is a line in the form of the clock vectors, without what is expected; the same seed gives the same line. A
life that is `real` is that of a real match: `settings` has its `draw`, and each move event its `move`.
"""

from hashlib import sha256
from random import Random
from typing import Any

from engine.draw import Draw
from tests.oracle.clocks.accounts import Refused
from tests.oracle.clocks.model import Model
from tests.oracle.clocks.scenario import happen, settings
from tests.oracle.clocks.times import DAY, HOUR, MINUTE, NEVER, QUARTER, SECOND, instant, stamp
from tests.support import clock_settings
from tests.support.clock_turns import AnyTurns, MatchTurns, Turns

HABITS = ("prompt", "prompt", "slow", "slow", "vanishing")
FIRST, LAST = instant("2026-01-01T00:00:00Z"), instant("2027-06-01T00:00:00Z")
EVENTS = {
    "schedule": 3, "reminders": 3, "absence": 4, "back": 2, "more": 8, "pause": 2, "resume": 1, "keep": 1, "outage": 4,
    "mail": 4, "leave": 0.1, "late": 0.3, "give": 0.5, "put_out": 0.05, "stop": 0.02,
}  # fmt: skip
PARTS = ("worker", "web", "mailin", "relay", "database")


class Life:
    """A game that is lived: what happens is chosen by what the model says of it at that time."""

    def __init__(self, seed: str, days: int, real: bool) -> None:
        self.random = Random(seed)
        given = clock_settings.settings(self.random)
        self.line: dict[str, Any] = {"id": seed, "settings": given, "events": [], "ask": []}
        self.model = Model(settings(given))
        self.seats = range(len(given["seats"]))
        self.people = [seat for seat in self.seats if given["seats"][seat] == "person"]
        self.habits = [self.random.choice(HABITS) for _ in self.seats]
        self.turns: Turns = AnyTurns(self.random, len(self.seats))
        if real:
            draw = Draw(sha256(seed.encode()).digest(), sha256(seed.encode()).hexdigest()[:16], ("",) * len(self.seats))
            given["draw"] = {
                "server_seed": draw.server_seed.hex(), "subject": draw.subject, "entropy": list(draw.entropy),
            }  # fmt: skip
            self.turns = MatchTurns(self.random, draw)
        self.seen = 0
        self.now = self.random.randrange(FIRST, LAST, DAY) + self.random.randrange(0, DAY, QUARTER)
        self.begins, self.ends = self.now, self.now + days * DAY
        self.taken = {self.now}

    def live(self) -> dict[str, Any]:
        """Return the line of this life."""
        self.prepare()
        plan: tuple[object, int | None] = (None, None)
        other = self.later(5 * DAY)
        while not self.model.game.over and self.now < self.ends:
            game, stretch = self.model.game, self.model.game.stretch
            assert stretch
            waited = (stretch.wait, len([entry for entry in game.log if entry.kind != "clock.warning"]), stretch.stage)
            if plan[0] != waited:
                plan = (waited, self.next_move())
            until = max(self.now, min(plan[1] or NEVER, other, self.ends))
            step = self.model.next_step()[0]
            if step < until:
                self.look(step)
                self.model.advance(step, including=True)
                self.now = step
                continue
            self.look(until)
            if until == self.ends:
                break
            self.model.advance(until, including=False)
            self.now = until
            if plan[1] and until >= plan[1]:
                self.move()
                plan = (None, None)
            else:
                self.something()
                other = self.later(self.random.choice((HOUR, DAY, 5 * DAY, 15 * DAY)))
        return self.line

    def prepare(self) -> None:
        """Let people say their quiet times, reminders and first absences, and begin the game."""
        for seat in self.people:
            if self.random.random() < 0.7:
                self.happen(type="schedule", seat=seat, **self.quiet_times())
            if self.random.random() < 0.8:
                self.happen(type="reminders", seat=seat, list=clock_settings.reminders(self.random))
            if self.random.random() < 0.2:
                self.absence(seat)
        self.now = self.later(3 * DAY)
        seat = self.turns.first()
        self.happen(type="start", seat=seat, then=self.order(seat))

    def happen(self, **event: Any) -> None:
        """Let an event happen now, in the model and in the line."""
        if "from" not in event or event["type"] == "absence":
            event["at"] = stamp(self.now)
        self.line["events"].append(event)
        assert self.now >= self.model.now
        try:
            self.model.advance(self.now, including=False)
            happen(self.model, event)
        except Refused:
            pass

    def free(self, at: int) -> int:
        """Return this instant, or the first later one at which nothing happens yet."""
        at = max(at, self.now + 2)
        while at in self.taken:
            at += 2
        self.taken.add(at)
        return at

    def later(self, most: int) -> int:
        """Return a later instant: any, or a whole quarter of an hour."""
        at = self.now + self.random.randrange(SECOND, most, 2)
        return self.free(at - at % QUARTER if self.random.random() < 0.2 else at - at % 2)

    def order(self, mover: int | None) -> list[int]:
        """Return the seats that would move next, one after the other, if the mover were gone."""
        for entry in self.model.game.log[self.seen :]:
            if entry.kind in ("resign", "timeout"):
                assert entry.seat is not None
                self.turns.leave(entry.seat, timeout=entry.kind == "timeout")
        self.seen = len(self.model.game.log)
        return self.turns.after(mover, self.model.game.left)

    def look(self, until: int) -> None:
        """Ask what is shown at some instant before another one, or at it."""
        if self.random.random() < 0.4:
            at = self.random.choice((until, self.random.randrange(self.now, max(until, self.now + 1)), self.now))
            viewer = self.random.choice([None, *(seat for seat in self.people if seat not in self.model.game.left)])
            self.line["ask"].append({"at": stamp(at), "viewer": viewer})

    def next_move(self) -> int | None:
        """Return when the one to move moves, if ever."""
        game, stretch = self.model.game, self.model.game.stretch
        assert stretch
        if stretch.seat not in self.people:
            return self.later(2 * MINUTE)
        if stretch.seat in game.autopilot:
            return self.later(self.random.choice((2 * SECOND, MINUTE, 5 * HOUR)))
        delay = clock_settings.dawdling(self.random, self.habits[stretch.seat], stretch.allowance)
        if delay is None:
            return None
        step = self.model.next_step()[0]
        if self.random.random() < 0.03 and self.now < step < self.ends and step not in self.taken:
            return self.free(step)
        return self.free(self.now + delay - delay % 2)

    def move(self) -> None:
        """Let the one to move move, or the bot for them."""
        game, stretch = self.model.game, self.model.game.stretch
        assert stretch
        seat = stretch.seat
        self.order(seat)
        event: dict[str, Any] = {"type": "move", "seat": seat}
        event["next"], besides = self.turns.move(seat, game.left)
        event |= {"then": self.order(event["next"]), **besides}
        if seat not in self.people or (seat in game.autopilot and self.random.random() < 0.8):
            event["by"] = "bot:greedy"
        self.happen(**event)

    def something(self) -> None:
        """Let something else happen."""
        game = self.model.game
        assert game.stretch
        at_table = [seat for seat in self.people if seat not in game.left]
        seat = self.random.choice(at_table)
        kinds = EVENTS
        if self.model.game.warning and self.random.random() < 0.7:
            kinds = {"keep": 1}
        elif seat in game.autopilot and self.random.random() < 0.5:
            kinds = {"back": 1}
        kind = self.random.choices(list(kinds), list(kinds.values()))[0]
        match kind:
            case "schedule":
                self.happen(type="schedule", seat=seat, **self.quiet_times())
            case "reminders":
                self.happen(type="reminders", seat=seat, list=clock_settings.reminders(self.random))
            case "absence":
                self.absence(seat)
            case "more":
                self.words()
            case "pause" if not game.paused(self.now):
                self.happen(
                    type="pause",
                    until=stamp(self.later(self.random.choice((HOUR, 10 * DAY, 30 * DAY)))),
                    reason="a fair",
                )
            case "resume" if game.paused(self.now):
                self.happen(type="resume", reason="over")
            case "back" | "keep":
                self.happen(type=kind, seat=seat)
            case "outage":
                self.outage()
            case "mail":
                self.mail()
            case "leave":
                self.leave(seat)
            case "give" if game.timed():
                length = clock_settings.given(self.random)
                self.happen(**{"type": "give", "seat": game.stretch.seat, "for": length, "reason": "a storm"})
            case "put_out":
                self.happen(type="put_out", seat=seat, reason="tampert the game")
            case "stop":
                self.happen(type="stop", reason="all agree")
            case "late" if game.left:
                gone = self.random.choice(sorted(game.left))
                self.happen(type="move", seat=gone, next=self.random.choice(self.order(None)))

    def quiet_times(self) -> dict[str, Any]:
        """Return a zone and windows."""
        return {"zone": self.random.choice(clock_settings.ZONES), "quiet": clock_settings.windows(self.random)}

    def absence(self, seat: int) -> None:
        """Announce an absence, from now or later on."""
        begins = self.now + self.random.randrange(-DAY, 15 * DAY, HOUR) if self.random.random() < 0.6 else None
        length = self.random.randrange(20 * HOUR, 22 * DAY, HOUR)
        given = {} if begins is None else {"from": stamp(begins)}
        self.happen(type="absence", seat=seat, **given, until=stamp((begins or self.now) + length))

    def words(self) -> None:
        """Let some or all of the others say that the one to move may have more time."""
        stretch = self.model.game.stretch
        assert stretch
        others = [seat for seat in self.people if seat != stretch.seat or self.random.random() < 0.05]
        for seat in self.random.sample(others, self.random.randint(min(1, len(others)), len(others))):
            if not self.model.game.over and seat not in self.model.game.left:
                self.happen(**{"type": "more", "seat": seat, "for": clock_settings.word(self.random)})
                self.now = self.free(self.now + 1000)
                self.model.advance(self.now, including=False)

    def outage(self) -> None:
        """Let a part of the service fail for some minutes, hours or days, mostly when no other does."""
        if any(begins <= self.now < ends for begins, ends in self.model.failing()):
            return
        length = self.random.choice(clock_settings.FAILURES) or self.random.randrange(MINUTE, DAY, 2)
        ends = self.now + length
        while ends in self.taken:
            ends += 2
        self.taken.add(ends)
        what = self.random.sample(PARTS, self.random.choice((1, 1, 2)))
        self.happen(**{"type": "outage", "from": stamp(self.now), "to": stamp(ends), "what": what})

    def mail(self) -> None:
        """Let a mail of the one to move come, often when a step is near."""
        stretch = self.model.game.stretch
        assert stretch
        step = self.model.next_step()[0]
        if self.now < step - 10 * MINUTE < self.ends and self.random.random() < 0.7:
            self.now = self.free(step - self.random.randrange(2, 10 * MINUTE, 2))
        ends = self.free(self.now + self.random.randrange(MINUTE, 30 * MINUTE, 2))
        self.happen(**{"type": "mail", "seat": stretch.seat, "from": stamp(self.now), "to": stamp(ends)})

    def leave(self, seat: int) -> None:
        """Let somebody resign, in or out of turn."""
        stretch = self.model.game.stretch
        assert stretch
        event: dict[str, Any] = {"type": "leave", "seat": seat}
        staying = self.order(seat)
        if seat == stretch.seat and len(staying) > 1:
            event["next"] = staying[0]
            event["then"] = staying[1:]
        self.happen(**event)


def life(seed: str, days: int = 400, *, real: bool = False) -> dict[str, Any]:
    """Return the line of one simulated life."""
    return Life(seed, days, real).live()
