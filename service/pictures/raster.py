"""Render a drawing as PNG: resvg with the bundled font, then a palette of 64 colors.

It is slow and holds the interpreter's lock, so it belongs in processes that serve nothing else.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import Literal

import resvg_py
from PIL import Image

from service.pictures.fonts import paths

COLORS = 64
LARGEST = 60_000
"""The largest size in bytes of a picture of a whole table; each mail has one, and may be read on a slow network."""

Edges = Literal["geometric_precision", "crisp_edges"]
Color = tuple[int, int, int]

_EDGES: tuple[Edges, ...] = ("geometric_precision", "crisp_edges")
_NEAR = 12
_COLOR = re.compile(r"#[0-9a-f]{6}\b")


def png(drawing: str, width: int, largest: int = LARGEST) -> bytes:
    """Render a drawing as a PNG of this width in pixels.

    A table at a width of 700 has fewer than `largest` bytes. If it would have more, the edges of shapes get fewer
    blended colors, and at last none; the drawn colors stay exact.

    Raises:
        ValueError: the drawing is not SVG.
    """
    drawn = sorted(set(_COLOR.findall(drawing)))[:COLORS]
    for edges in _EDGES:
        picture = _rendered(drawing, width, edges)
        for count in (COLORS, COLORS - 16, COLORS - 24):
            reduced = _reduced(picture, drawn, count)
            for hard in (False, True):  # strong compression takes six times as long and saves a tenth
                packed = _packed(reduced, hard)
                if len(packed) < largest:
                    return packed
    return packed


def _rendered(drawing: str, width: int, edges: Edges) -> Image.Image:
    whole = resvg_py.svg_to_bytes(
        svg_string=drawing,
        width=width,
        shape_rendering=edges,
        skip_system_fonts=True,  # otherwise it looks different on every machine
        font_files=[str(path) for path in paths().values()],  # otherwise there is no text at all
    )
    with Image.open(BytesIO(bytes(whole))) as picture:
        return picture.convert("RGB")


def _reduced(picture: Image.Image, drawn: list[str], count: int) -> Image.Image:
    """Reduce the picture to `count` colors: exactly those that were drawn, and as many blends of them as fit."""
    palette = [_parts(color) for color in drawn]
    if count > len(drawn):
        small = picture.resize((picture.width // 3, picture.height // 3), Image.Resampling.NEAREST)
        found = small.quantize(count - len(drawn), method=Image.Quantize.MEDIANCUT).getpalette() or []
        blends = [(found[i], found[i + 1], found[i + 2]) for i in range(0, len(found), 3)]
        # A blend close to a drawn color could replace it, because Pillow's search for the nearest color is coarse.
        palette += [blend for blend in blends if all(_apart(blend, color) for color in palette[: len(drawn)])]
    model = Image.new("P", (1, 1))
    model.putpalette([part for color in palette[:COLORS] for part in color])
    return picture.quantize(palette=model, dither=Image.Dither.NONE)


def _packed(picture: Image.Image, hard: bool) -> bytes:
    out = BytesIO()
    picture.save(out, "PNG", optimize=hard)
    return out.getvalue()


def _parts(color: str) -> Color:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _apart(one: Color, other: Color) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) >= _NEAR
