"""A line of the clock vectors, run through the pure functions of `service.clocks`: no database, no commands.

What holds a step or a reminder back (a part of the service that fails, a mail in hand) is the caller's business, and so
is done here.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from engine.clock import durations
from engine.clock.errors import ClockError
from engine.clock.terms import Terms
from engine.moves import END, RESIGN, TIMEOUT, Mark, Move, Place, Timeout, to_json
from service.clocks import absences, clock_json, clock_view, entries, more_time, quiet_times, steps
from service.clocks.absences import Absence, Period
from service.clocks.game_clock import ClockEntry, GameClock
from service.clocks.reminders import Chosen, Planned, reminders, together
from service.clocks.seats import SeatFacts
from service.clocks.steps import Due

QUARTER = timedelta(minutes=15)
Event = dict[str, Any]


def instant(text: str) -> datetime:
    """Return an instant from its text."""
    return datetime.fromisoformat(text)


def stamp(at: datetime) -> str:
    """Return an instant as text, in milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class Account:
    schedules: list[tuple[datetime, quiet_times.Schedule]] = field(default_factory=list)
    absences: tuple[Absence, ...] = ()
    chosen: dict[str, datetime] = field(default_factory=dict)

    def facts(self, bot: bool, at: datetime) -> SeatFacts:
        """Return the facts about a seat that the clock has to know, with the quiet times of that instant."""
        schedule = quiet_times.Schedule("UTC")
        for since, other in self.schedules:
            if since <= at:
                schedule = other
        return SeatFacts(bot, schedule, self.absences)


class Refused(Exception):
    pass


