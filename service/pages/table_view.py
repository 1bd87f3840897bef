"""The contents of a table's page, computed from a loaded table; the template only arranges them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from engine import State
from engine.clock.durations import parse
from engine.game import Match
from engine.goals import ExplainedGoal
from engine.phrases import Phrase
from engine.solo import Solo
from service.language import board_words, change_words
from service.language.clock_settings import settings_in_words
from service.language.happenings import outcome
from service.language.languages import Language, Reader
from service.language.people import People, display_name
from service.language.words import capital
from service.mail import parts
from service.pages import explaining
from service.pages.history import Moment, moment
from service.pages.picture import picture
from service.queries.table import LoadedTable

HISTORY = 30
"""The number of moves that are listed, the last ones."""

Address = Callable[[int | None], str]
"""A function that returns the page's address for the table after a move; None: the current table."""


class Why(NamedTuple):
    """The goal that a page explains.

    Attributes:
        asked: its name as the query has it; None: no goal is explained.
        address: returns the page's address with a goal explained.
    """

    asked: str | None
    address: explaining.Address


class NoSuchGoal(Exception):
    """No tile on a display has the goal that is to be explained."""


_LINKS = (
    ("first", Phrase("First")),
    ("prev", Phrase("Back")),
    ("next", Phrase("Next")),
    ("last", Phrase("Last")),
)
"""The navigation links in the order of `Navigation`: the link's `rel` and its text."""


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """An entry of the history, with the page's address for the table after it; a mark is shown without its link."""

    seq: int
    at: datetime
    sentence: str
    address: str
    is_move: bool


@dataclass(frozen=True, slots=True)
class NavigationLink:
    """A link to another moment, with its access key; `address` is None if there is none.

    The address ends with the link's own id, so that the next page has the focus where it was, and the same key leads
    on.
    """

    rel: str
    name: str
    address: str | None
    key: int


class ShownDisplay(NamedTuple):
    """The facts from which a player's display follows as the page shows it, in one language.

    Attributes:
        name: the player's name.
        reachable: whether mail reaches the player.
        is_reader: whether the player is the reader.
        discs_left: the number of goal discs left.
        left: whether the player has left the game.
        placed: the tiles, as `engine.display.Display.placed` has them.
        show_free: whether the open cells are shown.
        unexplained: the page's address with no goal explained.
        explained: the goal that the page explains, by its name.
    """

    name: str
    reachable: bool
    is_reader: bool
    discs_left: int
    left: bool
    placed: tuple[tuple[int, int, int, tuple[int, ...]], ...]
    show_free: bool
    unexplained: str
    explained: str | None


@dataclass(frozen=True, slots=True)
class DisplayView:
    """A player's display: the facts that it follows from, and functions that return it and its goals."""

    shown: ShownDisplay
    grid: Callable[[], parts.Grid]
    goals: Callable[[], tuple[explaining.GoalRow, ...]]


def prepare(
    table: LoadedTable,
    seat: int | None,
    reader: Reader,
    base_url: str,
    at: int | None,
    address: Address,
    why: Why,
) -> dict[str, Any]:
    """Return the template variables of a table's page.

    Args:
        table: the loaded table.
        seat: the reader's seat; None for who does not sit at the table.
        reader: the reader's language and time zone.
        base_url: the public URL of the service.
        at: the move after which the table is shown; None: the last.
        address: returns this page's address for a move.
        why: the goal to explain.

    Raises:
        NoSuchGoal: no tile on a display has this goal.
    """
    row = table.table
    names = table.names
    people = People(names, seat, reader.language)
    kind = "solo-sessions" if row.kind == "solo" else "games"
    facts: dict[str, Any] = {
        "table": row,
        "closed": table.status == "closed",
        "title": _title(table, reader.language),
        "people": people,
        "commitment": row.commitment.hex(),
        "server_seed": table.server_seed.hex() if table.status == "finished" else None,
        "api": f"{base_url}/v1/{kind}/{row.id}",
        "started": table.header is not None,
        "settings": _settings(table, reader.language),
    }
    if table.header is None:
        return facts | {"then": None, **_waiting(table, reader.language)}
    shown = moment(table, people, at)
    goal = None if why.asked is None else explaining.goal_asked_for(why.asked, shown.game.state)
    if why.asked is not None and goal is None:
        raise NoSuchGoal
    reachable = {player.seat: bool(player.reachable) for player in table.players}
    picture_of = picture(
        shown.game, shown.version, people, people.reader or 0, goal, caution_of(table, people.language)
    )
    return (
        facts
        | _history(shown, people, address)
        | _game(shown, people, reachable, why.address, goal)
        | {"picture": picture_of}
    )


def caution_of(table: LoadedTable, language: Language) -> str:
    """Return the caution at the top of a table's pictures; an empty text for a game of this service."""
    return "" if table.caution is None else language.say(table.caution)


def _title(table: LoadedTable, language: Language) -> str:
    names = language.listed(_sitting(table, language))
    if table.table.kind == "solo":
        return language.say("A solo by %(names)s", names=names)
    return language.say("A table with %(names)s", names=names)


def _sitting(table: LoadedTable, language: Language) -> list[str]:
    return [display_name(player.name, player.seat, language) for player in table.players]


