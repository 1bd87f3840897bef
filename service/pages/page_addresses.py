"""The addresses of a table's page for its moments, its choices and its goals.

A page has more than a hundred of them. To have Flask build each would take longer than all else that a page needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from markupsafe import escape

from service.pages.slots import Content, slot

LINK_ALONE, LINK_BEHIND = "link-alone", "link-behind"
"""The slots for the link as the whole query of an address of the page itself, and behind the rest of it."""

LANGUAGE_ALONE, LANGUAGE_BEHIND = "language-alone", "language-behind"
"""The slots for the language that the addresses of all pages keep, likewise."""


class PageAddresses:
    """The addresses of one page, all of which keep the link by which the page was opened.

    Args:
        path: the path of the page.
        alone: the query of an address that has nothing else in it.
        behind: what follows the rest of a query.
    """

    def __init__(self, path: str, alone: str = "", behind: str = "") -> None:
        self._path, self._alone, self._behind = path, alone, behind

    @classmethod
    def linked(cls, path: str, link: str | None, language: str | None = None) -> PageAddresses:
        """Return the addresses of a page that was opened by a signed link (None: by none), and keeps a language."""
        query = urlencode({name: value for name, value in (("link", link), ("language", language)) if value})
        return cls(path, f"?{query}", f"&{query}") if query else cls(path)

    @classmethod
    def slotted(cls, path: str) -> PageAddresses:
        """Return the addresses of a page with slots in place of the link."""
        return cls(path, slot(LINK_ALONE), slot(LINK_BEHIND))

    def moment(self, at: int | None) -> str:
        """Return the address of the table after a move; None: as it is now."""
        return self._address("" if at is None else f"at={at}", "board")

    def choice(self, choice: Mapping[str, int | str]) -> str:
        """Return the address with what is chosen in its query."""
        return self._address("&".join([f"{name}={value}" for name, value in choice.items()]), "move")

    def goal(self, at: int | None, goal: str | None) -> str:
        """Return the address of the table after a move with a goal explained; None: with none."""
        query = [f"{name}={value}" for name, value in (("at", at), ("why", goal)) if value is not None]
        return self._address("&".join(query), "board" if goal is None else "why")

    def below(self, name: str = "", query: str = "") -> str:
        """Return the address of what is below the page, such as a form's; without a name that of the page itself."""
        path = f"{self._path}{name}"
        return f"{path}?{query}{self._behind}" if query else f"{path}{self._alone}"

    def _address(self, query: str, anchor: str) -> str:
        return f"{self.below(query=query)}#{anchor}"


def slotted_language(address: str) -> str:
    """Return the address of another page with a slot for the language that addresses keep."""
    return address + slot(LANGUAGE_BEHIND if "?" in address else LANGUAGE_ALONE)


def link_slots(link: str | None, language: str | None) -> dict[str, Content]:
    """Return the contents of the slots for a link and for a language; they are empty for what is None."""
    kept = None if language is None else f"language={language}"
    parts = [part for part in (None if link is None else f"link={escape(quote(link))}", kept) if part]
    return {
        LINK_ALONE: lambda: "?" + "&amp;".join(parts) if parts else "",
        LINK_BEHIND: lambda: "".join(f"&amp;{part}" for part in parts),
        LANGUAGE_ALONE: lambda: f"?{kept}" if kept else "",
        LANGUAGE_BEHIND: lambda: f"&amp;{kept}" if kept else "",
    }
