"""Validators for the fields that clients send.

They derive from those of ``marshmallow``, so that the OpenAPI document shows them, and their messages can be
translated.
"""

from typing import Any

from marshmallow import ValidationError, validate

from engine.phrases import Phrase, phrase


class Range(validate.Range):
    """A validator of numbers from `least` to `most`."""

    def __init__(self, least: int, most: int) -> None:
        super().__init__(least, most)
        self._least, self._most = least, most

    def __call__(self, value: Any) -> Any:
        """Return the number, or raise ValidationError if it is out of range."""
        if not self._least <= value <= self._most:
            raise ValidationError([phrase("Must be from %(least)s to %(most)s.", least=self._least, most=self._most)])
        return value


class Length(validate.Length):
    """A validator of texts of `least` to `most` characters."""

    def __init__(self, least: int, most: int) -> None:
        super().__init__(least, most)
        self._least, self._most = least, most

    def __call__(self, value: Any) -> Any:
        """Return the text, or raise ValidationError if it is too short or too long."""
        if not self._least <= len(value) <= self._most:
            told = phrase("Must have %(least)s to %(most)s characters.", least=self._least, most=self._most)
            raise ValidationError([told])
        return value


class OneOf(validate.OneOf):
    """A validator of a set of choices."""

    def __call__(self, value: Any) -> Any:
        """Return the choice, or raise ValidationError if it is not one of them."""
        if value not in self.choices:
            raise ValidationError([phrase("Must be one of: %(choices)s.", choices=self.choices_text)])
        return value


class Matching(validate.Regexp):
    """A validator of texts that a regular expression matches from their beginning.

    `right` tells the client what the expression requires.
    """

    def __init__(self, pattern: str, right: Phrase) -> None:
        super().__init__(pattern)
        self._right = right

    def __call__(self, value: Any) -> Any:
        """Return the text, or raise ValidationError if it does not match."""
        if self.regex.match(value) is None:
            raise ValidationError([self._right])
        return value


class AtMost(validate.Length):
    """Accept a list of at most `most` items."""

    def __init__(self, most: int) -> None:
        super().__init__(max=most)
        self._most = most

    def __call__(self, value: Any) -> Any:
        """Return the list, or raise ValidationError if it is too long."""
        if len(value) > self._most:
            raise ValidationError([phrase("Must have at most %(most)s items.", most=self._most)])
        return value
