"""The bundled font: Commissioner, Regular and SemiBold, by the Commissioner Project Authors (OFL, see `OFL.txt`).

It is reduced to Latin, Greek and Cyrillic; the outlines of its glyphs are unchanged.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

FILES = {400: "Commissioner-Regular.ttf", 600: "Commissioner-SemiBold.ttf"}
"""The font files by weight."""


@cache
def paths() -> dict[int, Path]:
    """Return the paths of the font files by weight; they are beside this module, so the package must be unpacked."""
    folder = Path(str(files(__name__)))
    return {weight: folder / name for weight, name in FILES.items()}
