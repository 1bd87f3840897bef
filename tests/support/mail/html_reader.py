"""Read an HTML mail as a screen reader does: its text, and its links."""

from html.parser import HTMLParser


class _Heard(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self._silent = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        self._silent = tag in ("style", "script")
        if given.get("aria-label"):
            self.words.append(given["aria-label"] or "")
        if tag == "a":
            self.links.append(given["href"] or "")

    def handle_endtag(self, tag: str) -> None:
        self._silent = False

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.words.append(data)


def heard(html: str) -> str:
    """Return the text of a page with the labels of its pictures, with white space collapsed."""
    return " ".join(" ".join(_parse(html).words).split())


def links(html: str) -> list[str]:
    """Return the targets of its links."""
    return _parse(html).links


def tags(html: str) -> set[str]:
    """Return the names of its elements."""
    return _parse(html).tags


def _parse(html: str) -> _Heard:
    parser = _Heard()
    parser.feed(html)
    parser.close()
    return parser
