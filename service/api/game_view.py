"""The JSON of a game: all that a player at the table may see.

The JSON is assembled as text, because this is on the hot path: to build a dict and encode it takes twice as long. Every
value that is not known to be a number or an id goes through the encoder.

Without `clock` and `you`, the view is a pure function of the table, its players' names and its entries up to a version:
`?at=` returns what a GET returned at that version, byte for byte, from any process. So nothing in here depends on the
time, the revision, or later entries. The state is read through the engine's `TableView`, which shows what a seat may
see and no more. `service.api.game_schemas` documents the view.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Any

from engine import record
from engine.display import Display
from engine.draw import ALGORITHM
from engine.moves import to_json
from engine.table import Step
from engine.track import RING
from engine.view import TableView
from service.api.json_text import encode
from service.api.tile_view import TILES as SHOWN
from service.language.people import public_name
from service.queries.replay import Replay
from service.queries.table import LoadedTable, Player
from service.store.log import Entry

Object = dict[str, Any]


_BOOL = ("false", "true")
_NOWHERE = '"position":null,"space":null,"height":null'


def render(table: LoadedTable, game: Replay | None) -> bytes:
    """Return the view without `clock` and `you`, as UTF-8 JSON.

    `game` is the table's game at the version to show, None if it has not started.
    """
    return (_open(table) if game is None else _started(table, game)).encode()


def of_table(table: LoadedTable) -> bytes:
    """Return the view of a table as it is, without `clock` and `you`."""
    return render(table, table.replay if table.header else None)


def for_reader(body: bytes, clock: bytes, seat: int | None) -> bytes:
    """Return the whole view for a reader at this seat, None for a reader without one.

    `clock` is the JSON of the game's clock for this reader (`service.api.clock_view`).
    """
    return body[:-1] + b',"clock":' + clock + b',"you":' + (b"null" if seat is None else b"%d" % seat) + b"}"


def _open(table: LoadedTable) -> str:
    """Return the JSON of a table whose game has not started, or never will."""
    row = table.table
    players = ",".join([_player(player, row.goal_discs, left=False, place=_NOWHERE) for player in table.players])
    return (
        f'{{{_head(table, "closed" if row.closed_at else "open", row.visibility)},"started_at":null,"ended_at":null,'
        f'"closed_at":{_stamp(row.closed_at)},"closed_because":{_nullable(row.closed_because)},"version":0,'
        f'"players":[{players}],"turn":null,"selection_track":null,"pile_size":null,"moon_track":null,"displays":[],'
        f'"solo":null,"last_move":null,"result":null,"draw":{_draw(table, "null", "null")}}}'
    )


def _started(table: LoadedTable, game: Replay) -> str:
    assert table.header is not None
    state, last = TableView(game.state), game.last
    result = state.result
    ended_at = None if result is None or last is None else last[0].at
    visibility = "public" if table.table.kind == "solo" and result else table.table.visibility
    turn = "null" if state.turn is None else f'{{"seat":{state.turn},"since":{_stamp(game.turn_since)}}}'
    displays = ",".join([_display(seat, display) for seat, display in enumerate(state.displays)])
    entropy = ",".join(map(encode, table.header["draw"]["entropy"]))
    seed = "null" if result is None else f'"{table.server_seed.hex()}"'
    return (
        f"{{{_head(table, 'finished' if result else 'running', visibility)},"
        f'"started_at":{encode(table.header["game"]["started_at"])},"ended_at":{_stamp(ended_at)},'
        f'"closed_at":null,"closed_because":null,"version":{last[0].seq if last else 0},'
        f'"players":[{_players(table, state)}],"turn":{turn},"selection_track":{_selection_track(state)},'
        f'"pile_size":{state.pile_size},"moon_track":{_moon_track(state)},"displays":[{displays}],"solo":{_solo(state)},'
        f'"last_move":{encode(last_move(*last)) if last else "null"},'
        f'"result":{encode(result.to_json()) if result else "null"},'
        f'"draw":{_draw(table, f"[{entropy}]", seed)}}}'
    )


def _head(table: LoadedTable, status: str, visibility: str) -> str:
    row = table.table
    return (
        f'"id":"{row.id}","kind":"{row.kind}","rules":"{table.rules}","status":"{status}","visibility":"{visibility}","seats":{row.seats},'
        f'"goal_discs":{row.goal_discs},"hints":{_BOOL[row.hints]},"created_at":{_stamp(row.created_at)}'
    )


def _stamp(at: datetime | None) -> str:
    return "null" if at is None else f'"{record.stamp(at)}"'


def _player(player: Player, discs_left: int, *, left: bool, place: str) -> str:
    return f'{{{_identity(player)},"discs_left":{discs_left},"left":{_BOOL[left]},{place}}}'


@lru_cache(maxsize=4096)
def _identity(player: Player) -> str:
    """Return the members that say who a player is, which are the same in each state of a game."""
    return (
        f'"seat":{player.seat},"id":{_nullable(player.public_id)},"name":{_nullable(public_name(player.name))},'
        f'"bot":{_nullable(player.bot)},"joined_at":{_stamp(player.joined_at)},"reachable":{_BOOL[bool(player.reachable)]}'
    )


def _nullable(text: str | None) -> str:
    return "null" if text is None else encode(text)  # the encoder takes ten times as long for None as for a text


def _players(table: LoadedTable, state: TableView) -> str:
    moon = state.moon
    left = moon.left if moon else ()
    places = {
        seat: f'"position":{position},"space":{position % RING},"height":{height}'
        for position, seats in (moon.stacks() if moon else ())
        for height, seat in enumerate(seats)
    }
    return ",".join(
        [
            _player(
                player,
                state.discs_left[player.seat],
                left=player.seat in left,
                place=places.get(player.seat, _NOWHERE),
            )
            for player in table.players
        ]
    )


def _selection_track(state: TableView) -> str:
    spaces = ",".join([str(tile) if tile else "null" for tile in state.spaces])
    choices = ",".join([_CHOICE[tile] for tile in state.choices])
    return f'{{"marker":{state.marker},"spaces":[{spaces}],"choices":[{choices}]}}'


def _moon_track(state: TableView) -> str:
    if state.moon is None:
        return "null"
    stacks = [
        f'{{"position":{position},"space":{position % RING},"seats":[{",".join(map(str, seats))}]}}'
        for position, seats in state.moon.stacks()
    ]
    return f'{{"stacks":[{",".join(stacks)}]}}'


def _display(seat: int, display: Display) -> str:
    placed = []
    for tile, x, y, done in display.placed():
        before, after = _TILE[tile]
        placed.append(f'{before}{x},"y":{y}{after[done]}')
    return f'{{"seat":{seat},"tiles":[{",".join(placed)}]}}'


def _texts(number: int) -> tuple[str, dict[tuple[int, ...], str]]:
    """Return a placed tile's JSON in two parts: before its coordinates, and after them by its covered goals."""
    goals = SHOWN[number]["goals"]
    before = encode({name: SHOWN[number][name] for name in ("id", "color", "cost")})[:-1] + ',"x":'
    after = {}
    for bits in range(1 << len(goals)):
        done = tuple(i for i in range(len(goals)) if bits >> i & 1)
        marked = [{**goal, "covered": i in done} for i, goal in enumerate(goals)]
        after[done] = f',"goals":{encode(marked)}}}'
    return before, after


