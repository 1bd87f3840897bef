"""Writes SVG: elements as text, the same text for the same values, whatever a name holds."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

Value = str | int | float | None

#: What XML 1.0 (2.2) doesn't allow in a document.
_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def number(value: float) -> str:
    """A number with two decimals at most, and none that say nothing."""
    short = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if short in ("-0", "") else short


def element(tag: str, *children: str, **attributes: Value) -> str:
    """An element. `children` are elements already; for text use `said`. An attribute that is None is left out; `_`
    stands for a hyphen."""
    given = "".join([_attribute(name, value) for name, value in attributes.items() if value is not None])
    inside = "".join(children)
    return f"<{tag}{given}>{inside}</{tag}>" if inside else f"<{tag}{given}/>"


def said(text: str) -> str:
    """A text as the inside of an element; characters that XML can't hold are left out."""
    return escape(_NOT_XML.sub("", text), quote=False)


def moved(x: float, y: float, *children: str, scale: float = 1) -> str:
    """Elements drawn around (0, 0), moved to (x, y) and enlarged."""
    turned = f"translate({number(x)} {number(y)})" + ("" if scale == 1 else f" scale({scale:.4g})")
    return element("g", *children, transform=turned)


def document(width: float, height: float, ground: str, title: str, description: str, *body: str, language: str) -> str:
    """A whole document with its ground, its name and what can be seen on it in words, and the language of these by its
    code. It refers to nothing outside."""
    size = {"width": number(width), "height": number(height)}
    return element(
        "svg",
        element("title", said(title), id="title"),
        element("desc", said(description), id="desc"),
        element("rect", **size, fill=ground),
        *body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {size['width']} {size['height']}",
        **size,
        lang=language,
        role="img",
        aria_labelledby="title desc",
    )


@lru_cache(maxsize=4096)
def _attribute(name: str, value: str | float) -> str:
    """One attribute. A picture has the same few thousand times, so those used last are kept."""
    return f' {name.replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
