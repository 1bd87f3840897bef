"""Compose a picture of the whole table or a part of it; the only module that knows all the others."""

from __future__ import annotations

from engine.game import Match
from engine.goals import ExplainedGoal
from engine.tiles import LETTERS
from service.language import board_words, goal_words
from service.language.words import colors
from service.pictures import board, caution, lettering, marks, moons, tile
from service.pictures.display import AXIS, display, extent
from service.pictures.scene import Part, Scene
from service.pictures.svg import document, element

WIDTH = board.WIDTH
_MARGIN = 20.0
_INNER = WIDTH - 2 * _MARGIN
_GUTTER = 24.0
_HEAD = 40.0
_CAPTION = 22.0
_FIRST_CELL, _OTHER_CELL = 72.0, 58.0
_FIRST_HEIGHT, _OTHER_HEIGHT = 620.0, 420.0


def draw(scene: Scene, part: Part = Part.TABLE) -> str:
    """Draw a picture as an SVG document with a width of 700.

    Raises:
        ValueError: the moon track of a solo was asked for, which has none.
    """
    match part:
        case Part.WHEEL:
            body, height = board.wheel_alone(scene)
        case Part.TRACK:
            if not isinstance(scene.state, Match):
                raise ValueError("A solo has no moon track (5.1).")
            body, height = board.track_alone(scene)
        case Part.DISPLAY:
            body, height = _first(scene, 14)
        case _:
            body, height = _table(scene)
    foot, height = _foot(scene, height, has_marks=part is not Part.TRACK)
    title = board_words.title(scene.people, scene.version)
    body += foot
    if scene.caution:
        title = caution.titled(scene.caution, title)
        body = caution.below_banner(scene.caution, body, WIDTH, scene.scheme, scene.spread)
        height += caution.HEIGHT
    return document(
        WIDTH,
        height,
        scene.scheme.ground,
        title,
        " ".join(description(scene, part)),
        element("defs", marks.definitions(), tile.definitions()),
        element("g", body, font_family=lettering.FAMILY),
        language=scene.people.language.code,
    )


def description(scene: Scene, part: Part = Part.TABLE) -> list[str]:
    """Describe a picture in sentences, as its alternative text in a page or a mail."""
    state, people = scene.state, scene.people
    sentences = [f"{scene.caution}."] if scene.caution else []
    sentences.append(board_words.standing(state, people))
    if part in (Part.TABLE, Part.WHEEL):
        sentences += board_words.wheel(state, people.language)
    if part in (Part.TABLE, Part.TRACK):
        sentences += board_words.moon(state, people)
    if part in (Part.TABLE, Part.DISPLAY):
        for seat in scene.order if part is Part.TABLE else scene.order[:1]:
            sentences += board_words.display(state, seat, people, letters=scene.has_letters(seat))
            why = scene.why_of(seat)
            if why is not None:
                sentences += goal_words.sentences(why, people.language)
    return sentences


def _table(scene: Scene) -> tuple[str, float]:
    drawn, height = board.board(scene)
    first, height = _first(scene, round(height) + 18)
    others, height = _others(scene, height)
    return drawn + first + others, height


def _first(scene: Scene, top: float) -> tuple[str, float]:
    """Draw the first display across the whole width; return it and its lower edge."""
    return _shown(
        scene, scene.first, _MARGIN, top, _INNER, _side(scene, scene.first, _INNER, _FIRST_HEIGHT, _FIRST_CELL)
    )


def _others(scene: Scene, top: float) -> tuple[str, float]:
    """Draw the other displays, two in a row, all with cells of one size; return them and their lower edge."""
    others = scene.order[1:]
    if not others:
        return "", top
    columns = min(2, len(others))
    room = (_INNER - _GUTTER * (columns - 1)) / columns
    side = min(_side(scene, seat, room, _OTHER_HEIGHT, _OTHER_CELL) for seat in others)
    drawn = []
    for row in range(0, len(others), columns):
        ends = []
        for column, seat in enumerate(others[row : row + columns]):
            alone = len(others) - row < columns
            x = (WIDTH - room) / 2 if alone else _MARGIN + column * (room + _GUTTER)
            one, end = _shown(scene, seat, x, top + 14, room, side)
            drawn.append(one)
            ends.append(end)
        top = max(ends)
    return "".join(drawn), top