def _waiting(table: LoadedTable, language: Language) -> dict[str, Any]:
    free = table.table.seats - len(table.players)
    if table.status == "closed":
        state = language.say("This table was closed; no game was played.")
    elif free:
        state = language.count("%(n)s seat is free.", "%(n)s seats are free.", free)
    else:
        state = language.say("Not started yet.")
    reachable = (player.reachable for player in table.players)
    return {"state": state, "sitting": tuple(zip(_sitting(table, language), reachable, strict=True))}


def _settings(table: LoadedTable, language: Language) -> tuple[str, ...]:
    """Return sentences about the settings of a table's clock; a solo has none."""
    if table.table.kind == "solo":
        return ()
    return settings_in_words(table.terms, parse(table.table.abandoned_after), language)


def _history(shown: Moment, people: People, address: Address) -> dict[str, Any]:
    """Return the entries up to the shown moment, the newest first, and the links to other moments."""
    language = people.language
    then = board_words.version(shown.version, language)
    names = [language.say(name) for _, name in _LINKS]
    steps = zip(_LINKS, shown.ways, strict=True)
    last = shown.later[-1].seq if shown.later else shown.version

    def after(seq: int) -> str:
        return address(seq if seq < last else None)  # after the last move the table is as it is now

    told, later = (
        tuple(HistoryRow(one.seq, one.at, one.sentence, after(one.seq), one.is_move) for one in rows)
        for rows in (reversed(shown.told), shown.later)
    )
    more = sum(one.is_move for one in told[HISTORY:])
    return {
        "then": then if shown.later else None,
        "heading": capital(then),
        "steps": tuple(
            NavigationLink(
                rel,
                language.say(name),
                None if to is None else _with_anchor(after(to), rel),
                key,
            )
            for key, ((rel, name), to) in enumerate(steps, start=1)
        ),
        "keys": language.listed(f"{key} {name}" for key, name in enumerate(names, start=1)),
        "current": shown.version,
        "versions": (0, *(one.seq for one in (*shown.told, *shown.later) if one.is_move)),
        "latest": shown.move,
        "marks": shown.marks,
        "did": tuple(change_words.sentences(shown.changes, people)),
        "history": told[:HISTORY] if more else told,
        "earlier": told[HISTORY].address if more else None,
        "more": more,
        "later": len(shown.later),
        "following": later[:HISTORY],
        "now": address(None),
    }


def _with_anchor(address: str, anchor: str) -> str:
    return f"{address.partition('#')[0]}#{anchor}"


def _game(
    shown: Moment,
    people: People,
    reachable: Mapping[int, bool],
    explain: explaining.Address,
    goal: ExplainedGoal | None,
) -> dict[str, Any]:
    state = shown.game.state
    first = people.reader or 0
    order = (first, *(seat for seat in range(state.seats) if seat != first))
    return {
        "state": _standing(shown, people),
        "since": None if state.turn is None or shown.later else shown.game.turn_since,
        "why": None if goal is None else explaining.explanation(goal, people.language),
        "without_why": explain(None),
        "solo": _solo(state, people.language) if isinstance(state, Solo) else None,
        "track": _clockwise(state, people.language),
        "marker": state.wheel.marker,
        "pile": state.wheel.pile_size,
        "standings": parts.standings(state, people) if isinstance(state, Match) else (),
        "displays": tuple(_shown(seat, state, people, reachable[seat], explain, goal) for seat in order),
        "result": state.result,
    }


def _standing(shown: Moment, people: People) -> str:
    """Say whose turn it is or was at that moment, or how the game ended."""
    state, say = shown.game.state, people.language.say
    if state.result is not None:
        return outcome(state.result, people)
    assert state.turn is not None
    mine, name = state.turn == people.reader, people.called(state.turn)
    if shown.later:
        return say("It was your turn.") if mine else say("It was the turn of %(name)s.", name=name)
    return say("It is your turn.") if mine else say("It is the turn of %(name)s.", name=name)


def _clockwise(state: State, language: Language) -> tuple[parts.Space, ...]:
    """Return the spaces that hold a tile, clockwise from the marker, so that the choices come first."""
    spaces = parts.track(state.wheel, language, running=state.result is None)
    start = state.wheel.marker
    return tuple(space for space in (*spaces[start:], *spaces[:start]) if space.tile)


def _shown(
    seat: int, state: State, people: People, reachable: bool, explain: explaining.Address, goal: ExplainedGoal | None
) -> DisplayView:
    shown = ShownDisplay(
        name=people.called(seat),
        reachable=reachable,
        is_reader=seat == people.reader,
        discs_left=state.discs_left[seat],
        left=isinstance(state, Match) and seat in state.moon.left,
        placed=tuple(state.displays[seat].placed()),
        show_free=seat == state.turn,
        unexplained=explain(None),
        explained=None if goal is None else goal.name,
    )
    return DisplayView(
        shown,
        lambda: parts.grid(state.displays[seat], people.language, show_free=shown.show_free),
        lambda: explaining.rows(state, seat, people.language, explain, goal),
    )


def _solo(state: Solo, language: Language) -> str:
    if state.first_total is None:
        return language.say("Phase 1: up to eight discs, then the refill.")
    return language.say("Phase 2. The first total was %(total)s.", total=state.first_total)
