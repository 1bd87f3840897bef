"""The board: sky, wheel and moon track around one center, and the players in the corners."""

from __future__ import annotations

from engine.game import Match
from engine.solo import Solo
from service.language import board_words
from service.pictures import lettering, moons, track, wheel
from service.pictures.palette import GOLD, SKY_INK, SKY_SOFT
from service.pictures.scene import Scene
from service.pictures.sky import sky

WIDTH = 700.0
_MARGIN = 8.0
_RIGHT = WIDTH - 16
_LINE = 23.0
_BESIDE = 40.0
"""The distance of a name from the edge, beside the disc."""


def board(scene: Scene) -> tuple[str, float]:
    """Draw the board at the top of a picture of `WIDTH`; return it and its height."""
    state = scene.state
    outer = track.RADIUS if isinstance(state, Match) else wheel.RADIUS + 14
    middle = WIDTH / 2, outer + _MARGIN
    height = 2 * (outer + _MARGIN)
    stars = (wheel.RADIUS + 4, outer - 6)
    parts = [sky(outer, *middle, calm=stars), wheel.wheel(state, *middle, scene.people.language)]
    if isinstance(state, Match):
        parts.append(track.track(state.moon, state.turn, *middle))
    parts += [_corner(scene, seat, outer, height) for seat in range(state.seats)]
    if isinstance(state, Solo):
        parts.append(_solo(scene, state))
    return "".join(parts), height


def wheel_alone(scene: Scene) -> tuple[str, float]:
    """Draw the wheel alone; return it and its height."""
    outer = wheel.RADIUS + 14
    middle = WIDTH / 2, outer + _MARGIN
    return sky(outer, *middle, calm=(wheel.RADIUS - 2, outer - 5)) + wheel.wheel(
        scene.state, *middle, scene.people.language
    ), 2 * middle[1]


def track_alone(scene: Scene) -> tuple[str, float]:
    """Draw the moon track with the players in the order in which they would move; return it and its height."""
    state = scene.state
    assert isinstance(state, Match)
    outer = track.RADIUS
    middle = WIDTH / 2, outer + _MARGIN
    parts = [sky(outer, *middle, calm=(168, 236)), track.track(state.moon, state.turn, *middle)]
    top = middle[1] - len(state.moon.order) * 30 + 24
    for rank, seat in enumerate(state.moon.order):
        parts.append(_listed(scene, seat, middle[0] - 110, top + rank * 60))
    return "".join(parts), 2 * middle[1]


def _listed(scene: Scene, seat: int, x: float, y: float) -> str:
    moving = seat == scene.state.turn
    name = scene.short_name(seat, 210)
    assert isinstance(scene.state, Match)
    line = board_words.at_space(scene.state.moon.position[seat], scene.people.language)
    return (
        moons.disc(seat, x, y, 15, halo=GOLD if moving else None)
        + lettering.text(x + 28, y, name, lettering.NAME, GOLD if moving else SKY_INK, weight=lettering.BOLD)
        + lettering.text(x + 28, y + 22, line, lettering.LINE, SKY_SOFT)
    )


def _corner(scene: Scene, seat: int, outer: float, height: float) -> str:
    """Draw a player in the corner of the seat.

    Disc and name are on the outermost line, where there is most room, and the player's state follows toward the board.
    """
    scheme = scene.scheme
    right, low = seat % 2 == 1, seat >= 2
    y = height - 18 if low else 24.0
    edge, inward = (_RIGHT, -1) if right else (WIDTH - _RIGHT, 1)
    at, anchor = edge + inward * _BESIDE, "end" if right else None
    moving = seat == scene.state.turn
    name = scene.short_name(seat, _room(outer, height, y) - _BESIDE - 20)
    color = scheme.gold if moving else scheme.ink
    drawn = [
        moons.disc(seat, edge + inward * 16, y, 13, rim=scheme.ink, halo=scheme.gold if moving else None),
        lettering.text(at, y + 7, name, lettering.NAME, color, weight=lettering.BOLD, anchor=anchor),
    ]
    for number, (line, strong) in enumerate(_lines(scene, seat), 1):
        color = scheme.gold if strong else scheme.soft
        weight = lettering.BOLD if strong else lettering.REGULAR
        there = y - _LINE * number - 8 if low else y + _LINE * number + 3
        short = lettering.fit(line, _room(outer, height, there) - 28, lettering.LINE, weight)
        drawn.append(lettering.text(edge, there + 6, short, lettering.LINE, color, weight=weight, anchor=anchor))
    return "".join(drawn)


def _solo(scene: Scene, state: Solo) -> str:
    """Draw the state of a solo in a corner that has no player."""
    scheme = scene.scheme
    strong, *others = board_words.solo(state, scene.people.language)
    color = scheme.ink if state.result is None else scheme.gold
    return lettering.text(_RIGHT, 26, strong, lettering.NAME, color, weight=lettering.BOLD, anchor="end") + "".join(
        lettering.text(_RIGHT, 26 + 20 * number, line, lettering.LINE, scheme.soft, anchor="end")
        for number, line in enumerate(others, 1)
    )


def _lines(scene: Scene, seat: int) -> list[tuple[str, bool]]:
    """Return the lines beside a player's name, the nearest first, and whether each is bold."""
    state, language = scene.state, scene.people.language
    if scene.has_left(seat) and state.result is None:
        return [(board_words.gone(language), False)]
    lines = [(board_words.discs_left(state.discs_left[seat], language), False)]
    place = scene.place(seat)
    if place is not None:
        lines.append((board_words.place(place, language), place == 1))
    elif seat == state.turn and isinstance(state, Match):
        lines.append((board_words.to_move(language), True))
    return lines


def _room(outer: float, height: float, y: float) -> float:
    """Return the room at this height between the picture's edge and the board."""
    nearest = abs(height / 2 - y) - 10
    return WIDTH / 2 - (outer**2 - nearest**2) ** 0.5 if nearest < outer else WIDTH / 2
