"""Translatable phrases: a sentence and the values in it, kept apart."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

_NONE: Mapping[str, object] = MappingProxyType({})


class Phrase(NamedTuple):
    """An English sentence with a placeholder such as ``%(seat)s`` for each value, and ``%%`` for a percent sign.

    `str()` returns the sentence in English with its values.
    """

    message: str
    facts: Mapping[str, object] = _NONE

    def __str__(self) -> str:
        return self.message % self.facts if self.facts else self.message


def phrase(message: str, **facts: object) -> Phrase:
    """Return the sentence with these values."""
    return Phrase(message, facts)