class FoldedGame:
    """A game whose clock is folded from its entries, as the line's events bring them."""

    def __init__(self, line: dict[str, Any]) -> None:
        given = line["settings"]
        self.bots = [seat == "bot" for seat in given["seats"]]
        self.terms = None
        if given["clock"]["kind"] != "none":
            flags = {"quiet": given.get("quiet", True), "absences": given.get("absences", True)}
            self.terms = Terms.from_json({"clock": given["clock"], "ladder": given["ladder"], **flags})
        self.abandoned_after = durations.parse(given.get("abandoned_after", "P90D"))
        self.accounts = [Account() for _ in self.bots]
        self.clock: GameClock | None = None
        self.began: tuple[int, datetime] = (0, datetime(1970, 1, 1, tzinfo=UTC))
        self.turn: int | None = None
        self.log: list[tuple[ClockEntry, int | None]] = []
        self.left: set[int] = set()
        self.then: list[int] = []
        self.failures: list[tuple[datetime, datetime, list[str]]] = []
        self.given_back: set[tuple[datetime, datetime]] = set()
        self.mails: list[tuple[int, datetime, datetime]] = []
        self.sent: list[tuple[Planned, int]] = []
        self.mailed: list[dict[str, Any]] = []
        self.now = self.known_since = self.began[1]

    def facts(self, at: datetime | None = None) -> Sequence[SeatFacts]:
        return [account.facts(bot, at or self.now) for account, bot in zip(self.accounts, self.bots, strict=True)]

    def held_until(self, at: datetime, due: Due | None) -> datetime:
        """Return when a step that is due, or a reminder, may be taken at the earliest (7.4, 8.2)."""
        assert self.clock
        if due and (due.what == "more" or not self.clock.persons()):
            return at
        holds = [(begins, ends) for begins, ends, _ in self.failures]
        if due and due.what in ("out", "autopilot"):
            holds += [(begins, min(ends, due.at + QUARTER)) for seat, begins, ends in self.mails if seat == due.seat]
        while True:
            until = [ends for begins, ends in holds if begins <= at < ends]
            if not until:
                return at
            at = max(until)

    def advance(self, to: datetime, *, including: bool) -> None:
        """Do what is due until an instant."""
        while self.clock and self.clock.stretch:
            found: list[tuple[datetime, int, Callable[[], None]]] = [
                (ends, 0, partial(self.outage, begins, ends, what)) for begins, ends, what in self.failures
                if self.terms and ends - begins > QUARTER and (begins, ends) not in self.given_back
            ]  # fmt: skip
            due = steps.due(self.clock, self.facts())
            if due:
                found.append((self.held_until(max(due.at, self.now), due), 1, self.step))
            planned = self.planned()
            if planned:
                at = self.held_until(max(planned[0].at, self.now), None)
                found.append((at, 2, partial(self.send, at, planned)))
            at, _, act = min(found, key=lambda each: each[:2], default=(datetime.max.replace(tzinfo=UTC), 3, self.step))
            if at > to or (at == to and not including):
                break
            self.now = max(self.now, at)
            act()
        self.now = max(self.now, to)

    def step(self) -> None:
        """Append the entry that is due."""
        assert self.clock
        due = steps.due(self.clock, self.facts(), self.now)
        assert due
        turn = self.after_leaving(due.seat) if isinstance(due.move, Timeout) else self.turn
        self.append(due.seat, due.move, None if due.move == END else turn)

    def after_leaving(self, seat: int | None) -> int | None:
        staying = [each for each in range(len(self.bots)) if each not in self.left and each != seat]
        if len(staying) == 1:
            return None
        if seat != self.turn:
            return self.turn
        return next(each for each in self.then if each in staying)

    def outage(self, begins: datetime, ends: datetime, what: list[str]) -> None:
        """Write an outage, and fold the log anew (8.3)."""
        assert self.clock
        self.given_back.add((begins, ends))
        assert self.clock.stretch
        data = {"wait": self.clock.stretch.wait, "from": stamp(begins), "to": stamp(ends), "what": what}
        self.append(self.turn, Mark("clock.outage", data), self.turn)

    def append(self, seat: int | None, move: Move, turn: int | None, by: str | None = None) -> None:
        """Append an entry, and whatever follows from it at once."""
        assert self.clock
        self.known_since = self.now
        entry = ClockEntry(len(self.log) + 1, self.now, seat, by, move)
        self.log.append((entry, turn))
        self.turn = turn
        if seat is not None and (move == RESIGN or isinstance(move, Timeout)):
            self.left.add(seat)
        if isinstance(move, Mark) and move.kind == "clock.outage":
            self.clock = replace(self.folded(), words=self.clock.words)
        else:
            self.clock = entries.after(self.clock, entry, turn, self.facts())
        stored = clock_json.to_json(self.clock)
        assert clock_json.from_json(stored, self.terms, self.abandoned_after) == self.clock

    def folded(self) -> GameClock:
        """Return the clock as it follows from the whole log, which has no words (7.5)."""
        return entries.fold(self.terms, self.abandoned_after, self.facts, *self.began, self.log)

    def planned(self) -> list[Planned]:
        """Return the reminders to be sent in this stretch."""
        if self.clock is None or self.clock.stretch is None or self.turn is None:
            return []
        chosen = [Chosen(which, since) for which, since in self.accounts[self.turn].chosen.items()]
        sent = {each.which: each.at for each, wait in self.sent if wait == self.clock.stretch.wait}
        planned = reminders(self.clock, self.facts(), chosen, sent, self.known_since)
        return sorted(planned, key=lambda each: each.at)

    def send(self, at: datetime, planned: list[Planned]) -> None:
        """Send the first reminders, and those of the hour that they open."""
        assert self.clock and self.clock.stretch
        _, mail = together([(each.at, each) for each in planned])[0]
        self.sent += [(each._replace(at=at), self.clock.stretch.wait) for each in mail]
        self.mailed.append({"at": stamp(at), "seat": mail[0].seat, "which": sorted(each.which for each in mail)})

    def happen(self, event: Event) -> None:
        """Let an event happen now; raises ClockError or Refused."""
        kind, seat = event["type"], event.get("seat", 0)
        self.known_since = self.now if kind in ("schedule", "absence", "back") else self.known_since
        account = self.accounts[seat]
        if kind == "start":
            self.then = list(thereafter(event))
            self.began, self.turn = (seat, self.now), seat
            self.clock = entries.begin(self.terms, self.abandoned_after, self.facts(), seat, self.now)
            if self.terms:
                self.append(seat, Mark("clock", self.terms.to_json()), seat)
        elif kind in ("move", "leave", "keep", "more"):
            self.in_game(kind, seat, event)
        elif kind == "schedule":
            schedule = quiet_times.parse(event["quiet"], event["zone"])
            if quiet_times.next_change([at for at, _ in account.schedules], self.now) is not None:
                raise Refused("too_often")
            account.schedules.append((self.now, schedule))
        elif kind == "reminders":
            account.chosen = {which: account.chosen.get(which, self.now) for which in event["list"]}
        elif kind == "absence":
            begins = instant(event["from"]) if event.get("from") else None
            new = absences.announce(account.absences, Period(begins, instant(event["until"])), self.now)
            account.absences = (*account.absences, new)
        elif kind == "back":
            account.absences = absences.back(account.absences, self.now)
            if self.clock and self.clock.stretch and seat in self.clock.autopilot:
                self.append(seat, Mark("clock.back"), self.turn)
        elif kind == "pause":
            until = {"until": event["until"], "reason": event["reason"]}
            self.append(None, Mark("clock.pause", until), self.turn, "host")
        elif kind == "resume":
            self.append(None, Mark("clock.resume", {"reason": event["reason"]}), self.turn, "host")
        elif kind == "give":
            assert self.clock and self.clock.stretch
            data = {"wait": self.clock.stretch.wait, "seat": seat, "for": event["for"], "reason": event["reason"]}
            self.append(None, Mark("clock.more", data), self.turn, "host")
        elif kind == "put_out":
            self.append(None, Mark("host.out", {"seat": seat, "reason": event["reason"]}), self.turn, "host")
            self.append(seat, TIMEOUT, self.after_leaving(seat))
        elif kind == "stop":
            self.append(None, Mark("host.end", {"reason": event["reason"]}), self.turn, "host")
            self.append(None, END, None, "host")
        elif kind == "outage":
            self.failures.append((instant(event["from"]), instant(event["to"]), event["what"]))
        else:
            assert kind == "mail"
            self.mails.append((seat, instant(event["from"]), instant(event["to"])))

    def in_game(self, kind: str, seat: int, event: Event) -> None:
        """Let somebody at the table do something in the game."""
        assert self.clock
        if self.clock.stretch is None:
            raise Refused("game_over")
        if seat in self.left:
            raise Refused("left")
        if kind == "move":
            if seat != self.turn:
                raise Refused("not_your_turn")
            self.append(seat, Place(1, 0, 0), event["next"], event.get("by"))
            self.then = list(thereafter(event))
        elif kind == "leave":
            self.then = list(thereafter(event)) or self.then
            last = len(self.left) + 2 >= len(self.bots)
            turn = None if last else event["next"] if seat == self.turn else self.turn
            self.append(seat, RESIGN, turn)
        elif kind == "keep":
            self.append(seat, Mark("clock.keep"), self.turn)
        else:
            try:
                length = durations.parse(event["for"])
            except ClockError as error:
                raise Refused("bounds") from error
            self.clock = more_time.with_word(self.clock, seat, length, self.now)


