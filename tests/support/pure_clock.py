"""Play the events of a clock vector (tests/data/clock-vectors.jsonl) on the pure functions of `service.clocks`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from engine.clock import durations
from engine.clock.errors import ClockError
from engine.clock.terms import ABANDONED_AFTER, LEAST_OUTAGE, Terms, clock_from_json, ladder_from_json
from engine.moves import END, REFILL, RESIGN, TIMEOUT, Mark, Move
from engine.record import moment, stamp
from service.clocks import absences, clock_json, quiet_times
from service.clocks.clock_view import view
from service.clocks.entries import after, begin, fold
from service.clocks.game_clock import ClockEntry, GameClock
from service.clocks.more_time import with_word
from service.clocks.quiet_times import NEVER, Schedule
from service.clocks.reminders import Chosen, Planned, reminders, together
from service.clocks.seats import SeatFacts
from service.clocks.steps import Due, due

IN_HAND = timedelta(minutes=15)

Object = dict[str, Any]


@dataclass
class Seat:
    bot: bool
    schedules: list[tuple[datetime, Schedule]] = field(default_factory=list)
    absences: tuple[absences.Absence, ...] = ()
    chosen: tuple[Chosen, ...] = ()

    def facts(self, at: datetime) -> SeatFacts:
        known = [schedule for set_at, schedule in self.schedules if set_at <= at]
        return SeatFacts(self.bot, known[-1] if known else NEVER, self.absences)


class PureGame:
    """A game of which only who is to move is known; everything else is done by the functions under test."""

    def __init__(self, settings: Object) -> None:
        terms = Terms(
            clock_from_json(settings["clock"]),
            ladder_from_json(settings["ladder"]),
            settings.get("quiet", True),
            settings.get("absences", True),
        )
        self.terms = None if terms.clock.kind == "none" else terms
        self.abandoned_after = ABANDONED_AFTER
        if "abandoned_after" in settings:
            self.abandoned_after = durations.parse(settings["abandoned_after"])
        self.seats = [Seat(kind == "bot") for kind in settings["seats"]]
        self.clock: GameClock | None = None
        self.began: tuple[int, datetime] | None = None
        self.entries: list[tuple[ClockEntry, int | None]] = []
        self.turn: int | None = None
        self.then: list[int] = []
        self.changed_at = datetime.min
        self.failing: list[tuple[datetime, datetime]] = []
        self.in_hand: list[tuple[int, datetime, datetime]] = []
        self.sent: dict[tuple[int, str], datetime] = {}
        self.log: list[Object] = []
        self.reminded: list[Object] = []
        self.refused: list[Object] = []

    def facts(self, at: datetime) -> list[SeatFacts]:
        return [seat.facts(at) for seat in self.seats]

    # What is done

    def append(self, at: datetime, seat: int | None, move: Move, turn: int | None, by: str | None = None) -> None:
        assert self.clock is not None
        seq = len(self.entries) + 1
        entry = ClockEntry(seq, at, seat, by, move)
        self.entries.append((entry, turn))
        kind = move.kind if isinstance(move, Mark) else {REFILL: "move", RESIGN: "resign", TIMEOUT: "timeout"}.get(move)
        shown: Object = {"seq": seq, "at": stamp(at), "seat": seat, "kind": kind or "end"}
        if by is not None:
            shown["by"] = by
        if isinstance(move, Mark) and move.data is not None:
            shown["data"] = move.data
        self.log.append(shown)
        if shown["kind"] == "clock.outage":
            self.clock = replace(self.folded(), words=self.clock.words)
        else:
            self.clock = after(self.clock, entry, turn, self.facts(at))
            self.check_fold()
        self.turn = turn
        self.changed_at = at
        stored = clock_json.to_json(self.clock)
        assert clock_json.from_json(stored, self.terms, self.abandoned_after) == self.clock

    def folded(self) -> GameClock:
        assert self.began is not None
        turn, at = self.began
        return fold(self.terms, self.abandoned_after, self.facts, turn, at, self.entries)

    def check_fold(self) -> None:
        assert self.clock is not None
        assert self.folded() == replace(self.clock, words=())

    def refuse(self, event: Object, why: str) -> None:
        self.refused.append({"at": event["at"], "type": event["type"], "seat": event.get("seat"), "why": why})

    def gone(self) -> int | None:
        """Return the seat to move when the one to move has left."""
        assert self.clock is not None
        if len(self.clock.remaining()) == 2:
            return None
        return self.then.pop(0)

    def do(self, event: Object) -> None:
        at = moment(event["at"])
        try:
            getattr(self, "on_" + event["type"])(event, at)
        except ClockError as error:
            self.refuse(event, error.code)
        self.changed_at = max(self.changed_at.replace(tzinfo=at.tzinfo), at)

    def on_start(self, event: Object, at: datetime) -> None:
        self.turn = event["seat"]
        self.follow(event)
        assert self.turn is not None
        self.began = self.turn, at
        self.clock = begin(self.terms, self.abandoned_after, self.facts(at), self.turn, at)
        if self.terms is not None:
            self.append(at, self.turn, Mark("clock", self.terms.to_json()), self.turn)

    def follow(self, event: Object) -> None:
        if "then" in event:
            self.then = list(event["then"]) if isinstance(event["then"], list) else [event["then"]]

    def on_move(self, event: Object, at: datetime) -> None:
        assert self.clock is not None
        if self.turn is None:
            raise ClockError("game_over", "")
        if event["seat"] in self.clock.left_seats:
            raise ClockError("left", "")
        assert event["seat"] == self.turn
        self.follow(event)
        self.append(at, event["seat"], REFILL, event["next"], event.get("by"))

    def on_leave(self, event: Object, at: datetime) -> None:
        assert self.clock is not None
        turn = event.get("next", self.turn)
        self.append(at, event["seat"], RESIGN, None if len(self.clock.remaining()) == 2 else turn)

    def on_schedule(self, event: Object, at: datetime) -> None:
        seat = self.seats[event["seat"]]
        schedule = quiet_times.parse(event["quiet"], event["zone"])
        if quiet_times.next_change((set_at for set_at, _ in seat.schedules), at) is not None:
            raise ClockError("too_often", "")
        seat.schedules.append((at, schedule))

    def on_reminders(self, event: Object, at: datetime) -> None:
        seat = self.seats[event["seat"]]
        known = dict(seat.chosen)
        seat.chosen = tuple(Chosen(which, known.get(which, at)) for which in event["list"])

    def on_absence(self, event: Object, at: datetime) -> None:
        seat = self.seats[event["seat"]]
        since = moment(event["from"]) if "from" in event else None
        announced = absences.announce(seat.absences, since, moment(event["until"]), at)
        seat.absences = (*seat.absences, announced)

    def on_back(self, event: Object, at: datetime) -> None:
        assert self.clock is not None
        seat = self.seats[event["seat"]]
        seat.absences = absences.back(seat.absences, at)
        if event["seat"] in self.clock.autopilot:
            self.append(at, event["seat"], Mark("clock.back"), self.turn)

    def on_more(self, event: Object, at: datetime) -> None:
        assert self.clock is not None
        self.clock = with_word(self.clock, event["seat"], durations.parse(event["for"]), at)

    def on_keep(self, event: Object, at: datetime) -> None:
        self.append(at, event["seat"], Mark("clock.keep"), self.turn)

    def on_pause(self, event: Object, at: datetime) -> None:
        data = {"until": event["until"], "reason": event["reason"]}
        self.append(at, None, Mark("clock.pause", data), self.turn, "host")

    def on_resume(self, event: Object, at: datetime) -> None:
        self.append(at, None, Mark("clock.resume", {"reason": event["reason"]}), self.turn, "host")

    def on_outage(self, event: Object, at: datetime) -> None:
        since, until = moment(event["from"]), moment(event["to"])
        if until - since > LEAST_OUTAGE and self.clock is not None and self.clock.stretch is not None and self.terms:
            data = {"wait": self.clock.stretch.wait, "from": event["from"], "to": event["to"], "what": event["what"]}
            self.append(until, self.turn, Mark("clock.outage", data), self.turn)

    # What comes by itself

    def next_due(self) -> tuple[datetime, Due] | None:
        """Return what is due next, and when it can be done."""
        if self.clock is None:
            return None
        found = due(self.clock, self.facts(self.changed_at))
        if found is None:
            return None
        at = self.possible(found.at)
        if found.what in ("autopilot", "out"):
            for seat, since, until in self.in_hand:
                if seat == found.seat and since <= at < until:
                    at = self.possible(min(until, found.at + IN_HAND))
        return at, found

    def possible(self, at: datetime) -> datetime:
        """Return the first instant from this one on at which nothing fails."""
        for since, until in sorted(self.failing):
            if since <= at < until:
                at = until
        return at

    def take(self, at: datetime) -> None:
        assert self.clock is not None
        found = due(self.clock, self.facts(at), at)
        assert found is not None
        turn = self.turn
        if found.move == TIMEOUT:
            turn = self.gone()
        elif found.move == END:
            turn = None
        self.append(at, found.seat, found.move, turn)

    def planned(self) -> list[Planned]:
        if self.clock is None or self.clock.stretch is None:
            return []
        stretch = self.clock.stretch
        sent = {which: at for (wait, which), at in self.sent.items() if wait == stretch.wait}
        chosen = self.seats[stretch.seat].chosen
        return reminders(self.clock, self.facts(self.changed_at), chosen, sent, self.changed_at)

    def remind(self, at: datetime) -> None:
        assert self.clock is not None and self.clock.stretch is not None
        stretch = self.clock.stretch
        _, mail = together([(one.at, one.which) for one in self.planned()])[0]
        self.reminded.append({"at": stamp(at), "seat": stretch.seat, "which": sorted(mail)})
        self.sent.update({(stretch.wait, which): at for which in mail})

    def run(self, until: datetime) -> None:
        """Do all that comes by itself up to an instant, and at it."""
        while True:
            step, mails = self.next_due(), self.planned()
            mail_at = self.possible(max(mails[0].at, self.changed_at)) if mails else None
            if step is not None and step[0] <= until and (mail_at is None or step[0] <= mail_at):
                self.take(step[0])
            elif mail_at is not None and mail_at <= until:
                self.remind(mail_at)
            else:
                return


def play(vector: Object) -> Object:
    """Return what a vector's events lead to, in the form of its `expect`."""
    game = PureGame(vector["settings"])
    events: list[tuple[datetime, int, int, Object]] = []
    for number, event in enumerate(vector["events"]):
        if event["type"] == "mail":
            game.in_hand.append((event["seat"], moment(event["from"]), moment(event["to"])))
        elif event["type"] == "outage":
            game.failing.append((moment(event["from"]), moment(event["to"])))
            events.append((moment(event["to"]), 0, number, event | {"at": event["to"]}))
        else:
            events.append((moment(event["at"]), 1, number, event))
    for number, ask in enumerate(vector["ask"]):
        events.append((moment(ask["at"]), 2, number, ask | {"type": "ask"}))
    views: list[Object] = []
    millisecond = timedelta(milliseconds=1)
    for at, _, _, event in sorted(events, key=lambda one: one[:3]):
        game.run(at - millisecond)
        if event["type"] == "ask":
            game.run(at)
            assert game.clock is not None
            views.append(
                {
                    "at": event["at"],
                    "viewer": event["viewer"],
                    "clock": view(game.clock, game.facts(at), at, event["viewer"]),
                }
            )
        else:
            game.do(event)
    return {"views": views, "log": game.log, "reminders": game.reminded, "refused": game.refused}


def mails(planned: Sequence[Object]) -> list[Object]:
    """Return the mails of reminders that are planned in several games."""
    pairs = [(moment(one["at"]), [one["game"], one["which"]]) for one in planned]
    return [{"at": stamp(at), "games": games} for at, games in together(pairs)]
