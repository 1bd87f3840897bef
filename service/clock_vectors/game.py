"""Run the game of one vector: its events through the commands, and what becomes due through the worker's jobs.

Time is passed in: the worker looks for due work at each instant at which there is some, as a real one does within
seconds, but not while its own part fails. Of its queue, only the moves of bots are run, which a vector names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from engine import moves, record
from engine.clock import durations
from engine.draw import Draw, commitment
from engine.moves import Move
from service.access.reply_addresses import ToTable
from service.access.secrets import Keys
from service.clock_vectors import script
from service.clock_vectors.forms import (
    Event,
    as_told,
    entries_so_far,
    expected_times,
    first_state,
    first_time,
    in_time,
    problems,
)
from service.clock_vectors.seating import Seating
from service.clock_vectors.worker import VectorWorker
from service.clocks.absences import Period
from service.commands import absences, bots, host, keep, more_time, quiet_times, reminding
from service.commands.play import play
from service.commands.rebuild import rebuild_game
from service.errors import Refusal
from service.jobs import deadlines
from service.jobs.worker_context import WorkerContext
from service.queries import legal, records
from service.queries.game_clock import view
from service.queries.table import LoadedTable, load
from service.store import incoming, signs
from service.store.tables import DrawSecret, Table

_BEFORE = timedelta(days=400)
"""The time between the creation of the accounts and the first event."""

_DRAWS = 2_000
_LONGEST = 20
"""The most moves for which a draw is looked for: a longer game can't be steered by the choice among three tiles."""


class Unplayable(Exception):
    """No draw was found with which the players can move as a vector says."""


