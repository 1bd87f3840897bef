"""Answer a GET of the moves of a public game as an Atom feed (RFC 4287). Independent of the web framework.

Feed readers send no access token, so none is looked at: what is not public has no feed. An entry's id contains the
beginning of its hash, so a move that a restored backup has undone never shares its id with the one that was made
instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from marshmallow import fields

from engine.record import stamp
from engine.table import Step
from service.api.application_context import Context
from service.api.authorization import is_visible
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse, not_modified
from service.api.schema import RequestSchema
from service.api.validators import OneOf
from service.commands.tables import unknown
from service.language.happenings import happening
from service.language.languages import CODES, Language, language
from service.language.people import People
from service.queries.table import LoadedTable, Reading, RequestCaller, read_chained
from service.store.log import HEAD_DIGITS, Entry

ATOM = "application/atom+xml"

MOST = 50
"""How many moves a feed has: the last ones."""

_CACHING = {"Cache-Control": "public, max-age=60", "Vary": "Accept-Language"}
_NAMESPACE = "http://www.w3.org/2005/Atom"
_SINCE = "2026"
"""The year in tag URIs (RFC 4151): the service must have owned the host name then."""


class FeedQuery(RequestSchema):
    """The options of a feed."""

    language = fields.String(
        validate=OneOf(CODES),
        metadata={
            "description": "The language of the sentences; without this, the one that Accept-Language prefers.",
            "example": "fr",
        },
    )


_QUERY = FeedQuery()


def feed_path(table_id: str) -> str:
    """Return the path of the feed of a game."""
    return f"/v1/games/{table_id}/moves.atom"


def feed_link(table_id: str) -> str:
    """Return the value of the header `Link` that leads from a public game to its feed (RFC 8288)."""
    return f'<{feed_path(table_id)}>; rel="alternate"; type="{ATOM}"'


def show_feed(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Return the feed of a public game, or refuse any other table as if there were none."""
    asked: Mapping[str, Any] = request.load_query(_QUERY, {})
    chosen = language(asked["language"]) if "language" in asked else request.language()
    suffix = f"-{chosen.code}"
    known = [tag.removesuffix(suffix) for tag in request.known_tags() if tag.endswith(suffix)]
    found = read_chained(context.pool, table_id, RequestCaller(), known)
    table = found.table
    if table is None or not is_visible(found.access, kind):
        raise unknown()
    tag = f"{table.tag}{suffix}"
    if request.knows(tag):
        unchanged = not_modified(tag)
        return unchanged._replace(headers={**unchanged.headers, **_CACHING})
    address = f"{feed_path(table_id)}?language={asked['language']}" if "language" in asked else feed_path(table_id)
    written = _Feed(table, chosen, context.settings.base_url).written(address, _moves(found))
    return ApiResponse(200, written, {"ETag": f'"{tag}"', "Content-Type": ATOM, **_CACHING})


def _moves(found: Reading) -> list[tuple[Entry, Step, str]]:
    """Return the entries of the log, each with its step and its hash in hex."""
    table = found.table
    if table is None or table.header is None:
        return []
    return [(entry, step, hash_.hex()) for (entry, step), hash_ in zip(table.steps(), found.hashes, strict=True)]


class _Feed:
    """A writer of the feed of a table in one language."""

    def __init__(self, table: LoadedTable, chosen: Language, base_url: str) -> None:
        names = table.names
        self._table, self._language, self._base_url = table, chosen, base_url
        self._people = People(names, None, chosen)
        self._id = f"tag:{urlsplit(base_url).hostname},{_SINCE}:games/{table.table.id}"
        self._page = f"{base_url}/games/{table.table.id}"

    def written(self, address: str, moves: list[tuple[Entry, Step, str]]) -> bytes:
        """Return the feed as XML, newest move first; `address` is its own path."""
        sitting = self._language.listed(self._people.called(player.seat) for player in self._table.players)
        root = ET.Element("feed", {"xmlns": _NAMESPACE, "xml:lang": self._language.code})
        _add(root, "id", self._id)
        _add(root, "title", self._language.say("Nova Luna with %(others)s", others=sitting))
        _add(root, "updated", stamp(moves[-1][0].at if moves else self._began_at))
        _add(_add(root, "author"), "name", self._language.say("Nova Luna by post"))
        _link(root, "self", self._base_url + address, ATOM)
        _link(root, "alternate", self._page, "text/html")
        told = [
            (entry, hash_, told) for entry, step, hash_ in moves if (told := happening(step, self._people, entry.by))
        ]
        for entry, hash_, sentence in reversed(told[-MOST:]):
            self._add_entry(root, entry, hash_, sentence)
        written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
        return written

    @property
    def _began_at(self) -> Any:
        progress = self._table.progress
        return self._table.table.created_at if progress is None else progress.last_at

    def _add_entry(self, root: ET.Element, entry: Entry, hash_: str, sentence: str) -> None:
        added = _add(root, "entry")
        _add(added, "id", f"{self._id}/moves/{entry.seq}-{hash_[:HEAD_DIGITS]}")
        _add(added, "title", sentence)
        _add(added, "published", stamp(entry.at))
        _add(added, "updated", stamp(entry.at))
        if entry.seat is not None:
            _add(_add(added, "author"), "name", self._people.called(entry.seat))
        _link(added, "alternate", f"{self._page}?at={entry.seq}#board", "text/html")


def _add(parent: ET.Element, name: str, text: str | None = None) -> ET.Element:
    added = ET.SubElement(parent, name)
    added.text = text
    return added


def _link(parent: ET.Element, rel: str, address: str, kind: str) -> None:
    ET.SubElement(parent, "link", {"rel": rel, "href": address, "type": kind})
