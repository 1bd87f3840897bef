"""A sentence and the values in it, kept apart so that it can be translated."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

_NONE: Mapping[str, object] = MappingProxyType({})


class Said(NamedTuple):
    """An English sentence with a placeholder such as ``%(seat)s`` for each value, and ``%%`` for a percent sign.

    `str()` returns the sentence in English with its values.
    """

    message: str
    facts: Mapping[str, object] = _NONE

    def __str__(self) -> str:
        return self.message % self.facts if self.facts else self.message


def said(message: str, **facts: object) -> Said:
    """Return the sentence with these values."""
    return Said(message, facts)
