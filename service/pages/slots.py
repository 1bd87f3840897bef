"""Slots of a rendered page: places for what belongs to one viewer alone, so that the rest can be cached for others.

A slot is its name between two NUL characters, which no text of ours or of the database contains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from markupsafe import Markup

_MARK = "\0"
_MARK_BYTE = _MARK.encode()

Content = Callable[[], str]
"""A function that returns the HTML of a slot."""


def slot(name: str) -> Markup:
    """Return the slot with this name, for a template."""
    return Markup(f"{_MARK}{name}{_MARK}")


def contents_of(names: Iterable[str], contents: Mapping[str, Content]) -> dict[str, bytes]:
    """Return the contents of the slots with these names; each is asked for once."""
    return {name: contents[name]().encode() for name in set(names)}


class SlottedPage:
    """A page that is split at its slots, so that it need not be searched for them each time.

    Args:
        parts: what stands before, between and behind the slots; there is one part more than there are slots.
        names: the names of the slots in their order.
    """

    __slots__ = ("_size", "names", "parts")

    def __init__(self, parts: Sequence[bytes], names: Sequence[str]) -> None:
        self.parts, self.names = parts, names
        self._size = sum(map(len, parts))

    @classmethod
    def split(cls, page: str) -> SlottedPage:
        """Return a rendered page, split at its slots."""
        split = page.encode().split(_MARK_BYTE)
        return cls(split[::2], [name.decode() for name in split[1::2]])

    def __len__(self) -> int:
        """Return the number of bytes beside the slots."""
        return self._size

    def filled(self, contents: Mapping[str, Content]) -> bytes:
        """Return the page with the contents of its slots."""
        (whole,), _ = self._without(contents_of(self.names, contents))
        return whole

    def partly_filled(self, contents: Mapping[str, Content]) -> SlottedPage:
        """Return the page with the contents of those slots that are given."""
        return SlottedPage(*self._without(contents_of(contents.keys() & self.names, contents)))

    def _without(self, found: Mapping[str, bytes]) -> tuple[list[bytes], list[str]]:
        parts, names = [[self.parts[0]]], []
        for name, part in zip(self.names, self.parts[1:], strict=True):
            if name in found:
                parts[-1] += found[name], part
            else:
                names.append(name)
                parts.append([part])
        return [b"".join(each) for each in parts], names
