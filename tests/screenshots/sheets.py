"""Contact sheets: pictures of any height, cut and set in columns under their captions."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 1500, 1500
_GAP, _LABEL = 4, 14
_GROUND, _INK = "#808080", "#ffffff"


class Taken(NamedTuple):
    """A screenshot and its caption."""

    name: str
    image: Image.Image


def write(taken: Iterable[Taken], folder: Path, name: str, scale: float) -> list[Path]:
    """Write as many sheets as these pictures need, each scaled by `scale`, and return their files."""
    files = []
    for number, sheet in enumerate(_sheets(_pieces(taken, scale)), start=1):
        file = folder / f"{name}-{number:02}.png"
        sheet.save(file)
        files.append(file)
    return files


def _pieces(taken: Iterable[Taken], scale: float) -> Iterator[Taken]:
    """Yield the scaled pictures, cut where they are higher than a sheet."""
    for name, image in taken:
        small = image.convert("RGB").resize(
            (round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS
        )
        most = HEIGHT - _LABEL
        for part, top in enumerate(range(0, small.height, most)):
            cut = small.crop((0, top, small.width, min(small.height, top + most)))
            yield Taken(f"{name} ({part + 1})" if part else name, cut)


def _sheets(pieces: Iterable[Taken]) -> Iterator[Image.Image]:
    """Yield the sheets, filled column by column; a piece without room below the last one starts a column or a sheet."""
    sheet, x, y, wide = Image.new("RGB", (WIDTH, HEIGHT), _GROUND), 0, 0, 0
    empty = True
    for name, image in pieces:
        if y + _LABEL + image.height > HEIGHT:
            x, y, wide = x + wide + _GAP, 0, 0
        if x + image.width > WIDTH and not empty:
            yield sheet
            sheet, x, y, wide = Image.new("RGB", (WIDTH, HEIGHT), _GROUND), 0, 0, 0
        ImageDraw.Draw(sheet).text((x + 2, y + 1), name, _INK)
        sheet.paste(image, (x, y + _LABEL))
        y, wide, empty = y + _LABEL + image.height + _GAP, max(wide, image.width), False
    if not empty:
        yield sheet
