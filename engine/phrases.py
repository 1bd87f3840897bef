"""Translatable phrases: a sentence and the values in it, kept apart."""

from __future__ import annotations

import json
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


def named(value: object, most: int = 40) -> str:
    """Return a value that a client sent, for a sentence that names it: as JSON writes it, a text in single quotes.

    >>> named(None), named([True]), named("x")
    ('null', '[true]', "'x'")
    """
    return (repr(value) if isinstance(value, str) else json.dumps(value, default=str))[:most]