def thereafter(event: Event) -> Iterator[int]:
    """Yield who would move next were the seat to move gone, and after."""
    then = event.get("then")
    yield from then if isinstance(then, list) else [] if then is None else [then]


def run(line: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a line's settings and events, in the form of `expect`."""
    if "planned" in line:
        planned = [(instant(one["at"]), [one["game"], one["which"]]) for one in line["planned"]]
        return {"mails": [{"at": stamp(at), "games": games} for at, games in together(planned)]}
    game = FoldedGame(line)
    refused, shown = [], {}
    events = [(instant(event.get("at") if event["type"] == "absence" else event.get("at") or event["from"]), event)
              for event in line["events"]]  # fmt: skip
    asks = [(instant(ask["at"]), number, ask) for number, ask in enumerate(line["ask"])]
    ends = {instant(event["to"]) for event in line["events"] if "to" in event}  # of outages, and of mails in hand
    for at in sorted({at for at, _ in events} | {at for at, *_ in asks} | ends):
        game.advance(at, including=False)
        for event in [event for when, event in events if when == at]:
            try:
                game.happen(event)
            except (ClockError, Refused) as error:
                why = error.code if isinstance(error, ClockError) else str(error)
                refused.append({"at": event["at"], "type": event["type"], "seat": event["seat"], "why": why})
        game.advance(at, including=True)
        for _, number, ask in [each for each in asks if each[0] == at]:
            assert game.clock
            shown[number] = {**ask, "clock": clock_view.view(game.clock, game.facts(), at, ask["viewer"])}
    assert game.clock and game.folded() == replace(game.clock, words=())
    rows = []
    for entry, _ in game.log:
        move = to_json(entry.move)
        kind = move["kind"] if move["type"] == "mark" else "move" if move["type"] == "place" else move["type"]
        row = {"seq": entry.seq, "at": stamp(entry.at), "seat": entry.seat, "kind": kind}
        row |= {"by": entry.by} if entry.by else {}
        rows.append(row | ({"data": move["data"]} if "data" in move else {}))
    views = [shown[number] for number in range(len(line["ask"]))]
    return {"views": views, "log": rows, "reminders": game.mailed, "refused": refused}
