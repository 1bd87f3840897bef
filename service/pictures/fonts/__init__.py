"""The shipped type: Commissioner, Regular and SemiBold, by the Commissioner Project Authors, under the SIL Open Font
License (`OFL.txt`). Cut down to Latin, Greek and Cyrillic; what the glyphs look like was not touched."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

FILES = {400: "Commissioner-Regular.ttf", 600: "Commissioner-SemiBold.ttf"}
"""By weight."""


@cache
def paths() -> dict[int, Path]:
    """The files of the type by weight. They lie beside this module, so the package must be unpacked."""
    folder = Path(str(files(__name__)))
    return {weight: folder / name for weight, name in FILES.items()}