def _side(scene: Scene, seat: int, width: float, height: float, largest: float) -> float:
    return extent(scene.state.displays[seat], letters=scene.has_letters(seat)).side(width, height, largest)


def _shown(scene: Scene, seat: int, x: float, y: float, width: float, side: float) -> tuple[str, float]:
    """Draw a display with its heading, centered in its column; return it and its lower edge."""
    scheme, state = scene.scheme, scene.state
    moving = seat == state.turn
    left = board_words.discs_left(state.discs_left[seat], scene.people.language)
    name = scene.short_name(seat, width - 40 - lettering.width(left, lettering.LINE) * scene.spread - 12)
    drawn = [
        moons.disc(seat, x + 14, y + 14, 12, rim=scheme.ink, halo=scheme.gold if moving else None),
        lettering.text(
            x + 40, y + 21, name, lettering.NAME, scheme.gold if moving else scheme.ink, weight=lettering.BOLD
        ),
        lettering.text(x + width, y + 20, left, lettering.LINE, scheme.soft, anchor="end"),
    ]
    shown = state.displays[seat]
    letters = scene.has_letters(seat)
    cells = extent(shown, letters=letters)
    at = round(x + (width - cells.columns * side + AXIS) / 2)
    if not len(shown) and not letters:
        drawn.append(
            lettering.text(
                x + width / 2,
                y + _HEAD + 34,
                board_words.nothing_placed(scene.people.language),
                lettering.LINE,
                scheme.soft,
                anchor="middle",
            )
        )
        return "".join(drawn), y + _HEAD + 56
    why = scene.why_of(seat)
    drawn.append(
        display(shown, seat, at, y + _HEAD + AXIS, side, scheme, letters=letters, last=scene.last_of(seat), why=why)
    )
    end = y + _HEAD + AXIS + cells.rows * side
    if why is not None:
        drawn.append(_caption(scene, why, x + width / 2, end + 10, width))
        end += 10 + 2 * _CAPTION
    return "".join(drawn), end


def _caption(scene: Scene, goal: ExplainedGoal, x: float, y: float, room: float) -> str:
    """Write in two lines below a display which goal is explained, and how it stands."""
    scheme, language = scene.scheme, scene.people.language
    name, summary = goal_words.name(goal, language), goal_words.summary(goal, language)
    return lettering.text(
        x, y + 18, name, lettering.LINE, scheme.gold, weight=lettering.BOLD, anchor="middle"
    ) + lettering.text(
        x, y + 18 + _CAPTION, lettering.fit(summary, room / scene.spread, lettering.LINE), lettering.LINE, scheme.ink,
        anchor="middle",
    )  # fmt: skip


def _foot(scene: Scene, top: float, *, has_marks: bool) -> tuple[str, float]:
    """Draw the key of marks and colors and the version shown; return them and the picture's lower edge."""
    scheme = scene.scheme
    y = top + 34
    drawn = []
    x = _MARGIN + 8
    words = colors(scene.people.language)
    for letter in LETTERS if has_marks else ():
        drawn.append(marks.mark(letter, x, y - 6, 8, scheme.marks[letter]))
        drawn.append(lettering.text(x + 14, y, letter, lettering.LINE, scheme.ink, weight=lettering.BOLD))
        said = words[letter]
        drawn.append(lettering.text(x + 31, y, said, lettering.LINE, scheme.soft))
        x += 31 + lettering.width(said, lettering.LINE) + 22
    drawn.append(
        lettering.text(
            WIDTH - _MARGIN,
            y,
            board_words.version(scene.version, scene.people.language),
            lettering.LINE,
            scheme.soft,
            anchor="end",
        )
    )
    return "".join(drawn), y + 18
