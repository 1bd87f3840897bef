"""The times at which reminders are sent: their points, quiet times, and which go together (5)."""

from typing import Any

from tests.oracle.clocks import quiet
from tests.oracle.clocks.game import Game
from tests.oracle.clocks.state import Segment, Stretch
from tests.oracle.clocks.times import HOUR, NEVER, QUARTER, duration, instant


class Reminders:
    """The reminders of one game: which were sent in the stretch, and since when its course is known."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.sent: list[dict[str, Any]] = []
        self.known_since = 0

    def was_sent(self, stretch: Stretch, which: str, segment: Segment) -> bool:
        """Return whether it was sent in this stretch; a duration that lies ahead after `more` is due again (5.6)."""
        times = [mail["at"] for mail in self.sent if mail["wait"] == stretch.wait and which in mail["which"]]
        if segment.by_more and which != "half":
            return any(at >= segment.since for at in times)
        return bool(times)

    def point(self, which: str) -> tuple[int, Segment | None]:
        """Return when the clock comes to the point of a reminder, if it does, and in which part (5.1)."""
        stretch = self.game.stretch
        assert stretch
        half = (stretch.allowance + 1) // 2
        for segment in reversed(stretch.segments):
            needed = half - segment.charged_before if which == "half" else segment.left - duration(which)
            if needed > 0 and (which == "half" or duration(which) < stretch.allowance):
                return self.game.reach(segment.since, needed), segment
        return NEVER, None

    def planned(self, now: int, failing: list[tuple[int, int]]) -> list[tuple[int, str]]:
        """Return the reminders to be sent in the stretch, from now on and if nothing changes, in order of time."""
        game, stretch = self.game, self.game.timed()
        if not stretch or stretch.stage != "in_time":
            return []
        account = game.accounts[stretch.seat]
        schedule = account.schedule_at(now)
        runs_out = game.runs_out()
        found = []
        for which, chosen in account.chosen.items():
            point, segment = self.point(which)
            if not segment or self.was_sent(stretch, which, segment):
                continue
            if chosen > point or point - stretch.began < HOUR:
                continue
            send = point
            if quiet.is_quiet(schedule, point):
                before = quiet.began(schedule, point) - QUARTER
                foreseen = max(self.known_since, chosen) <= before
                stopped = game.settings.quiet and quiet.is_quiet(stretch.schedule, point)
                send = before if foreseen and not stopped else quiet.next_change(schedule, point)
            send = self.not_held(max(send, now), schedule, failing)
            if send < runs_out:
                found.append((send, which))
        return sorted(found)

    def not_held(self, at: int, schedule: quiet.Schedule, failing: list[tuple[int, int]]) -> int:
        """Return the first instant from this one on at which neither quiet, a pause nor a failure holds mail back."""
        holds = [*failing, *((begins, ends) for begins, ends in self.game.pauses)]
        while True:
            ends = [end for begin, end in holds if begin <= at < end]
            if ends:
                at = max(ends)
            elif quiet.is_quiet(schedule, at):
                at = quiet.next_change(schedule, at)
            else:
                return at

    def send(self, planned: list[tuple[int, str]]) -> int:
        """Send the first ones, and with them all that would be sent less than 60 minutes later (5.3)."""
        stretch = self.game.stretch
        assert stretch
        at = planned[0][0]
        which = sorted(name for when, name in planned if when < at + HOUR)
        self.sent.append({"at": at, "seat": stretch.seat, "which": which, "wait": stretch.wait})
        return at


def together(planned: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Return the mails in which reminders of several games go: each opens an hour that later ones join (5.3)."""
    mails: list[dict[str, Any]] = []
    for each in sorted(planned, key=lambda one: one["at"]):
        if not mails or instant(each["at"]) >= instant(mails[-1]["at"]) + HOUR:
            mails.append({"at": each["at"], "games": []})
        mails[-1]["games"].append([each["game"], each["which"]])
    return mails
