"""A sentence and the facts in it, kept apart so that whoever shows it can say it in another language."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

_NONE: Mapping[str, object] = MappingProxyType({})


class Said(NamedTuple):
    """An English sentence; where it has facts, it holds a place such as ``%(seat)s`` for each, and ``%%`` for a percent
    sign. `str()` of it is the sentence in English."""

    message: str
    facts: Mapping[str, object] = _NONE

    def __str__(self) -> str:
        return self.message % self.facts if self.facts else self.message


def said(message: str, **facts: object) -> Said:
    """The sentence with these facts in it."""
    return Said(message, facts)
