"""Combine the plots of a finished game into one picture; the only module here that knows all the others."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.story import Story
from service.language.people import People
from service.language.story_words import axis_labels, legend, plots_in_words, plots_title
from service.pictures import caution, lettering, moons
from service.pictures.drawn_names import DrawnNames
from service.pictures.palette import LIGHT, Scheme
from service.pictures.plots import lanes, lines, tempo
from service.pictures.plots.axes import LEFT, RIGHT, SMALL, WIDTH, Area, heading, moves_below
from service.pictures.plots.style import DASHES, color, shape
from service.pictures.style_sheet import FOLLOWING, style_sheet
from service.pictures.svg import document, element

_ABOVE, _BELOW = 58.0, 34.0
_NAME = 18.0


@dataclass(frozen=True, slots=True)
class StoryScene(DrawnNames):
    """A finished game's story, and how to show it.

    Attributes:
        people: the players, and the language of the texts.
        only_shipped_type: whether only the bundled font is there, as for a PNG.
        prefix: what the ids of title and description begin with.
        caution: what the plots say at their top, lest they be taken for those of a game; empty for a game.
    """

    story: Story
    people: People
    scheme: Scheme = field(default=LIGHT)
    only_shipped_type: bool = False
    prefix: str = ""
    caution: str = ""


def draw_story(scene: StoryScene) -> str:
    """Draw the plots as an SVG document with a width of 700."""
    story, scheme, language = scene.story, scene.scheme, scene.people.language
    labels = axis_labels(language)
    legend_drawn, y = _legend(scene)
    drawn = [legend_drawn]

    def area(height: float) -> Area:
        return Area(y + _ABOVE, y + _ABOVE + height)

    at = area(190)
    drawn += [heading(labels["discs"], at, scheme), lines.discs(story, at, scheme)]
    drawn.append(moves_below(story, at, scheme, labels["move"]))
    y = at.bottom + _BELOW
    at = area(150)
    drawn += [heading(labels["worth"], at, scheme), lines.worth(story, at, scheme, labels["time"])]
    y = at.bottom + _BELOW
    at = area(lanes.LANE * story.seats)
    drawn += [heading(labels["turns"], at, scheme), lanes.turns(story, at, scheme)]
    drawn.append(moves_below(story, at, scheme, labels["move"]))
    key, y = _key(scene, at.bottom + _BELOW)
    drawn.append(key)
    if tempo.has_tempo(story):
        at = area(130)
        drawn += [heading(labels["think"], at, scheme), tempo.tempo(story, at, scheme, language)]
        drawn.append(moves_below(story, at, scheme, labels["move"]))
        y = at.bottom + _BELOW
    if len(story.days) > 1:
        at = area(lanes.LANE * story.seats)
        drawn += [heading(labels["days"], at, scheme), lanes.days(story, at, scheme), _dates(scene, at)]
        y = at.bottom + _BELOW
    style = element("style", style_sheet()) if scheme is FOLLOWING and not scene.prefix else ""
    body, height, title = "".join(drawn), y + 8, plots_title(scene.people)
    if scene.caution:
        body = caution.below_banner(scene.caution, body, WIDTH, scheme, scene.spread)
        height, title = height + caution.HEIGHT, caution.titled(scene.caution, title)
    return document(
        WIDTH,
        height,
        scheme.ground,
        title,
        " ".join(plots_in_words(story, scene.people)),
        style,
        element("g", body, font_family=lettering.FAMILY),
        language=language.code,
        prefix=scene.prefix,
    )


def _legend(scene: StoryScene) -> tuple[str, float]:
    """Draw a line for each seat with all that it is known by; two of them stand side by side if they are many."""
    scheme, seats = scene.scheme, scene.story.seats
    columns = 2 if seats > 1 else 1
    wide = (RIGHT - 24) / columns
    drawn = []
    for seat in range(seats):
        x, y = 24 + seat % columns * wide, 34 + seat // columns * 34
        drawn.append(moons.disc(seat, x + 10, y - 6, 10, rim=scheme.ink))
        drawn.append(
            element(
                "line", x1=x + 30, y1=y - 6, x2=x + 82, y2=y - 6, stroke=color(scheme, seat), stroke_width=2.6,
                stroke_dasharray=DASHES[seat],
            )
        )  # fmt: skip
        drawn.append(shape(scheme, seat, x + 56, y - 6, 5))
        name = lettering.fit(scene.name(seat), (wide - 110) / scene.spread, _NAME, lettering.BOLD)
        drawn.append(lettering.text(x + 94, y, name, _NAME, scheme.ink, weight=lettering.BOLD))
    return "".join(drawn), 34.0 + (seats - 1) // columns * 34


def _key(scene: StoryScene, y: float) -> tuple[str, float]:
    """Draw the key of the lanes, on as many lines as it needs; return it and its lower edge."""
    scheme, words = scene.scheme, legend(scene.people.language)
    x, y = 24.0, y + 12
    drawn = []
    for name in ("goals", "run", "denial") if scene.story.seats > 1 else ("goals",):
        width = 34 + lettering.width(words[name], SMALL) * scene.spread
        if x > 24 and x + width > RIGHT:
            x, y = 24.0, y + 24
        match name:
            case "goals":
                drawn += [lanes.dot(scheme, 0, x + 4, y - 5, 0), lanes.dot(scheme, 0, x + 18, y - 5, 2)]
            case "run":
                drawn.append(
                    element("line", x1=x, y1=y - 5, x2=x + 24, y2=y - 5, stroke=color(scheme, 0), stroke_width=3)
                )
            case _:
                drawn.append(lanes.cross(scheme, x + 14, y - 5))
        drawn.append(lettering.text(x + 32, y, words[name], SMALL, scheme.soft))
        x += width + 22
    return "".join(drawn), y + 4


def _dates(scene: StoryScene, area: Area) -> str:
    """Draw the first and the last day below the bars."""
    language, scheme = scene.people.language, scene.scheme
    first, last = language.day(scene.story.started_at), language.day(scene.story.ended_at)
    return lettering.text(LEFT, area.bottom + 21, first, SMALL, scheme.soft) + lettering.text(
        RIGHT, area.bottom + 21, last, SMALL, scheme.soft, anchor="end"
    )
