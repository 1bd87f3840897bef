"""Apply the changes of a move to a game's JSON, as a client does that animates it; no code of the service."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]

POSITION = (
    "status",
    "players",
    "turn",
    "selection_track",
    "pile_size",
    "moon_track",
    "displays",
    "solo",
    "result",
)
"""The members of a game that its changes change."""


def position(game: Json) -> Json:
    """Return the members of a game that its changes change."""
    return {name: game[name] for name in POSITION}


def applied(game: Json, changes: Sequence[Json], at: str, tiles: Mapping[int, Json]) -> Json:
    """Return a game after some changes at a time, given the tiles by id; the game itself is not changed."""
    after = copy.deepcopy(game)
    for change in changes:
        _APPLY[change["type"]](after, change, at, tiles)
    return after


def _tile_taken(game: Json, change: Json, at: str, tiles: Mapping[int, Json]) -> None:
    track = game["selection_track"]
    assert track["spaces"][change["space"]] == change["tile"] in [tile["id"] for tile in track["choices"]]
    track["spaces"][change["space"]] = None


def _marker_moved(game: Json, change: Json, at: str, tiles: Mapping[int, Json]) -> None:
    track = game["selection_track"]
    assert track["marker"] == change["from"] and track["spaces"][change["to"]] is None
    track["marker"] = change["to"]
    _choose(game, tiles)


def _disc_moved(game: Json, change: Json, at: str, tiles: Mapping[int, Json]) -> None:
    seat = change["seat"]
    assert game["players"][seat]["position"] == change["from"]
    stacks = _without(game, seat)
    there = next((stack for stack in stacks if stack["position"] == change["to"]), None)
    if there is None:
        there = {"position": change["to"], "space": change["to"] % 24, "seats": []}
        stacks.append(there)
        stacks.sort(key=lambda stack: stack["position"])
    assert len(there["seats"]) == change["height"]
    there["seats"].append(seat)
    _stand(game)


def _disc_removed(game: Json, change: Json, at: str, tiles: Mapping[int, Json]) -> None:
    player = game["players"][change["seat"]]
    assert player["position"] == change["from"]
    _without(game, change["seat"])
    player.update(left=True, position=None, space=None, height=None)
    _stand(game)


def _tile_placed(game: Json, change: Json, at: str, tiles: Mapping[int, Json]) -> None:
    tile = tiles[change["tile"]]
    goals = [{**goal, "covered": False} for goal in tile["goals"]]
    placed = {name: tile[name] for name in ("id", "color", "cost")} | {"x": change["x"], "y": change["y"]}
    game["displays"][change["seat"]]["tiles"].append({**placed, "goals": goals})


def _goal_covered(game: Json, change: Json, at: str, tiles: Mapping[int, Json]) -> None:
    seat = change["seat"]
    tile = next(tile for tile in game["displays"][seat]["tiles"] if tile["id"] == change["tile"])
    goal = tile["goals"][change["goal"]]
    assert not goal["covered"] and change["discs_left"] == game["players"][seat]["discs_left"] - 1
    goal["covered"] = True
    game["players"][seat]["discs_left"] = change["discs_left"]


def _tile_drawn(game: Json, change: Json, at: str, tiles: Mapping[int, Json]) -> None:
    track = game["selection_track"]
    assert track["spaces"][change["space"]] is None and change["space"] != track["marker"]
    assert change["pile_size"] == game["pile_size"] - 1
    track["spaces"][change["space"]] = change["tile"]
    game["pile_size"] = change["pile_size"]
    _choose(game, tiles)


def _phase_begun(game: Json, change: Json, at: str, tiles: Mapping[int, Json]) -> None:
    assert game["solo"]["phase"] == 1
    game["solo"].update(phase=change["phase"], first_total=change["first_total"])


def _turn_passed(game: Json, change: Json, at: str, tiles: Mapping[int, Json]) -> None:
    assert game["turn"]["seat"] != change["seat"]
    game["turn"] = {"seat": change["seat"], "since": at}


def _game_ended(game: Json, change: Json, at: str, tiles: Mapping[int, Json]) -> None:
    result = change["result"]
    game.update(status="finished", turn=None, result=result)
    if game["solo"] is not None:
        game["solo"].update({name: result[name] for name in ("first_total", "second_total", "score")})


_APPLY = {
    "tile_taken": _tile_taken,
    "marker_moved": _marker_moved,
    "disc_moved": _disc_moved,
    "disc_removed": _disc_removed,
    "tile_placed": _tile_placed,
    "goal_covered": _goal_covered,
    "tile_drawn": _tile_drawn,
    "phase_begun": _phase_begun,
    "turn_passed": _turn_passed,
    "game_ended": _game_ended,
}


def _choose(game: Json, tiles: Mapping[int, Json]) -> None:
    """Set the choices: the next three tiles clockwise from the marker (2.3)."""
    track = game["selection_track"]
    clockwise = [track["spaces"][(track["marker"] + step) % 12] for step in range(1, 12)]
    track["choices"] = [tiles[tile] for tile in clockwise if tile is not None][:3]


def _without(game: Json, seat: int) -> list[Json]:
    """Take a seat's disc off the moon track, and return the stacks that are left."""
    stacks = game["moon_track"]["stacks"]
    for stack in stacks:
        if seat in stack["seats"]:
            stack["seats"].remove(seat)
    stacks[:] = [stack for stack in stacks if stack["seats"]]
    return stacks  # type: ignore[no-any-return]


def _stand(game: Json) -> None:
    """Set where the players' discs lie, from the stacks."""
    for stack in game["moon_track"]["stacks"]:
        for height, seat in enumerate(stack["seats"]):
            game["players"][seat].update(position=stack["position"], space=stack["space"], height=height)
