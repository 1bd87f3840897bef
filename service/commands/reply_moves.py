"""Play moves sent by mail: one player's lines about one game, each tried on the table as the previous line left it.

A mail showed the table at some version. Its reply may play as long as it is that player's turn and the player has not
moved since. That is the wait the mail was about; it also covers several turns in a row, and solos, which have no waits.
Which of two mails, or of a mail and a request, comes first is decided in `play`, as for every move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import product

from sqlalchemy.orm import Session

from engine import text
from engine.moves import REFILL, RESIGN, Move, Place
from engine.phrases import Phrase
from service.access.reply_addresses import ToReading, ToTable
from service.commands import open_questions
from service.commands.command_text import as_text
from service.commands.expectation import Expectation
from service.commands.guessed_moves import NO_CELL, NO_CHOICE, asked_back
from service.commands.play import play
from service.errors import Refusal
from service.language.cell_letters import Cell, lettered
from service.queries import legal, replay
from service.queries.table import LoadedTable, load
from service.reading.commands import Pass, Pick, Refill, Rematch, Resign, Undo, Yes
from service.reading.guesses import GuessedMove
from service.reading.resolve import Unresolved, resolve
from service.reading.suggestions import Suggestion
from service.store.mail_outcome import ASKED, LEFT_OUT, LIKELY, PLAYED, REFUSED, UNCLEAR, Line, refused, short

_NOT_SO = {
    "open": ("not_started", Phrase("The game has not started; seats are still free.")),
    "closed": ("table_closed", Phrase("The table was closed before the game started.")),
    "finished": ("game_over", Phrase("The game is over; no move can follow.")),
}
_LEFT = ("left", Phrase("You have left this game."))
_OVER = ("wait_over", Phrase("You have moved since the mail that you answered was written, so this was not played."))
_BOT_PLAYED = (
    "bot_played",
    Phrase("A bot has moved for you since the mail that you answered. To play yourself again, write “back”."),
)
_BOT_PLAYS = ("not_your_turn", Phrase("It is not your turn now, and a bot plays for you. To take over, write “back”."))
_NOT_YOURS = ("not_your_turn", Phrase("It is not your turn now."))
_DOUBTS = {"choice": NO_CHOICE, "cell": NO_CELL}
_TWO_TABLES = (
    "two_tables",
    Phrase("After the move before it this means another tile or cell than in the mail, so it may mean either."),
)
_NO_PASS = (
    "no_pass",
    Phrase("There is no passing: on your turn you take one of the tiles or, where that is allowed, refill."),
)
_NO_UNDO = (
    "no_undo",
    Phrase("No move can be taken back: it counts as soon as it is made, and others may have seen it."),
)
_UNDONE = (
    "state_undone",
    Phrase(
        "The service had to be put back to an earlier state, and "
        "what the mail that you answered showed is no longer so."
        " Nothing was played; look at the table as it is now."
    ),
)
_NOTHING_ASKED = ("nothing_asked", Phrase("That mail did not ask anything that you could say yes to."))


class ReplyMoves:
    """The moves of one reply, made by the player in `to.seat` of `to.game`.

    A reply to a `ToReading` address can also agree to the move that the mail asked about.
    """

    def __init__(self, session: Session, to: ToTable | ToReading, now: datetime) -> None:
        self._session = session
        self._to = to.table if isinstance(to, ToReading) else to
        self._asked = to if isinstance(to, ToReading) else None
        self._now = now
        self._made: set[int] = set()
        self._stuck = False

    def line(self, command: Pick | Refill | Pass | Undo | Resign | Yes) -> Line:
        """Do what a line asks for, and return the result."""
        if isinstance(command, Yes) and self._asked is not None and not self._stuck:
            made = self._move(partial(self._agreed, self._asked), "yes")
            self._asked, self._stuck = None, made.what != PLAYED
            return made
        if isinstance(command, Resign | Yes):
            return self._leaving(command)
        if isinstance(command, Pass | Undo):
            self._stuck = True
            return _refused(as_text(command), _NO_PASS if isinstance(command, Pass) else _NO_UNDO)
        written = command.raw if isinstance(command, Pick) else "refill"
        if self._stuck:
            return Line(short(written), LEFT_OUT)
        made = self._move(partial(self._asked_for, command), written)
        self._stuck = made.what != PLAYED
        return made

    def ask_about(self, read: GuessedMove) -> Line:
        """Ask whether the player meant a move that was not written unambiguously."""
        table = self._load()
        if not_so := self._not_so(table):
            return _refused(read.line, not_so)
        return asked_back(read, *_offered(table.replay, self._to.seat))

    def possible(self, suggestion: Suggestion) -> Suggestion:
        """Return a suggestion without the moves whose tile is not on offer or whose cell is not open."""
        table = self._load()
        if self._not_so(table):
            return suggestion
        choices, cells = _offered(table.replay, self._to.seat)
        meant = (
            each
            for each in suggestion.meant
            if not isinstance(each, Pick) or isinstance(resolve(each, choices, cells), Place)
        )
        return replace(suggestion, meant=tuple(meant))

    def ask_about_refill(self, written: str) -> Line | None:
        """Ask whether the player meant to refill; None if no refill is possible now."""
        table = self._load()
        is_asked = self._not_so(table) is None and table.state.may_refill()
        return Line(short(written), UNCLEAR, code=LIKELY, readings=("refill", "refill")) if is_asked else None

    def decline(self) -> Line | None:
        """Return the result of a no to the question that the mail asked; None if a yes could do nothing either."""
        if not self.ask_again():
            return None
        return open_questions.declined(open_questions.STAYS if self._asked is None else open_questions.NOT_PLAYED)

    def ask_again(self) -> list[Line]:
        """Return the question that the mail asked, unless nothing can be agreed to now or it asked none."""
        table, asked = self._load(), self._asked
        if asked is None:
            can_leave = table.status == "running" and not legal.has_left(table.state, self._to.seat)
            return [Line("", ASKED)] if self._to.leaving and can_leave and not self._is_undone(table) else []
        if self._not_so(table) is not None:
            return []
        move = self._agreed(asked, table)
        if not isinstance(move, Place):
            return [] if isinstance(move, Line) or (line := self.ask_about_refill("")) is None else [line]
        letters = list(self._shown(table)[1])[asked.cell]
        return [Line("", UNCLEAR, code=LIKELY, readings=(f"{asked.choice} {letters}", text.render(move)))]

    def _asked_for(self, command: Pick | Refill, table: LoadedTable) -> Move | Line:
        return REFILL if isinstance(command, Refill) else self._meant(command, table)

    def _agreed(self, asked: ToReading, table: LoadedTable) -> Move | Line:
        """Return the move that the mail asked about, on the table as that mail showed it."""
        if not asked.choice:
            return REFILL
        choices, cells = self._shown(table)
        if asked.choice > len(choices) or asked.cell >= len(cells):
            return _refused("yes", _NOTHING_ASKED)
        return Place(choices[asked.choice - 1], *list(cells.values())[asked.cell])

    def _move(self, meant: Callable[[LoadedTable], Move | Line], written: str) -> Line:
        while True:
            table = self._load()
            if not_so := self._not_so(table):
                return _refused(written, not_so)
            move = meant(table)
            if isinstance(move, Line):
                return move
            try:
                played = play(self._session, table, self._to.seat, move, Expectation([table.version]), self._now)
            except Refusal as refusal:
                if refusal.code == "stale_version":
                    continue  # another move came first: try again, or say so if this player made it
                return refused(written, refusal)
            self._made.add(played.table.version)
            return Line(short(written), PLAYED, seq=played.table.version)

    def _not_so(self, table: LoadedTable) -> tuple[str, Phrase] | None:
        """Return why this player cannot move now by this mail, or None."""
        if self._is_undone(table):
            return _UNDONE
        if table.status != "running":
            return _NOT_SO[table.status]
        if legal.has_left(table.state, self._to.seat):
            return _LEFT
        since = [
            entry
            for entry in table.entries
            if entry.seq > self._to.version
            and entry.seat == self._to.seat
            and entry.seq not in self._made
            and not entry.move.startswith("mark ")
        ]
        if since:
            return _BOT_PLAYED if since[-1].by else _OVER
        if table.state.turn == self._to.seat:
            return None
        return _BOT_PLAYS if table.clock is not None and self._to.seat in table.clock.autopilot else _NOT_YOURS

    def _meant(self, pick: Pick, table: LoadedTable) -> Move | Line:
        """Return the placement that was written, or why it is unclear.

        It is read on the current table. If earlier moves of this reply have changed the table, it is read as the mail
        showed it, too; where the two readings differ, nothing is guessed.
        """
        choices, cells = _offered(table.replay, self._to.seat)
        now = resolve(pick, choices, cells)
        if not self._made and pick.tile is not None and pick.tile not in choices and pick.tile <= len(choices):
            return asked_back(GuessedMove(pick.raw, tile=pick.tile, cell=pick.cell, at=pick.at), choices, cells)
        if not self._made:
            return now if isinstance(now, Place) else _unclear(pick, now)
        shown_choices, shown_cells = self._shown(table)
        offers = product((choices, shown_choices), (cells, shown_cells))
        readings = dict.fromkeys(resolve(pick, numbers, letters) for numbers, letters in offers)
        places = [reading for reading in readings if isinstance(reading, Place)]
        free = set(cells.values())
        fitting = [place for place in places if place.tile in choices and (place.x, place.y) in free]
        if len(fitting) == 1:
            return fitting[0]
        if not fitting:
            return now if isinstance(now, Place) else _unclear(pick, now)
        code, why = _TWO_TABLES
        return Line(short(pick.raw), UNCLEAR, code=code, why=why, readings=tuple(map(text.render, fitting)))

    def _shown(self, table: LoadedTable) -> tuple[list[int], dict[str, Cell]]:
        """Return the choices and the open cells that the mail showed."""
        assert table.header is not None, "it was played on"
        before = [entry for entry in table.entries if entry.seq <= self._to.version]
        return _offered(replay.replay(table.header, table.tiles, before), self._to.seat)

    def _leaving(self, command: Resign | Yes) -> Line:
        """Resign if this replies to the question whether to do so; otherwise ask that question."""
        written = "resign" if isinstance(command, Resign) else "yes"
        table = self._load()
        if self._is_undone(table):
            return _refused(written, _UNDONE)
        if table.status != "running":
            code, why = _NOT_SO[table.status]
            was_match = table.status == "finished" and table.table.kind == "match"
            if isinstance(command, Yes) and was_match and not self._to.leaving:  # the mail asked for a rematch
                return Line(written, UNCLEAR, code=code, why=why, readings=(as_text(Rematch()),))
            return _refused(written, (code, why))
        if legal.has_left(table.state, self._to.seat):
            return _refused(written, _LEFT)
        if not self._to.leaving:
            return Line(written, ASKED) if isinstance(command, Resign) else _refused(written, _NOTHING_ASKED)
        if isinstance(command, Yes) and command.to_play:
            return Line(written, ASKED)
        try:
            played = play(self._session, table, self._to.seat, RESIGN, None, self._now)
        except Refusal as refusal:
            return refused(written, refusal)
        self._made.add(played.table.version)
        return Line(written, PLAYED, seq=played.table.version)

    def _is_undone(self, table: LoadedTable) -> bool:
        """Return whether a restore has undone what the mail showed.

        An address without a head, from an earlier release, is trusted if the game has reached its version.
        """
        to = self._to
        return to.version > table.version or (bool(to.head) and to.head != table.head_at(to.version))

    def _load(self) -> LoadedTable:
        table = load(self._session, self._to.game)
        assert table is not None, "tables are never deleted"
        return table


def _offered(game: replay.Replay, seat: int) -> tuple[list[int], dict[str, Cell]]:
    state = game.state
    return state.wheel.choices(), dict(lettered(state.displays[seat].open_cells()))


def _refused(written: str, why: tuple[str, Phrase]) -> Line:
    return Line(short(written), REFUSED, code=why[0], why=why[1])


def _unclear(pick: Pick, doubt: Unresolved) -> Line:
    code, why = _DOUBTS[doubt.about]
    return Line(short(pick.raw), UNCLEAR, code=code, why=why)