class Game:
    """The game of one vector.

    Attributes:
        log: the log after the run, in the form of the vector.
        reminders: the reminders that were sent.
        refused: the events that were refused.
        views: what was shown at the times at which the vector asks.
        problems: the problems that an audit of the record and a rebuild of the projection find.
    """

    def __init__(self, context: WorkerContext, vector: dict[str, Any], *, scripted: bool = False) -> None:
        self._vector, self._settings = vector, vector["settings"]
        self._worker = VectorWorker(context, first_time(vector) - _BEFORE)
        self._seating = Seating(self._settings["seats"], self._settings.get("draw", {}).get("entropy", []))
        self._script, self._is_scripted = script.script(vector), scripted
        self._mails: dict[tuple[int, str], int | None] = {}
        self._game = ""
        self._key = 0
        self.log: list[Event] = []
        self.reminders: list[Event] = []
        self.refused: list[Event] = []
        self.views: list[Event] = []
        self.problems: list[str] = []

    def run(self) -> None:
        """Run all events of the vector.

        Raises:
            Unplayable: the game cannot be played as the vector says.
        """
        self._open()
        events = sorted(in_time(self._vector["events"]), key=lambda event: event[0])
        asks = sorted(((record.moment(ask["at"]), ask) for ask in self._vector["ask"]), key=lambda ask: ask[0])
        instants = sorted({at for at, _ in events} | {at for at, _ in asks} | set(expected_times(self._vector)))
        for instant in instants:
            self._worker.go_on_until(instant)
            for at, event in events:
                if at == instant:
                    self._do(event)
            self._worker.look()
            self.views += [self._shown(ask) for at, ask in asks if at == instant]
        self._read()

    @contextmanager
    def _session(self) -> Iterator[Session]:
        with self._worker.context.sessions.begin() as session:
            yield session

    # The table

    def _open(self) -> None:
        now = self._worker.now
        with self._session() as session:
            self._seating.sign_up(session, now)
            table = self._seating.open(session, self._settings, now)
            self._game, self._key = table.id, table.key
            self._set_draw(session)
            self._seating.fill(session, session.get_one(Table, self._key), self._keys, now)

    @property
    def _keys(self) -> Keys:
        return self._worker.context.settings.secret_keys

    def _set_draw(self, session: Session) -> None:
        """Give the table the draw that the vector says: its seed and, as the subject of a draw, its id."""
        draw = self._settings.get("draw", {})
        if "server_seed" in draw:
            self._game, seed = draw["subject"], bytes.fromhex(draw["server_seed"])
            values = {
                "key": self._key,
                "id": self._game,
                "seed": seed,
                "entropy": self._seating.said[self._seating.first],
            }
            for statement in _DRAW:
                session.execute(statement, values | {"commitment": bytes.fromhex(commitment(seed))})
            session.expire_all()

    def _start(self, event: Event) -> None:
        with self._session() as session:
            if not (self._is_scripted or "draw" in self._settings):
                self._seating.said[self._seating.last] = self._entropy(session)
            self._seating.start(session, session.get_one(Table, self._key), self._keys, self._worker.now)

    def _entropy(self, session: Session) -> str:
        """Return a player's share of the entropy with which the game can be played as the vector says."""
        seed = session.get_one(DrawSecret, self._key).server_seed
        first, then = script.starts(self._vector)
        said = list(self._seating.said)
        for number in range(_DRAWS if len(self._script) <= _LONGEST else 0):
            said[self._seating.last] = str(number)
            draw = Draw(seed, self._game, tuple(said))
            if draw.stack[-1] != first:
                continue
            state = first_state(draw, self._worker.now)
            if script.fits(state, then) and script.find(state, self._script) is not None:
                return str(number)
        raise Unplayable

    # Events

    def _do(self, event: Event) -> None:
        do: Callable[[Event], None] = getattr(self, f"_{event['type']}")
        try:
            do(event)
        except Refusal as refusal:
            told = {"at": record.stamp(self._worker.now), "type": event["type"]}
            if "seat" in event:
                told["seat"] = event["seat"]
            self.refused.append(told | {"why": self._why(refusal, event)})

    def _why(self, refusal: Refusal, event: Event) -> str:
        if event["type"] == "move" and refusal.code != "game_over":
            table = self._table()
            if legal.has_left(table.state, event["seat"]):
                return "left"
        return refusal.code

    def _account(self, event: Event) -> str:
        return self._seating.account(event["seat"])

    def _table(self) -> LoadedTable:
        with self._worker.context.session() as session:
            table = load(session, self._game)
        assert table is not None, "it was opened"
        return table

    def _move(self, event: Event) -> None:
        table = self._table()
        move = moves.from_json(event["move"]) if "move" in event else self._chosen(table, event)
        if self._seating.is_bots(event["seat"]) or event.get("by", "").startswith("bot:"):
            with _choosing(move):
                deadlines.settle_now(self._worker.context, self._game)
            return
        with self._session() as session:
            play(session, table, event["seat"], move, None, self._worker.now)

    def _chosen(self, table: LoadedTable, event: Event) -> Move:
        """Return a move after which everything that follows can happen, or any move if it is to be refused."""
        if table.state.turn is None:
            return moves.REFILL
        if self._is_scripted:
            return table.state.legal_moves()[0]
        found = script.find(table.state, self._script[entries_so_far(table) :])
        if found:
            return found[0]
        if not any(
            (wrong["at"], wrong["type"]) == (event["at"], "move") for wrong in self._vector["expect"]["refused"]
        ):
            raise Unplayable
        return table.state.legal_moves()[0]

    def _leave(self, event: Event) -> None:
        table = self._table()
        with self._session() as session:
            play(session, table, event["seat"], moves.RESIGN, None, self._worker.now)

    def _schedule(self, event: Event) -> None:
        with self._session() as session:
            quiet_times.change(session, self._account(event), event["zone"], event["quiet"], self._worker.now)

    def _reminders(self, event: Event) -> None:
        with self._session() as session:
            reminding.choose(session, self._account(event), event["list"], self._worker.now)

    def _absence(self, event: Event) -> None:
        from_ = None if "from" not in event else record.moment(event["from"])
        with self._session() as session:
            asked = Period(from_, record.moment(event["until"]))
            absences.announce(session, self._account(event), asked, self._worker.now)

    def _back(self, event: Event) -> None:
        with self._session() as session:
            absences.back(session, self._account(event), self._worker.now)

    def _more(self, event: Event) -> None:
        duration = None if event.get("for") is None else durations.parse(event["for"])
        table = self._table()
        with self._session() as session:
            more_time.say(session, table, event["seat"], duration, self._worker.now)

    def _keep(self, event: Event) -> None:
        table = self._table()
        with self._session() as session:
            keep.keep(session, table, event["seat"], self._worker.now)

    def _pause(self, event: Event) -> None:
        with self._session() as session:
            host.pause(session, self._game, record.moment(event["until"]), event["reason"], self._worker.now)

    def _resume(self, event: Event) -> None:
        with self._session() as session:
            host.resume(session, self._game, event["reason"], self._worker.now)

    def _give(self, event: Event) -> None:
        duration = durations.parse(event["for"])
        with self._session() as session:
            host.give_time(session, self._game, event["seat"], duration, event["reason"], self._worker.now)

    def _put_out(self, event: Event) -> None:
        with self._session() as session:
            host.put_out(session, self._game, event["seat"], event["reason"], self._worker.now)

    def _stop(self, event: Event) -> None:
        with self._session() as session:
            host.end(session, self._game, event["reason"], self._worker.now)

    def _mail_in(self, event: Event) -> None:
        table = self._table()
        to = ToTable(self._game, event["seat"], table.version, leaving=False, head=table.head)
        digest = hashlib.sha256(f"{event['seat']} {event['from']}".encode()).digest()
        with self._session() as session:
            self._mails[event["seat"], event["from"]] = incoming.add(session, digest, to, "", {}, b"", self._worker.now)

    def _mail_read(self, event: Event) -> None:
        mail = self._mails[event["seat"], event["from"]]
        assert mail is not None, "each mail is another one"
        with self._session() as session:
            incoming.read(session, mail, None, self._worker.now)

    def _fails(self, event: Event) -> None:
        self._worker.fails(event.get("what", [signs.WORKER]))

    def _works(self, event: Event) -> None:
        self._worker.works(event.get("what", [signs.WORKER]))

    # What is compared

    def _shown(self, ask: Event) -> Event:
        return {**ask, "clock": view(self._table(), self._worker.now, ask["viewer"])}

    def _read(self) -> None:
        table = self._table()
        self.log = [as_told(entry) for entry in table.entries]
        with self._session() as session:
            self.problems = [] if self._is_scripted else problems(records.line(session, table))
            self.problems += rebuild_game(session, self._key, self._game, write=False)
            rows = session.execute(_SENT, {"game": self._key}).all()
        sent: dict[datetime, list[str]] = {}
        seats = {}
        for at, which, account in rows:
            sent.setdefault(at, []).append(which)
            seats[at] = self._seating.accounts.index(account)
        self.reminders = [
            {"at": record.stamp(at), "seat": seats[at], "which": sorted(which)} for at, which in sent.items()
        ]


@contextmanager
def _choosing(move: Move) -> Iterator[None]:
    """Let the bot make this move during the block, where it would choose among equal ones."""
    original = bots.move
    bots.move = lambda table: move
    try:
        yield
    finally:
        bots.move = original


_DRAW = (
    text("UPDATE tables SET id = :id, commitment = :commitment WHERE key = :key"),
    text("UPDATE draw_secrets SET server_seed = :seed WHERE game = :key"),
    text("UPDATE seats SET entropy = :entropy WHERE game = :key"),
)

_SENT = text("SELECT sent_at, which, account FROM reminders WHERE game = :game AND sent_at IS NOT NULL ORDER BY 1, 2")
