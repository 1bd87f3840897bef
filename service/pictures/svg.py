"""Write SVG elements as text, safe for any name, and always the same text for the same values."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

Value = str | int | float | None

# Characters that XML 1.0 (2.2) does not allow in a document.
_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def number(value: float) -> str:
    """Format a number with at most two decimals and no trailing zeros."""
    short = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if short in ("-0", "") else short


def element(tag: str, *children: str, **attributes: Value) -> str:
    """Write an element.

    Args:
        children: elements that are already written; use `said` for text.
        attributes: those that are None are left out; `_` in a name stands for a hyphen.
    """
    given = "".join([_attribute(name, value) for name, value in attributes.items() if value is not None])
    inside = "".join(children)
    return f"<{tag}{given}>{inside}</{tag}>" if inside else f"<{tag}{given}/>"


def said(text: str) -> str:
    """Escape a text as the content of an element, without characters that XML does not allow."""
    return escape(_NOT_XML.sub("", text), quote=False)


def moved(x: float, y: float, *children: str, scale: float = 1, **attributes: Value) -> str:
    """Move elements drawn around (0, 0) to (x, y), and scale them, in a group with these attributes."""
    turned = f"translate({number(x)} {number(y)})" + ("" if scale == 1 else f" scale({scale:.4g})")
    return element("g", *children, transform=turned, **attributes)


def document(
    width: float,
    height: float,
    ground: str,
    title: str,
    description: str,
    *body: str,
    language: str,
    prefix: str = "",
) -> str:
    """Write a complete document that refers to nothing outside.

    It has a background, a title and a description, and the language code of these two. `prefix` begins their ids, which
    must differ from those of another document within the same page.
    """
    size = {"width": number(width), "height": number(height)}
    return element(
        "svg",
        element("title", said(title), id=f"{prefix}title"),
        element("desc", said(description), id=f"{prefix}desc"),
        element("rect", **size, fill=ground),
        *body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {size['width']} {size['height']}",
        **size,
        lang=language,
        role="img",
        aria_labelledby=f"{prefix}title {prefix}desc",
    )


@lru_cache(maxsize=4096)
def _attribute(name: str, value: str | float) -> str:
    """Write one attribute; the last ones are cached, since a picture has the same few thousand times."""
    return f' {name.replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
