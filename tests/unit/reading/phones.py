"""Answers as mail programs on phones write them.

Each function writes a whole mail: the lines of an answer, and the quoted mail that is answered.
"""

from __future__ import annotations

from html import escape

from tests.unit.reading.eml import alternative, mail, page, plain
from tests.unit.reading.original import Original
from tests.unit.reading.webmail import Lines, broken, divs, outlook_head


def iphone(lines: Lines, to: Original) -> bytes:
    """Write a mail of Apple Mail on an iPhone, with its footer."""
    text = "\n".join([*lines, "", to.tongue.iphone, "", f"> {to.tongue.apple}", "> ", to.quoted("> ")]) + "\n"
    html = (
        '<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body dir="auto">'
        + "<br>".join(escape(line) for line in lines)
        + f'<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">{to.tongue.iphone}</div><div dir="ltr"><br>'
        f'<blockquote type="cite">'
        f'{escape(to.tongue.apple)}<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">\ufeff{to.html}'
        f"</div></blockquote>"
        "</body></html>"
    )
    return mail(alternative(plain(text, how="base64"), page(html, how="base64")), "X-Mailer: iPhone Mail (23B81)")


def iphone_plain(lines: Lines, to: Original) -> bytes:
    """Write a mail of Apple Mail on an iPhone as text alone, with the footer right below the answer."""
    text = "\n".join([*lines, to.tongue.iphone, "", to.tongue.apple, "", to.quoted()]) + "\n"
    return mail(plain(text, how="quoted-printable"))


def outlook_phone(lines: Lines, to: Original) -> bytes:
    """Write a mail of Outlook on a phone, with the answer inside the signature's element."""
    text = "\n".join(
        [*lines, "", f"{to.tongue.outlook_phone}<https://aka.ms/o0ukef>", "_" * 32, *outlook_head(to), "", to.text]
    )
    html = (
        '<html><body><div id="ms-outlook-mobile-body-separator-line" dir="ltr"></div>'
        f'<div id="ms-outlook-mobile-signature" dir="ltr" class="ms-outlook-mobile-signature">{divs(lines)}<div><br>'
        f"</div>"
        f'<a href="https://aka.ms/o0ukef">{to.tongue.outlook_phone}</a></div>'
        '<div id="mail-editor-reference-message-container" class="ms-outlook-mobile-reference-message"><hr>'
        '<div id="divRplyFwdMsg">'
        f"{'<br>'.join(outlook_head(to, bold=True))}</div>{to.html}</div></body></html>"
    )
    return mail(alternative(plain(text), page(html)))


def samsung(lines: Lines, to: Original) -> bytes:
    """Write a mail of Samsung Email: a line of dashes and headers, in the language of the phone."""
    head = outlook_head(to)
    mark = f"-------- {to.tongue.original} --------"
    text = "\n".join([*lines, "", "", "", to.tongue.android, "", mark, *head, "", to.text])
    html = (
        f'<html><body><div dir="auto">{divs(lines, " dir=auto")}<div dir="auto"><br></div>'
        f'<div id="composer_signature" dir="auto">'
        f"{to.tongue.android}</div><div><br></div><div>{mark}</div>"
        + "".join(f"<div>{line}</div>" for line in outlook_head(to, bold=True))
        + f"<div><br></div>{to.html}</div></body></html>"
    )
    return mail(alternative(plain(text, how="base64"), page(html, how="base64")))


def gmail_phone(lines: Lines, to: Original) -> bytes:
    """Write a mail of Gmail on a phone."""
    text = "\n".join([*lines, "", broken(to.tongue.gmail), "", to.quoted(width=76)]) + "\n"
    html = (
        f'<div dir="auto">{divs(lines, " dir=auto")}</div><br><div class="gmail_quote">'
        f'<div dir="ltr" class="gmail_attr">'
        f'{escape(to.tongue.gmail)}<br></div><blockquote class="gmail_quote" style="margin:0 0 0 .8ex">{to.html}'
        f"</blockquote></div>"
    )
    return mail(alternative(plain(text, how="base64"), page(html)))


def k9(lines: Lines, to: Original) -> bytes:
    """Write a mail of K-9, with a signature above the quote."""
    german = {"de": "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet."}
    sent_from = german.get(to.tongue.code, "Sent from my Android device with K-9 Mail.")
    text = "\n".join([*lines, "-- ", sent_from, "", to.tongue.moz, "", to.quoted(">")])
    return mail(plain(text))


def k9_headers(lines: Lines, to: Original) -> bytes:
    """Write a mail of K-9 in its style with headers, where the quote has no `>`."""
    mark = f"-------- {to.tongue.original} --------"
    return mail(plain("\n".join([*lines, "", mark, *outlook_head(to), "", to.text])))


def k9_bare(lines: Lines, to: Original) -> bytes:
    """Write a mail of K-9 without a prefix: a line, and then the mail as it was."""
    return mail(plain("\n".join([*lines, "", to.tongue.apple, "", to.text])))


def blackberry(lines: Lines, to: Original) -> bytes:
    """Write a mail of a BlackBerry, with headers right below a line of dashes."""
    text = "\n".join(
        [
            *lines,
            "Sent from my BlackBerry® wireless device",
            "",
            "-----Original Message-----",
            *outlook_head(to),
            "",
            to.text,
        ]
    )
    return mail(plain(text, how="base64"))


def spark(lines: Lines, to: Original) -> bytes:
    """Write a mail of Spark, whose sections have names."""
    html = (
        f'<html><body><div name="messageBodySection">{divs(lines)}</div><div name="messageSignatureSection"><br></div>'
        f'<div name="messageReplySection">{escape(to.tongue.apple)}<br><blockquote type="cite" class="spark_quote" '
        f'style="margin: 5px 5px; padding-left: 10px; border-left: thin solid #1abc9c;">{to.html}</blockquote></div>'
        f"</body></html>"
    )
    return mail(page(html))
