"""Decode bytes to text whatever their label says. Wrong and unknown labels are common and never an error."""

from __future__ import annotations

import codecs
import encodings
import pkgutil
import re
from encodings.aliases import aliases

_NAMES = {
    "iso-8859-1": "cp1252",  # as browsers and mail programs do: the bytes 80 to 9f are never control characters
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "ansi": "cp1252",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "iso-8859-8-i": "iso-8859-8",
    "x-mac-roman": "mac_roman",
    "macintosh": "mac_roman",
    "utf8mb4": "utf-8",
    "unicode": "utf-16",
}
_NONE = frozenset(
    {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem", "unicode-1-1-utf-7"}
)
"""Python codecs that are no mail character sets; some of them take very long."""

_KNOWN = frozenset((*aliases, *aliases.values(), *(module.name for module in pkgutil.iter_modules(encodings.__path__))))
"""The names of Python's codecs. It keeps each other name that it is asked for in memory for ever."""

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_META = re.compile(rb"<meta[^>]{0,200}charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.IGNORECASE)


def text_of(content: bytes, label: str) -> str:
    """Decode bytes by their character set label.

    Bytes that are valid UTF-8 are read as UTF-8 even if the label names a single-byte set: text in another set is
    hardly ever valid UTF-8 by chance.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content.decode(name, "replace").lstrip("\ufeff")
    told = _codec(label)
    if told != "utf-16" and not told.startswith(("utf-7", "iso2022", "hz")):
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            pass
    try:
        return content.decode(told)
    except (UnicodeError, LookupError):
        return content.decode("cp1252" if told.startswith("utf") else told, "replace")


def label_in(html: bytes) -> str:
    """Return the character set that an HTML page declares near its beginning, or an empty string."""
    found = _META.search(html, 0, 2_000)
    return found[1].decode("ascii", "replace") if found else ""


def _codec(label: str) -> str:
    """Return the name of the Python codec for a label; UTF-8 for an unknown label."""
    name = label.strip().strip("\"'").lower()
    name = _NAMES.get(name, name)[:40]
    if not name.isascii() or encodings.normalize_encoding(name).replace(".", "_") not in _KNOWN:
        return "utf-8"
    try:
        codec = codecs.lookup(name)
        b"a".decode(name, "replace")
    except (LookupError, ValueError):  # unknown, or a codec that does not decode to text
        return "utf-8"
    return "utf-8" if codec.name in _NONE else codec.name
