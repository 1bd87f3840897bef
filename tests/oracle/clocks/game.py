"""One game's clock as its log has it: banks, the stretch that runs, its stage, pauses and outages (2, 6, 7, 8, 9)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.oracle.clocks import quiet
from tests.oracle.clocks.accounts import Absence, Account
from tests.oracle.clocks.state import Entry, Segment, Settings, Stretch
from tests.oracle.clocks.times import NEVER, duration, instant

MARKED_STEPS = ("clock.nudge", "clock.grace", "clock.autopilot")


@dataclass
class Game:
    """The state that follows from a log; `apply` is the only way in which it changes."""

    settings: Settings
    accounts: Sequence[Account]
    log: list[Entry] = field(default_factory=list)
    outages: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.first = (0, 0)
        self.reset()

    def reset(self) -> None:
        """Go back to before the start."""
        self.banks = [duration(self.settings.clock.get("bank", "PT0M"))] * len(self.settings.bots)
        self.left: set[int] = set()
        self.autopilot: set[int] = set()
        self.grace_used: set[int] = set()
        self.pauses: list[list[int]] = []
        self.stretch: Stretch | None = None
        self.over = False
        self.counted_from = 0
        self.warning: tuple[int, int] | None = None

    def start(self, at: int, seat: int) -> None:
        """Begin the game with this seat to move."""
        self.first = (at, seat)
        self.counted_from = at
        self.begin(seat, at, 0)

    def replay(self) -> None:
        """Compute everything again from the log, with all clocks standing still in the outages (8.3)."""
        self.reset()
        self.start(*self.first)
        for entry in self.log:
            self.apply(entry)

    def persons(self) -> list[int]:
        """Return the seats that no bot plays, that have not left and are not on autopilot."""
        return [seat for seat, bot in enumerate(self.settings.bots)
                if not bot and seat not in self.left and seat not in self.autopilot]  # fmt: skip

    def timed(self) -> Stretch | None:
        """Return the stretch if it has a clock, which that of a bot or of a seat on autopilot has not."""
        if self.settings.kind == "none" or not self.stretch or self.stretch.seat not in self.persons():
            return None
        return self.stretch

    def allowance(self, seat: int) -> int:
        """Return the time with which a stretch of this seat begins (1.4, 2.4)."""
        return duration(self.settings.clock["per_wait"]) if self.settings.kind == "per_wait" else self.banks[seat]

    def begin(self, seat: int, at: int, wait: int) -> None:
        """Begin a stretch (1.3), which keeps the quiet times that stand now (3.4)."""
        allowance = self.allowance(seat)
        stage = "autopilot" if seat in self.autopilot else "in_time"
        schedule = self.accounts[seat].schedule_at(at)
        self.stretch = Stretch(seat, wait, at, schedule, allowance, [Segment(at, allowance, 0)], stage)

    def apply(self, entry: Entry) -> None:
        """Go on by one entry."""
        at = entry.at
        if entry.kind == "move":
            self.move(entry)
        elif entry.kind in ("resign", "timeout"):
            assert entry.seat is not None
            self.left.add(entry.seat)
            self.autopilot.discard(entry.seat)
            self.go_on(entry)
            self.count_anew(at)
        elif entry.kind in MARKED_STEPS:
            self.step(entry)
            self.count_anew(at)
        elif entry.kind == "clock.back":
            assert entry.seat is not None
            self.take_back(entry.seat, at)
        elif entry.kind == "clock.more":
            assert entry.data
            self.more(at, duration(entry.data["for"]))
            self.count_anew(at)
        elif entry.kind == "clock.keep":
            self.count_anew(at)
        elif entry.kind == "clock.warning":
            assert entry.data
            self.warning = (at, instant(entry.data["not_before"]))
        elif entry.kind == "clock.pause":
            assert entry.data
            self.pauses.append([at, instant(entry.data["until"])])
        elif entry.kind == "clock.resume":
            self.pauses[-1][1] = at
        elif entry.kind == "end":
            self.over, self.stretch = True, None

    def stepped(self) -> list[int]:
        """Return when steps of the ladder were taken; what the host does is none (6.2, 8.4)."""
        by_host = {entry.seq + 1 for entry in self.log if entry.kind == "host.out"}
        outs = [entry.at for entry in self.log if entry.kind == "timeout" and entry.seq not in by_host]
        return [0, *outs, *(entry.at for entry in self.log if entry.kind in MARKED_STEPS)]

    def count_anew(self, at: int) -> None:
        """Let the time after which a game is abandoned begin anew (9.1)."""
        self.counted_from = at
        self.warning = None

    def go_on(self, entry: Entry) -> None:
        """Begin the next stretch if somebody else is to move now, or end the game."""
        if entry.turn is None:
            self.over, self.stretch = True, None
        elif self.stretch and entry.turn != self.stretch.seat:
            self.begin(entry.turn, entry.at, entry.seq)

    def move(self, entry: Entry) -> None:
        """Place or refill: the credit if it ends the stretch (2.4 to 2.6), the seat taken back from the bot (6.6)."""
        assert self.stretch and entry.seat == self.stretch.seat
        seat, own = self.stretch.seat, entry.by is None
        credited = own and self.settings.kind == "bank" and seat not in self.autopilot
        if own and seat in self.autopilot:
            self.take_back(seat, entry.at)
        if entry.turn != seat and credited:
            left = max(0, self.left_at(entry.at))
            cap = duration(self.settings.clock["cap"])
            self.banks[seat] = min(cap, left + duration(self.settings.clock["increment"]))
        if own:
            self.count_anew(entry.at)
        self.go_on(entry)

    def step(self, entry: Entry) -> None:
        """Take a step of the ladder (6.2)."""
        stretch = self.stretch
        assert stretch and entry.data
        if entry.kind == "clock.autopilot":
            self.autopilot.add(stretch.seat)
            self.banks[stretch.seat] = 0
            stretch.stage = "autopilot"
            return
        if entry.kind == "clock.nudge":
            stretch.ran_out = self.reach(stretch.segments[-1].since, stretch.segments[-1].left)
            stretch.stage = "nudge"
        else:
            self.grace_used.add(stretch.seat)
            stretch.stage = "grace"
        stretch.step_at, stretch.step_next = entry.at, entry.data["next"]
        stretch.step_for = duration(entry.data["for"])

    def take_back(self, seat: int, at: int) -> None:
        """Take a seat back from the bot (6.6)."""
        self.autopilot.discard(seat)
        if self.settings.kind == "bank":
            self.banks[seat] = max(self.banks[seat], duration(self.settings.clock["increment"]))
        if self.stretch and self.stretch.seat == seat:
            self.stretch.stage = "in_time"
            self.stretch.allowance = self.allowance(seat)
            self.stretch.segments = [Segment(at, self.stretch.allowance, 0)]

    def more(self, at: int, given: int) -> None:
        """Give the seat to move more time (7.5)."""
        stretch = self.stretch
        assert stretch
        left = max(0, self.left_at(at))
        if stretch.stage == "in_time":
            last = stretch.segments[-1]
            charged = last.charged_before + last.left - left
            stretch.segments.append(Segment(at, left + given, charged, by_more=True))
        else:
            stretch.segments = [Segment(at, given, stretch.allowance, by_more=True)]
        stretch.stage = "in_time"
        stretch.heard_from = at

    def counts(self, absence: Absence, stretch: Stretch) -> bool:
        """Return whether this absence stops the clock in this stretch (4.6, 4.7)."""
        too_late = absence.late_for == stretch.wait and absence.announced >= stretch.heard_from
        return self.settings.absences and not too_late

    def reason(self, at: int) -> str | None:
        """Return why the clock of the stretch stands still at an instant, the first reason that holds (2.2)."""
        stretch = self.stretch
        assert stretch
        if self.settings.bots[stretch.seat]:
            return "bot"
        if stretch.seat in self.autopilot:
            return "autopilot"
        if self.paused(at):
            return "paused"
        absences = self.accounts[stretch.seat].absences
        if any(each.begins <= at < each.ends and self.counts(each, stretch) for each in absences):
            return "absent"
        if self.settings.quiet and quiet.is_quiet(stretch.schedule, at):
            return "quiet"
        return None

    def paused(self, at: int) -> bool:
        """Return whether the host has paused the game at an instant (7.2)."""
        return any(begins <= at < ends for begins, ends in self.pauses)

    def pieces(self, since: int) -> Iterator[tuple[int, int, bool]]:
        """Cut the time where the clock may begin to run or to stand still; say of each piece if it runs."""
        stretch = self.stretch
        assert stretch
        edges = [edge for pair in self.pauses for edge in pair] + [edge for pair in self.outages for edge in pair]
        edges += [edge for each in self.accounts[stretch.seat].absences for edge in (each.begins, each.ends)]
        ahead = sorted({edge for edge in edges if edge > since} | {NEVER})
        while since < NEVER:
            while ahead[0] <= since:
                ahead.pop(0)
            ends = min(ahead[0], quiet.next_change(stretch.schedule, since)) if self.settings.quiet else ahead[0]
            given_back = any(begins <= since < end for begins, end in self.outages)
            yield since, ends, self.reason(since) is None and not given_back
            since = ends

    def charged(self, since: int, until: int) -> int:
        """Return the time for which the clock of the stretch ran between two instants (1.4)."""
        total = 0
        for begins, ends, runs in self.pieces(since):
            if begins >= until:
                break
            total += (min(ends, until) - begins) * runs
        return total

    def reach(self, since: int, needed: int) -> int:
        """Return the first instant by which a time is charged since an instant, if nothing changes; or NEVER."""
        if needed <= 0:
            return since
        if self.timed():
            for begins, ends, runs in self.pieces(since):
                if runs and ends - begins >= needed:
                    return begins + needed
                needed -= (ends - begins) * runs
        return NEVER

    def left_at(self, at: int) -> int:
        """Return the time that is left to the seat to move: 0 once it has run out (1.4)."""
        stretch = self.stretch
        assert stretch
        if stretch.stage != "in_time":
            return 0
        last = stretch.segments[-1]
        return max(0, last.left - self.charged(last.since, at))

    def runs_out(self) -> int:
        """Return when the time of the stretch runs out or ran out."""
        stretch = self.stretch
        assert stretch
        if stretch.stage != "in_time":
            return stretch.ran_out
        return self.reach(stretch.segments[-1].since, stretch.segments[-1].left)

    def unpaused(self, since: int, needed: int) -> int:
        """Return the first instant, in no pause, by which a time without pauses has passed (9.1)."""
        at = since
        while True:
            edges = [edge for pair in self.pauses for edge in pair if edge > at]
            ends = min([*edges, NEVER])
            if not self.paused(at):
                if ends - at >= needed:
                    return at + needed
                needed -= ends - at
            at = ends
