"""The color scheme that follows the reader's own: its colors are variables of a style sheet."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator

from engine.tiles import LETTERS
from service.pictures.palette import DARK, LIGHT, Scheme

_PLAIN = ("ground", "ink", "soft", "line", "gold")
_BY_LETTER = ("edge", "marks")

FOLLOWING = Scheme(
    name="auto",
    ground="var(--ground)",
    ink="var(--ink)",
    soft="var(--soft)",
    line="var(--line)",
    gold="var(--gold)",
    edge={letter: f"var(--edge-{letter})" for letter in LETTERS},
    marks={letter: f"var(--marks-{letter})" for letter in LETTERS},
)
"""The scheme whose colors are those of `style_sheet`."""


def style_sheet() -> str:
    """Return a style sheet with the colors of `FOLLOWING` for light and dark mode."""
    return (
        f":root {{ {_variables(LIGHT)} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}\n"
    )


def digest(style: str) -> str:
    """Return the source expression by which a Content-Security-Policy allows a style sheet."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"


def _variables(scheme: Scheme) -> str:
    return " ".join(f"--{name}: {value};" for name, value in _colors(scheme))


def _colors(scheme: Scheme) -> Iterator[tuple[str, str]]:
    for name in _PLAIN:
        yield name, getattr(scheme, name)
    for name in _BY_LETTER:
        for letter, value in getattr(scheme, name).items():
            yield f"{name}-{letter}", value
