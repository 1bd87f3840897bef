"""The times at which reminders are sent: their points, quiet times, and which go together (5)."""

from typing import Any

from tests.oracle.clocks import quiet
from tests.oracle.clocks.game import Game
from tests.oracle.clocks.state import Stretch
from tests.oracle.clocks.times import HOUR, NEVER, QUARTER, duration, instant


class Reminders:
    """The reminders of one game: which were sent in the stretch, and since when its course is known."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.sent: list[dict[str, Any]] = []
        self.of_stretch: tuple[int, set[str]] = (-1, set())
        self.known_since = 0

    def sent_in(self, stretch: Stretch) -> set[str]:
        """Return those that were sent in this stretch."""
        if self.of_stretch[0] != stretch.wait:
            self.of_stretch = (stretch.wait, set())
        return self.of_stretch[1]

    def after_more(self) -> None:
        """Let durations that lie ahead again be due again (5.6)."""
        stretch = self.game.stretch
        assert stretch
        sent = self.sent_in(stretch)
        sent -= {which for which in sent if which != "half" and duration(which) < stretch.segments[-1].left}

    def point(self, which: str) -> int:
        """Return when the clock of the stretch comes to the point of a reminder, or NEVER (5.1)."""
        stretch = self.game.stretch
        assert stretch
        if which == "half":
            half = (stretch.allowance + 1) // 2
            for segment in reversed(stretch.segments):
                if segment.charged_before < half:
                    return self.game.reach(segment.since, half - segment.charged_before)
            return NEVER
        if duration(which) >= stretch.allowance:
            return NEVER
        for segment in reversed(stretch.segments):
            if segment.left > duration(which):
                return self.game.reach(segment.since, segment.left - duration(which))
        return NEVER

    def planned(self, now: int, failing: list[tuple[int, int]]) -> list[tuple[int, str]]:
        """Return what is still to be sent in the stretch, from now on and if nothing changes, in order of time."""
        game, stretch = self.game, self.game.timed()
        if not stretch or stretch.stage != "in_time":
            return []
        account = game.accounts[stretch.seat]
        schedule = account.schedule_at(now)
        runs_out = game.runs_out()
        found = []
        for which, chosen in account.chosen.items():
            point = self.point(which)
            if which in self.sent_in(stretch) or point == NEVER or chosen > point or point - stretch.began < HOUR:
                continue
            send = point
            if quiet.is_quiet(schedule, point):
                before = quiet.began(schedule, point) - QUARTER
                foreseen = max(self.known_since, chosen) <= before
                send = before if foreseen and not game.settings.quiet else quiet.next_change(schedule, point)
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
        self.sent_in(stretch).update(which)
        self.sent.append({"at": at, "seat": stretch.seat, "which": which})
        return at


def together(planned: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Return the mails in which reminders of several games go: each opens an hour that later ones join (5.3)."""
    mails: list[dict[str, Any]] = []
    for each in sorted(planned, key=lambda one: one["at"]):
        if not mails or instant(each["at"]) >= instant(mails[-1]["at"]) + HOUR:
            mails.append({"at": each["at"], "games": []})
        mails[-1]["games"].append([each["game"], each["which"]])
    return mails
