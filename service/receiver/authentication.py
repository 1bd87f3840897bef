"""Read what the relay in front of us found out about a mail's origin: Authentication-Results (RFC 8601).

Anybody can write such a field. Only fields are trusted that name the relay configured by the host and stand above the
second Received field, because everything that the sender wrote stands below the relay's own one. Fields that the relay
adds underneath it, as filters do, are still above the sender's first one. Removing foreign fields with the relay's own
name, as RFC 8601 (5) asks, is the relay's task. To make that easy, a field is trusted only if it begins with the name.

What passes DMARC is the domain of the From address. That helps only if there is exactly one such address, which no
program can mistake for another, and if the result names its domain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from service.reading.headers import Field, only_author

METHODS = ("spf", "dkim", "dmarc")

_LONGEST = 8 * 1024
_ABOUT = re.compile(r"\bheader\.from\s*=\s*\"?(?:[^\s;\"@]*@)?([^\s;\"@]+)", re.IGNORECASE)

_NAME = re.compile(r'\s*(?:"([^"]*)"|([^\s;"]+))(?:\s+\d+)?\s*')
_QUOTED = re.compile(r'(?>(?:[^"\\]++|\\.)*)')
_RESULT = re.compile(r"\s*([a-z0-9-]+)\s*(?:/\s*\d+\s*)?=\s*([a-z0-9-]+)", re.IGNORECASE)


def found(fields: Sequence[Field], relay: str | None) -> dict[str, str]:
    """Return the results that the relay with this authserv-id noted, by method; nothing without a relay.

    If a field has several results of one method, `pass` counts; of several fields, the topmost counts.
    """
    results: dict[str, str] = {}
    received = 0
    for field in fields:
        received += field.name == "received"
        if received == 2 or relay is None:
            break
        if field.name == "authentication-results":
            text = field.value.decode("ascii", "replace")
            for method, result in _results(text, relay).items():
                if method == "dmarc" and result == "pass" and not _is_of_sender(text, fields):
                    result = "fail"
                results.setdefault(method, result)
    return results


def _is_of_sender(text: str, fields: Sequence[Field]) -> bool:
    """Return whether a DMARC result names the domain of the only address in From."""
    author = only_author([field.text for field in fields if field.name == "from"])
    about = _ABOUT.search(text)
    return author is not None and about is not None and about[1].lower() == author[1].rpartition("@")[2].lower()


def lacking(results: Mapping[str, str], required: Sequence[str]) -> list[str]:
    """Return the required methods that did not pass."""
    return [method for method in required if results.get(method) != "pass"]


def _results(text: str, relay: str) -> dict[str, str]:
    first, *rest = _parts(text[:_LONGEST])
    name = _NAME.fullmatch(first)
    if name is None or text.startswith("(") or (name[1] or name[2] or "").lower() != relay.lower():
        return {}
    results: dict[str, str] = {}
    for part in rest:
        told = _RESULT.match(part)
        if told and (method := told[1].lower()) in METHODS:
            result = told[2].lower()[:20]
            if result == "pass" or method not in results:
                results[method] = result
    return results


def _parts(text: str) -> list[str]:
    """Split a field at semicolons, without comments; semicolons and parentheses in quoted strings do not count."""
    return "".join("\n" if sign == ";" else sign for sign in _signs(text)).split("\n")  # the value has no line ends


def _signs(text: str) -> Iterator[str]:
    """Yield the text without comments, character by character; a quoted string is one item."""
    depth = at = 0
    while at < len(text):
        sign = text[at]
        at += 1
        if sign == "\\" and depth:
            at += 1
        elif sign == "(":
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
            yield " "
        elif depth:
            continue
        elif sign == '"':
            quoted = _QUOTED.match(text, at)
            assert quoted is not None, "nothing matches too"
            at = quoted.end() + 1
            yield '"' + quoted[0].replace('"', "") + '"'
        else:
            yield sign
