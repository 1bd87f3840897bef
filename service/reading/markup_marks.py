"""Recognize elements of a mail's HTML by what their attributes say: hidden, quoted, struck out, or a signature.

Webmail adds prefixes such as `x_` to names, so a name is recognized by its ending.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)
_PRE = re.compile(r"white-space\s*:\s*(?:-moz-)?(?:pre|break-spaces)", re.IGNORECASE)
_BORDER = re.compile(r"border-left\s{0,20}:\s{0,20}+(?!none|0|medium none)[^;]{0,100}?(?:solid|\dp[xt])", re.IGNORECASE)
_OUTLOOK = re.compile(
    r"border:none;\s*border-top:solid #[0-9a-f]{6} 1\.0pt;\s*padding:3\.0pt 0|"
    r"border-top-color: rgb\(229, 229, 229\); border-top-width: 1px",
    re.IGNORECASE,
)
_INDENT = re.compile(r"border\s*:\s*(?:none|0|medium none)", re.IGNORECASE)
_QUOTED = re.compile(
    r"(?:^|[-_ \d])(?:gmail_attr|moz-cite-prefix|moz-forward-container|yahoo_quoted\w*|protonmail_quote|tutanota_quote|"
    r"zmail_extra|reply-intro|OLK_SRC_BODY_SECTION|mail-editor-reference-message-container|"
    r"ms-outlook-mobile-reference-message|cm_replymail_content_wrap|front-blockquote)(?: |$)",
    re.IGNORECASE,
)
_GRID = re.compile(r"(?:^|[_ ])grid(?: |$)")
"""The class of our own tables of tiles, whose cells contain letters and numbers."""

_CUT = re.compile(r"(?:^|[-_ \d])divRplyFwdMsg(?: |$)", re.IGNORECASE)
_SIGNATURE = re.compile(
    r"(?:^|[-_ \d]|lineBreakAtBeginningOf|AppleMail)"
    r"(?:signature(?:[-_]\w{1,12})?|sig(?:[-_]\d{1,3})?|bloop_sign|iosymail|MailAutoSig)(?: |$)",
    re.IGNORECASE,
)
_STRUCK = frozenset(("s", "strike", "del"))


def is_hidden(given: dict[str, str], inside: str, style: str) -> bool:
    """Return whether an element is hidden, or shown as a picture whose letters are no text, such as our own tiles."""
    told = "hidden" in inside.lower().split() or given.get("role", "").lower() == "img"
    return told or _HIDDEN.search(style) is not None


def cuts(given: dict[str, str], style: str) -> bool:
    """Return whether everything from an element on is the quoted mail."""
    return bool(_CUT.search(given.get("id", "")) or _OUTLOOK.search(style))


def is_quoted(tag: str, given: dict[str, str], style: str) -> bool:
    """Return whether an element holds a quote, or the line above one."""
    if tag == "blockquote":
        told = given.get("type", "").lower() == "cite" or "quote" in given.get("class", "").lower()
        return told or not _INDENT.search(style) or bool(_BORDER.search(style))
    return bool(
        _QUOTED.search(given.get("class", ""))
        or _QUOTED.search(given.get("id", ""))
        or given.get("name", "").lower() in ("quote", "quoted-content")
        or given.get("data-marker", "").upper() in ("__QUOTED_TEXT__", "__HEADERS__")
        or (tag == "div" and _BORDER.search(style))
        or (tag == "table" and _GRID.search(given.get("class", "")))
    )


def is_struck(tag: str, style: str) -> bool:
    """Return whether an element strikes its text out."""
    return tag in _STRUCK or "line-through" in style.lower()


def is_signature(tag: str, given: dict[str, str]) -> bool:
    """Return whether a signature that a mail program added begins with an element."""
    told = any(_SIGNATURE.search(given.get(name, "")) for name in ("class", "id", "name", "data-smartmail"))
    return told or tag == "signature" or "data-signature-widget" in given


def keeps_space(style: str) -> bool:
    """Return whether an element keeps the line breaks of its source."""
    return _PRE.search(style) is not None
