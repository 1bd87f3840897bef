"""Find the changes of the API that break its clients, and those that CHANGELOG.md names.

TypeScript decides: what an old client sends must have the new types, and what a new service answers must have the old
ones. A line of the changelog names a break so that it is allowed::

    - **Breaking:** response of `listDeliveries`, `kind`: there are mails of two more kinds.
    - **Breaking:** request of `makeMove` and `makeSoloMove`: a move has one of three types.
    - **Breaking:** removal of `listThings`: use `listGames`.

Names that are no operations are those of properties: only these may differ. Without them, the whole request or response
may.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tests.integration.clients.toolchain import Diagnostic

Document = Mapping[str, Any]

REQUEST, RESPONSE, REMOVAL = "request", "response", "removal"

_METHODS = ("get", "put", "post", "patch", "delete")
_NAMED = re.compile(r"\*\*Breaking:\*\* (request|response|removal) of ((?:`\w+`(?:, | and )?)+):")
_LEAST = ("minimum", "minLength", "minItems")
_MOST = ("maximum", "maxLength", "maxItems")

_HEAD = """\
import type {{ operations as Old }} from "./{old}.js";
import type {{ operations as New }} from "./{new}.js";
type Content<R> = R extends {{ content: infer C }} ? C : null;
type Success = 200 | 201 | 202 | 204;
type Answers<O> = O extends {{ responses: infer R }} ? {{ [S in keyof R & Success]: Content<R[S]> }} : never;
type Body<O> = O extends {{ requestBody: {{ content: infer C }} }} ? {{ body: C }}
  : O extends {{ requestBody?: {{ content: infer C }} }} ? {{ body?: C }} : {{}};
type Request<O> = Body<O> & (O extends {{ parameters: infer P }} ? P : never);
type Without<T, Names extends string> = [Names] extends [never] ? T
  : T extends (infer Item)[] ? Without<Item, Names>[]
  : T extends object ? {{ [K in keyof T as K extends Names ? never : K]: Without<T[K], Names> }} : T;
declare function fits<To>(value: To): void;
declare function any<T>(): T;
"""


class Break(NamedTuple):
    """A change that breaks clients: the operation, its side, and why."""

    operation: str
    side: str
    why: str


class Allowed(NamedTuple):
    """A break that the changelog names; without properties, the whole side of the operation may differ."""

    operation: str
    side: str
    properties: frozenset[str]


def named(changes: str, old: Document) -> set[Allowed]:
    """Return the breaks that the part of a changelog for the next release names."""
    unreleased = changes.partition("## [Unreleased]")[2].partition("\n## [")[0]
    known = {operation for _, _, operation in _operations(old)}
    found = set()
    for side, names in _NAMED.findall(re.sub(r"\n +", " ", unreleased)):
        words = re.findall(r"\w+", names.replace(" and ", " "))
        properties = frozenset(word for word in words if word not in known)
        found |= {Allowed(word, side, properties) for word in words if word in known}
    return found


def removed(old: Document, new: Document) -> list[Break]:
    """Return the operations that the new document has no more, or at another address."""
    lost = set(_operations(old)) - set(_operations(new))
    return [Break(id, REMOVAL, f"{method.upper()} {path} is gone") for method, path, id in sorted(lost)]


def tightened(old: Document, new: Document) -> Iterator[Break]:
    """Yield what types can't say: narrower bounds of what is sent, and an access token that is newly needed."""
    for method, path, operation in sorted(set(_operations(old)) & set(_operations(new))):
        then, now = old["paths"][path][method], new["paths"][path][method]
        if _is_open(old, then) and not _is_open(new, now):
            yield Break(operation, REQUEST, "it needs an access token now")
        after = dict(_bounds(new, now))
        for place, before in _bounds(old, then):
            bounds = after.get(place, {})
            for word, worse in (*((word, 1) for word in _LEAST), *((word, -1) for word in _MOST)):
                if word in bounds and (word not in before or (bounds[word] - before[word]) * worse > 0):
                    yield Break(operation, REQUEST, f"{place}: {word} is {bounds[word]}, was {before.get(word)}")


class Comparison:
    """A TypeScript module that compiles if nothing breaks, beside the types of two documents.

    Attributes:
        text: the module.
    """

    def __init__(self, old: tuple[str, Document], new: tuple[str, Document], allowed: Iterable[Allowed] = ()) -> None:
        may = list(allowed)
        lines = _HEAD.format(old=old[0], new=new[0]).splitlines()
        self._of_line: dict[int, tuple[str, str]] = {}
        for _, _, operation in sorted(set(_operations(old[1])) & set(_operations(new[1]))):
            request = f'Request<New["{operation}"]>', f'Request<Old["{operation}"]>'
            answer = f'Answers<Old["{operation}"]>', f'Answers<New["{operation}"]>'
            statuses = f"keyof {answer[0]}", f"keyof {answer[1]}"
            for side, (to, given) in ((REQUEST, request), (RESPONSE, answer), (RESPONSE, statuses)):
                mine = [each.properties for each in may if each[:2] == (operation, side)]
                if frozenset() in mine:
                    continue
                names = " | ".join(f'"{name}"' for name in sorted(frozenset().union(*mine))) or "never"
                lines.append(f"fits<Without<{to}, {names}>>(any<Without<{given}, {names}>>());")
                self._of_line[len(lines)] = operation, side
        self.text = "\n".join(lines) + "\n"

    def breaks(self, found: Iterable[Diagnostic]) -> list[Break]:
        """Return the breaks that the errors of this module mean."""
        return [Break(*self._of_line[each.line], _reason(each.text)) for each in found]


def _reason(text: str) -> str:
    """Return the parts of an explanation by tsc that name places, and its last line."""
    lines = [line.strip() for line in text.splitlines()]
    places = [line for line in lines[1:-1] if line.startswith(("Types of property", "The types of"))]
    return " ".join([*places, lines[-1]])


def _operations(document: Document) -> Iterator[tuple[str, str, str]]:
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method in item:
                yield method, path, item[method]["operationId"]


def _is_open(document: Document, operation: Document) -> bool:
    security = operation.get("security", document.get("security", []))
    return not security or {} in security


def _bounds(document: Document, operation: Document) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the bounds of each parameter and of each property of the body, by its place."""
    for parameter in operation.get("parameters", ()):
        yield from _bounds_of(document, parameter.get("schema", {}), f"{parameter.get('in')} {parameter.get('name')}")
    for content in operation.get("requestBody", {}).get("content", {}).values():
        yield from _bounds_of(document, content["schema"], "body")


def _bounds_of(document: Document, schema: Document, place: str) -> Iterator[tuple[str, dict[str, float]]]:
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    yield place, {word: schema[word] for word in (*_LEAST, *_MOST) if word in schema}
    for name, part in schema.get("properties", {}).items():
        yield from _bounds_of(document, part, f"{place}.{name}")
    if "items" in schema:
        yield from _bounds_of(document, schema["items"], f"{place}[]")