_TILE = {number: _texts(number) for number in range(1, len(SHOWN))}
_CHOICE = {number: encode(SHOWN[number]) for number in range(1, len(SHOWN))}


def _solo(state: TableView) -> str:
    if state.phase is None:
        return "null"
    result = state.result
    shown = {
        "phase": state.phase,
        "first_total": state.first_total,
        "second_total": None if result is None else result.second_total,
        "score": None if result is None else result.score,
    }
    return encode(shown)


def last_move(entry: Entry, step: Step) -> Object:
    """Return an entry and what it did."""
    return {
        "seq": entry.seq,
        "at": record.stamp(entry.at),
        "seat": entry.seat,
        "by": entry.by or None,
        "move": to_json(step.move),
        "notation": entry.move,
        "moved": moved(step),
        "covered": covered(step),
        "refilled": [{"space": space, "tile": tile} for space, tile in step.refilled],
        "refilled_by_itself": step.by_itself,
        "turn_passed": step.turn_passed,
    }


def covered(step: Step) -> list[Object]:
    """Return the goals that a step covered, each with its index and the ids of the tiles that count for it."""
    return [{"tile": tile, "goal": goal, "counting": step.counting(tile, goal)} for tile, goal in step.covered]


def moved(step: Step) -> Object | None:
    """Return the start and the end of a step's way on the moon track, in unwrapped positions; None if no disc moved."""
    return None if step.moved is None else {"from": step.moved[0], "to": step.moved[1]}


def _draw(table: LoadedTable, entropy: str, server_seed: str) -> str:
    return (
        f'{{"algorithm":"{ALGORITHM}","subject":"{table.table.id}","commitment":"{table.table.commitment.hex()}",'
        f'"entropy":{entropy},"server_seed":{server_seed}}}'
    )
