"""PNG from a drawing: resvg with the shipped type, then a palette of 64 colours. Slow, and holds the interpreter's lock:
for processes that answer nobody meanwhile."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Literal

import resvg_py
from PIL import Image

from service.pictures.fonts import paths

COLORS = 64
LARGEST = 60_000
"""Bytes: what a picture of a whole table has at most. A mail has one, and may be read where the net is slow."""

Edges = Literal["geometric_precision", "crisp_edges"]
Color = tuple[int, int, int]

_EDGES: tuple[Edges, ...] = ("geometric_precision", "crisp_edges")
_NEAR = 12
_COLOR = re.compile(r"#[0-9a-f]{6}\b")


def png(drawing: str, width: int, largest: int = LARGEST) -> bytes:
    """A drawing as a PNG of this many pixels across and, for a table at 700, fewer than `largest` bytes.

    Where it would be more, the edges of shapes get fewer blends, and at last none; what is drawn keeps its colours.
    Raises ValueError for what is no SVG.
    """
    drawn = sorted(set(_COLOR.findall(drawing)))[:COLORS]
    for edges in _EDGES:
        picture = _rendered(drawing, width, edges)
        for count in (COLORS, COLORS - 16, COLORS - 24):
            reduced = _reduced(picture, drawn, count)
            for hard in (False, True):  # packing hard takes six times as long and makes a tenth less of it
                packed = _packed(reduced, hard)
                if len(packed) < largest:
                    return packed
    return packed


def _rendered(drawing: str, width: int, edges: Edges) -> Image.Image:
    whole = resvg_py.svg_to_bytes(
        svg_string=drawing,
        width=width,
        shape_rendering=edges,
        skip_system_fonts=True,  # else it looks different on every machine
        font_files=[str(path) for path in paths().values()],  # else there is no text at all
    )
    with Image.open(BytesIO(bytes(whole))) as picture:
        return picture.convert("RGB")


def _reduced(picture: Image.Image, drawn: list[str], count: int) -> Image.Image:
    """With the colours that were drawn, exactly, and as many of their blends as make `count` colours."""
    palette = [_parts(color) for color in drawn]
    if count > len(drawn):
        small = picture.resize((picture.width // 3, picture.height // 3), Image.Resampling.NEAREST)
        found = small.quantize(count - len(drawn), method=Image.Quantize.MEDIANCUT).getpalette() or []
        blends = [(found[i], found[i + 1], found[i + 2]) for i in range(0, len(found), 3)]
        # One that is almost a drawn colour would be taken in its place: the search for the nearest is a coarse one.
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
