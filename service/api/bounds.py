"""The validators of what clients send: those of ``marshmallow``, for the OpenAPI document to see, but what they say can
be said in every language."""

from typing import Any

from marshmallow import ValidationError, validate

from engine.saying import Said, said


class Range(validate.Range):
    """A number from `least` to `most`."""

    def __init__(self, least: int, most: int) -> None:
        super().__init__(least, most)
        self._least, self._most = least, most

    def __call__(self, value: Any) -> Any:
        """The number, if it is one of these."""
        if not self._least <= value <= self._most:
            raise ValidationError([said("Must be from %(least)s to %(most)s.", least=self._least, most=self._most)])
        return value


class Length(validate.Length):
    """A text of `least` to `most` characters."""

    def __init__(self, least: int, most: int) -> None:
        super().__init__(least, most)
        self._least, self._most = least, most

    def __call__(self, value: Any) -> Any:
        """The text, if it is as long."""
        if not self._least <= len(value) <= self._most:
            told = said("Must have %(least)s to %(most)s characters.", least=self._least, most=self._most)
            raise ValidationError([told])
        return value


class OneOf(validate.OneOf):
    """One of some choices."""

    def __call__(self, value: Any) -> Any:
        """The choice, if it is one."""
        if value not in self.choices:
            raise ValidationError([said("Must be one of: %(choices)s.", choices=self.choices_text)])
        return value


class Written(validate.Regexp):
    """A text that fits a regular expression from its beginning; `right` says what that asks for."""

    def __init__(self, pattern: str, right: Said) -> None:
        super().__init__(pattern)
        self._right = right

    def __call__(self, value: Any) -> Any:
        """The text, if it fits."""
        if self.regex.match(value) is None:
            raise ValidationError([self._right])
        return value
