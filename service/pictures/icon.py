"""The icon of the site: the waxing moon of the selection track's middle, in a ring of its phases."""

from __future__ import annotations

from urllib.parse import quote

from service.pictures import moons
from service.pictures.palette import MOON, NIGHT, SKY
from service.pictures.svg import element
from service.pictures.wheel import point

SIZE = 512
_PHASES = 12
_RING, _MOON, _PHASE = 172, 104, 26


def icon() -> str:
    """Return the icon as an SVG document. It shows something in its inner circle alone: systems cut off the rest."""
    middle = SIZE / 2
    ring = []
    for day in range(_PHASES):
        x, y = point(day, _PHASES, _RING)
        ring.append(moons.faint(_PHASE, day, _PHASES, middle + x, middle + y))
    moon = element(
        "g",
        element("circle", r=_MOON, fill=NIGHT),
        moons.lit(_MOON, 0.34, fill=MOON),
        transform=f"translate({middle:g} {middle:g}) rotate(-24)",
    )
    drawn = element("rect", width=SIZE, height=SIZE, fill=SKY) + "".join(ring) + moon
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}">{drawn}</svg>\n'


def favicon() -> str:
    """Return the moon alone as the address of an image, which a page has within it."""
    moon = element("g", element("circle", r=11, fill=NIGHT), moons.lit(11, 0.34), transform="rotate(-24)")
    sky = element("rect", x=-16, y=-16, width=32, height=32, rx=7, fill=SKY)
    return "data:image/svg+xml," + quote(
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='-16 -16 32 32'>{sky}{moon}</svg>".replace('"', "'"),
        safe=" '/:=",
    )
