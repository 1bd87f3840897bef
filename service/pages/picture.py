"""The picture of a table inside its page, with colors from the style sheet, so that it follows light and dark mode."""

from __future__ import annotations

from collections.abc import Iterator

from engine.tiles import LETTERS
from service.language.people import People
from service.pictures.palette import DARK, LIGHT, Scheme
from service.pictures.scene import Scene
from service.pictures.table import draw
from service.queries.replay import Replay

_PLAIN = ("ground", "ink", "soft", "line", "gold")
_BY_LETTER = ("edge", "marks")

_PAGE = Scheme(
    name="page",
    ground="var(--ground)",
    ink="var(--ink)",
    soft="var(--soft)",
    line="var(--line)",
    gold="var(--gold)",
    edge={letter: f"var(--edge-{letter})" for letter in LETTERS},
    marks={letter: f"var(--marks-{letter})" for letter in LETTERS},
)


def picture(game: Replay, version: int, people: People, first: int) -> str:
    """Return the table after the move `version` as an SVG element, with the display of the seat `first` on top."""
    step = game.last[1] if game.last else None
    placed = (step.tile, step.seat) if step and step.tile is not None and step.seat is not None else None
    return draw(Scene(game.state, people, version, placed, first, _PAGE))


def style() -> str:
    """Return a style sheet with the colors of `picture` for light and dark mode."""
    return (
        f":root {{ {_variables(LIGHT)} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}\n"
    )


def _variables(scheme: Scheme) -> str:
    return " ".join(f"--{name}: {color};" for name, color in _colors(scheme))


def _colors(scheme: Scheme) -> Iterator[tuple[str, str]]:
    for name in _PLAIN:
        yield name, getattr(scheme, name)
    for name in _BY_LETTER:
        for letter, color in getattr(scheme, name).items():
            yield f"{name}-{letter}", color
