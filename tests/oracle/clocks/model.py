"""One game in time: what people, the host and failures do to it, and what the service does by itself."""

from typing import Any

from tests.oracle.clocks.accounts import Account, Refused
from tests.oracle.clocks.game import Game
from tests.oracle.clocks.reminders import Reminders
from tests.oracle.clocks.state import Entry, Settings
from tests.oracle.clocks.times import DAY, HOUR, NEVER, QUARTER, instant, shortest, stamp

LEAST_WORD, MOST_WORD, MOST_TOGETHER = HOUR, 14 * DAY, 28 * DAY
WARNED_BEFORE = 14 * DAY


class Model:
    """A game with its accounts; `advance` lets time pass, everything else is an event at the instant given."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.accounts = [Account() for _ in settings.bots]
        self.game = Game(settings, self.accounts)
        self.reminders = Reminders(self.game)
        self.started = False
        self.now = 0
        self.then: list[int | None] = []
        self.words: tuple[int, dict[int, int]] = (0, {})
        self.added: tuple[int, int] = (0, 0)
        self.failures: list[tuple[int, int, list[str]]] = []
        self.mails: list[tuple[int, int, int]] = []

    def advance(self, to: int, *, including: bool) -> None:
        """Let time pass up to an instant; what is due at that instant is done only if it is included."""
        if not self.started:
            self.now = to
            return
        while True:
            outage = self.next_outage()
            step = self.next_step()
            planned = self.reminders.planned(self.now, self.failing())
            reminder = planned[0][0] if planned else NEVER
            at = min(outage[0], step[0], reminder)
            if at > to or (at == to and not including):
                break
            self.now = max(self.now, at)
            if outage[0] == at:
                self.write_outage(outage)
            elif step[0] == at:
                self.take_step(step[1])
            else:
                self.reminders.send(planned)
        self.now = to

    def failing(self) -> list[tuple[int, int]]:
        """Return when a part of the service failed (8.1)."""
        return [(begins, ends) for begins, ends, _ in self.failures]

    def next_outage(self) -> tuple[int, int, list[str]]:
        """Return the next outage that has to be written into this game: its end, its beginning, the parts (8.3)."""
        if self.settings.kind == "none" or not self.game.stretch:
            return NEVER, NEVER, []
        waiting = [(ends, begins, what) for begins, ends, what in self.failures
                   if ends >= self.now and ends - begins > QUARTER and not self.is_written(begins, ends)]  # fmt: skip
        return min(waiting, default=(NEVER, NEVER, []))

    def is_written(self, begins: int, ends: int) -> bool:
        """Return whether this outage stands in the log."""
        return any(entry.kind == "clock.outage" and entry.data and entry.data["from"] == stamp(begins)
                   and entry.data["to"] == stamp(ends) for entry in self.game.log)  # fmt: skip

    def write_outage(self, outage: tuple[int, int, list[str]]) -> None:
        """Write an outage into the log and compute all clocks again (8.3, 8.4)."""
        ends, begins, what = outage
        assert self.game.stretch
        data = {"wait": self.game.stretch.wait, "from": stamp(begins), "to": stamp(ends), "what": what}
        self.append("clock.outage", self.game.stretch.seat, data)
        self.game.outages.append((max(begins, *self.game.stepped()), ends))
        self.game.replay()
        self.reminders.known_since = self.now

    def next_step(self) -> tuple[int, str]:
        """Return the next step that is due, and when it can be taken if nothing changes (6.2, 7.4, 8.2, 9.1)."""
        due, step = min(self.next_of_ladder(), self.next_of_abandonment())
        at = max(due, self.now)
        while at < NEVER:
            holds = [*self.failing(), *((begins, ends) for begins, ends in self.game.pauses)]
            if step in ("out", "autopilot"):
                holds += [(begins, min(ends, due + QUARTER)) for seat, begins, ends in self.mails
                          if self.game.stretch and seat == self.game.stretch.seat]  # fmt: skip
            until = [ends for begins, ends in holds if begins <= at < ends]
            if not until:
                break
            at = max(until)
        return at, step

    def next_of_ladder(self) -> tuple[int, str]:
        """Return the next step of the ladder, and when it is due (6.2)."""
        game, stretch = self.game, self.game.timed()
        if not stretch:
            return NEVER, ""
        if stretch.stage == "in_time":
            return game.runs_out(), "nudge"
        if stretch.step_next is None:
            return NEVER, ""
        return game.reach(stretch.step_at, stretch.step_for), stretch.step_next

    def next_of_abandonment(self) -> tuple[int, str]:
        """Return the warning or the end of a game that nobody plays, and when it is due (9.1)."""
        game = self.game
        if not game.stretch or self.next_of_ladder()[1]:
            return NEVER, ""
        ends = game.unpaused(game.counted_from, self.settings.abandoned_after)
        if game.warning is None:
            return game.unpaused(game.counted_from, self.settings.abandoned_after - WARNED_BEFORE), "warning"
        return max(ends, game.warning[1]), "end"

    def take_step(self, step: str) -> None:
        """Write the entry of a step (6.3, section 12)."""
        stretch = self.game.stretch
        assert stretch
        data: dict[str, Any] = {"wait": stretch.wait}
        ladder = self.settings.ladder
        last = None if ladder["then"] == "wait" else ladder["then"]
        if step == "nudge":
            follows = "grace" if ladder["grace"] and stretch.seat not in self.game.grace_used else last
            self.append("clock.nudge", stretch.seat, {**data, "for": ladder["nudge"], "next": follows})
        elif step == "grace":
            self.append("clock.grace", stretch.seat, {**data, "for": ladder["grace"], "next": last})
        elif step == "autopilot":
            self.append("clock.autopilot", stretch.seat, data)
            self.end_without_persons()
        elif step == "out":
            self.leaves(stretch.seat, "timeout", None)
        elif step == "warning":
            ends = self.game.unpaused(self.game.counted_from, self.settings.abandoned_after)
            not_before = stamp(max(ends, self.now + WARNED_BEFORE))
            self.append("clock.warning", stretch.seat, {**data, "not_before": not_before})
        else:
            self.append("end", None)

    def end_without_persons(self) -> None:
        """End the game if nobody but bots would play on (9.3)."""
        if not self.game.over and not self.game.persons():
            self.append("end", None, turn=None)

    def append(self, kind: str, seat: int | None, data: dict[str, Any] | None = None, by: str | None = None,
               turn: int | None = -1) -> None:  # fmt: skip
        """Append an entry, after which the same seat is to move unless `turn` says otherwise."""
        if turn == -1:
            turn = self.game.stretch.seat if self.game.stretch else None
        entry = Entry(len(self.game.log) + 1, self.now, seat, kind, turn, data, by)
        self.game.log.append(entry)
        wait = self.game.stretch.wait if self.game.stretch else None
        self.game.apply(entry)
        if self.game.stretch and self.game.stretch.wait != wait:
            self.reminders.known_since = self.now

    def start(self, at: int, seat: int, then: list[int | None]) -> None:
        """Begin the game; entry 1 is the mark of its clock, if it has one (section 12)."""
        self.advance(at, including=False)
        self.started, self.then = True, then
        self.game.start(at, seat)
        self.reminders.known_since = at
        if self.settings.kind != "none":
            data = {"clock": self.settings.clock, "ladder": self.settings.ladder,
                    "quiet": self.settings.quiet, "absences": self.settings.absences}  # fmt: skip
            self.append("clock", seat, data)

    def refuse_outsiders(self, seat: int) -> None:
        """Refuse what is asked for in a game that is over or by somebody who has left."""
        if self.game.over:
            raise Refused("game_over")
        if seat in self.game.left:
            raise Refused("left")

    def move(self, seat: int, turn: int | None, then: list[int | None], by: str | None) -> None:
        """Place or refill."""
        self.refuse_outsiders(seat)
        assert self.game.stretch
        if seat != self.game.stretch.seat:
            raise Refused("not_your_turn")
        self.append("move", seat, by=by, turn=turn)
        self.then = then

    def leave(self, seat: int, turn: int | None, then: list[int | None]) -> None:
        """Resign, in or out of turn."""
        self.refuse_outsiders(seat)
        if then:
            self.then = then
        self.leaves(seat, "resign", turn)
        self.give_if_all_agree()

    def leaves(self, seat: int, kind: str, turn: int | None) -> None:
        """Write that a seat has left, with which the game may be over (6.4, 9.3)."""
        staying = [each for each in range(len(self.settings.bots)) if each not in self.game.left and each != seat]
        assert self.game.stretch
        if len(staying) == 1:
            turn = None
        elif seat != self.game.stretch.seat:
            turn = self.game.stretch.seat
        elif turn is None:
            self.then = [each for each in self.then if each in staying]
            turn = self.then.pop(0)
        self.append(kind, seat, turn=turn)
        self.end_without_persons()

    def schedule(self, seat: int, zone: str, windows: list[dict[str, Any]]) -> None:
        """Change an account's zone and quiet times."""
        self.accounts[seat].set_schedule(self.now, zone, windows)
        self.reminders.known_since = self.now

    def absence(self, seat: int, begins: int | None, ends: int) -> None:
        """Announce an absence, which may come too late for the stretch that runs (4.6)."""
        stretch = self.game.stretch
        late = stretch and stretch.seat == seat and stretch.stage in ("nudge", "grace")
        self.accounts[seat].announce(self.now, begins, ends, stretch.wait if stretch and late else None)
        self.reminders.known_since = self.now

    def back(self, seat: int) -> None:
        """Come back: end absences (4.5), and take the seat back from the bot (6.6)."""
        self.accounts[seat].back(self.now)
        if seat in self.game.autopilot and not self.game.over:
            self.append("clock.back", seat)
        self.reminders.known_since = self.now

    def more(self, seat: int, length: int) -> None:
        """Say that the seat to move may have more time (7.5)."""
        self.refuse_outsiders(seat)
        if self.settings.kind == "none":
            raise Refused("no_clock")
        stretch = self.game.stretch
        assert stretch
        persons = self.game.persons()
        if seat == stretch.seat or seat not in persons or stretch.seat not in persons:
            raise Refused("not_yours_to_give")
        if not LEAST_WORD <= length <= MOST_WORD:
            raise Refused("bounds")
        if self.added[0] != stretch.wait:
            self.added = (stretch.wait, 0)
        if self.added[1] + length > MOST_TOGETHER:
            raise Refused("too_much")
        if self.words[0] != stretch.wait:
            self.words = (stretch.wait, {})
        self.words[1][seat] = length
        self.give_if_all_agree()

    def give_if_all_agree(self) -> None:
        """Give the player to move the least of the times that all others have offered (7.5)."""
        stretch = self.game.stretch
        if not stretch or self.words[0] != stretch.wait or stretch.seat not in self.game.persons():
            return
        others = [seat for seat in self.game.persons() if seat != stretch.seat]
        if not others or any(seat not in self.words[1] for seat in others):
            return
        given = min(self.words[1][seat] for seat in others)
        self.append("clock.more", stretch.seat, {"wait": stretch.wait, "for": shortest(given), "given_by": others})
        self.words = (stretch.wait, {})
        self.added = (stretch.wait, self.added[1] + given if self.added[0] == stretch.wait else given)
        self.reminders.known_since = self.now

    def pause(self, until: int, reason: str) -> None:
        """Pause the game (7.2)."""
        self.append("clock.pause", None, {"until": stamp(until), "reason": reason}, "host")
        self.reminders.known_since = self.now

    def resume(self, reason: str) -> None:
        """End a pause (7.2)."""
        self.append("clock.resume", None, {"reason": reason}, "host")
        self.reminders.known_since = self.now

    def give(self, seat: int, length: str, reason: str) -> None:
        """Give the seat to move more time, as the host (7.3)."""
        stretch = self.game.stretch
        assert stretch and stretch.seat == seat
        data = {"wait": stretch.wait, "seat": seat, "for": length, "reason": reason}
        self.append("clock.more", None, data, "host")
        self.words = (stretch.wait, {})
        self.reminders.known_since = self.now

    def put_out(self, seat: int, reason: str) -> None:
        """Put a seat out, as the host (7.3)."""
        self.append("host.out", None, {"seat": seat, "reason": reason}, "host")
        self.leaves(seat, "timeout", None)
        self.give_if_all_agree()

    def stop(self, reason: str) -> None:
        """End the game, as the host (7.3)."""
        self.append("host.end", None, {"reason": reason}, "host")
        self.append("end", None, by="host", turn=None)

    def keep(self, seat: int) -> None:
        """Say that the game shall not end (9.2)."""
        self.refuse_outsiders(seat)
        self.append("clock.keep", seat)

    def fail(self, begins: str, ends: str, what: list[str]) -> None:
        """Let parts of the service fail from now until an instant (8.1)."""
        self.failures.append((instant(begins), instant(ends), what))

    def mail(self, seat: int, begins: str, ends: str) -> None:
        """Let a mail of this seat be stored and not yet worked off (7.4)."""
        self.mails.append((seat, instant(begins), instant(ends)))
