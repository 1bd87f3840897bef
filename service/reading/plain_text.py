"""Restore plain text: join wrapped paragraphs (RFC 3676), and remove the armor of OpenPGP signatures (RFC 9580, 7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from service.reading.lines import Line

_LONGEST = 5_000
"""The length at which a paragraph is no longer continued; nobody writes longer ones."""

_DEPTH = re.compile(r">*")


def flowed(raws: Sequence[str], *, delete_space: bool, stands: Callable[[str], bool]) -> list[Line]:
    """Join the paragraphs of a text in format=flowed (RFC 3676).

    Args:
        raws: the lines of the text.
        delete_space: whether the space at the end of a wrapped line is deleted (DelSp=yes).
        stands: tells whether a line is complete. The space at its end was typed by a person, so it is not joined to the
            next line.
    """
    lines: list[Line] = []
    open_depth = None
    for raw in raws:
        match = _DEPTH.match(raw)
        depth = match.end() if match else 0
        line = raw[depth:].removeprefix(" ")
        is_signature = line == "-- "
        goes_on = line.endswith(" ") and not is_signature
        content = line[:-1] if goes_on and delete_space else line
        if open_depth == depth and lines and not is_signature and len(lines[-1].text) < _LONGEST:
            lines[-1] = lines[-1]._replace(text=lines[-1].text + content)
        else:
            lines.append(Line(">" * depth + " " * bool(depth) + content))
        open_depth = depth if goes_on and (depth or not stands(content)) else None
    return lines


def fixed(raws: Sequence[str]) -> list[Line]:
    """Return the lines of any other text as they are."""
    return [Line(raw) for raw in raws]


def unarmored(lines: list[Line]) -> tuple[list[Line], bool]:
    """Remove the armor of signatures.

    Returns:
        the remaining lines, and whether an encrypted text was among them, which is left out.
    """
    if not any("-----BEGIN PGP " in line.text for line in lines):
        return lines, False
    kept: list[Line] = []
    state, encrypted = "text", False
    for line in lines:
        text = line.text.strip()
        if state == "headers":
            state = "signed" if not text else state
        elif text == "-----BEGIN PGP SIGNED MESSAGE-----":
            state = "headers"
        elif text.startswith("-----BEGIN PGP "):
            state, encrypted = "armor", encrypted or text == "-----BEGIN PGP MESSAGE-----"
        elif text.startswith("-----END PGP "):
            state = "text"
        elif state == "signed":
            kept.append(line._replace(text=line.text.removeprefix("- ")))
        elif state == "text":
            kept.append(line)
    return kept, encrypted
