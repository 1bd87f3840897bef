"""Answers as webmail writes them: Gmail, Outlook, Yahoo, GMX, Orange and others.

Each function writes a whole mail: the lines of an answer, and the quoted mail that is answered.
"""

from __future__ import annotations

from html import escape

from tests.unit.reading.eml import SERVICE, alternative, mail, page, plain
from tests.unit.reading.original import Original

Lines = list[str]

OWA = 'style="font-family: Aptos, Calibri, Helvetica, sans-serif; font-size: 12pt; color: rgb(0, 0, 0);"'


def divs(lines: Lines, style: str = "") -> str:
    """Return the lines as HTML in the way of most editors."""
    return "".join(f"<div{style}>{escape(line) or '<br>'}</div>" for line in lines)


def broken(attribution: str) -> str:
    """Break an attribution as Gmail does in plain text: after the angle bracket."""
    head, bracket, tail = attribution.partition("<")
    return f"{head}{bracket}\n{tail}"


def gmail(lines: Lines, to: Original) -> bytes:
    """Write a mail of Gmail in a browser, above the quote."""
    text = "\n".join(lines) + f"\n\n{broken(to.tongue.gmail)}\n\n{to.quoted(width=76)}\n"
    html = (
        f'<div dir="ltr">{divs(lines)}</div><br><div class="gmail_quote gmail_quote_container">'
        f'<div dir="ltr" class="gmail_attr">'
        f"{escape(to.tongue.gmail)}<br></div>"
        '<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid '
        'rgb(204,204,204);padding-left:1ex">'
        f"{to.html}</blockquote></div>\n"
    )
    return mail(alternative(plain(text), page(html)))


def gmail_below(lines: Lines, to: Original) -> bytes:
    """Write a mail of Gmail below the quote: the answer stands inside the quote's element."""
    text = f"{broken(to.tongue.gmail)}\n\n{to.quoted(width=76)}\n\n" + "\n".join(lines) + "\n"
    html = (
        f'<div dir="ltr"><div class="gmail_quote gmail_quote_container">'
        f'<div dir="ltr" class="gmail_attr">{escape(to.tongue.gmail)}'
        f'<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex">{to.html}</blockquote><div><br>'
        f"</div>"
        f"{divs(lines)}</div></div>\n"
    )
    return mail(alternative(plain(text), page(html)))


def gmail_inline(lines: Lines, to: Original) -> bytes:
    """Write a mail of Gmail in the middle of the quote, which is cut in two."""
    quoted = to.quoted().split("\n")
    text = broken(to.tongue.gmail) + "\n\n" + "\n".join([*quoted[:9], "", *lines, "", *quoted[9:]]) + "\n"
    quote = '<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid #ccc">'
    html = (
        f'<div dir="ltr"><div class="gmail_quote"><div dir="ltr" class="gmail_attr">{escape(to.tongue.gmail)}<br></div>'
        f"{quote}<p>{escape(to.lines[0])}</p></blockquote><div>{divs(lines)}</div>{quote}{to.html}</blockquote></div>"
        f"</div>"
    )
    return mail(alternative(plain(text), page(html)))


def gmail_struck(lines: Lines, to: Original) -> bytes:
    """Write a mail of Gmail whose first line is struck out, which its plain text does not show."""
    text = "\n".join(lines) + f"\n\n{broken(to.tongue.gmail)}\n\n{to.quoted(width=76)}\n"
    html = (
        f'<div dir="ltr"><div><strike>{escape(lines[0])}</strike></div>{divs(lines[1:])}</div><br>'
        f'<div class="gmail_quote"><div dir="ltr" class="gmail_attr">{escape(to.tongue.gmail)}<br></div>'
        f'<blockquote class="gmail_quote">{to.html}</blockquote></div>\n'
    )
    return mail(alternative(plain(text), page(html)))


def outlook_numbered(lines: Lines, to: Original) -> bytes:
    """Write a mail of Outlook in a browser as HTML only, which makes a list of a first line such as `2. F`."""
    number, _, item = lines[0].partition(". ")
    is_item = number.isascii() and number.isdecimal()
    listed = f'<ol start="{number}" style="list-style-type: decimal;"><li>{escape(item)}</li></ol>'
    html = (
        f"<div {OWA}>{listed if is_item else divs(lines[:1])}</div>"
        f'{divs(lines[1:])}<div id="appendonsend"></div><hr><div id="divRplyFwdMsg">{escape(to.tongue.gmail)}</div>'
        f"{to.html}\n"
    )
    return mail(page(html))


def gmail_signed(lines: Lines, to: Original) -> bytes:
    """Write a mail of Gmail with a signature below the answer, without a line of dashes."""
    signature = ["Cécile Martin", "Service contentieux, cabinet Durand"]
    text = "\n".join([*lines, *signature]) + f"\n\n{broken(to.tongue.gmail)}\n\n{to.quoted(width=76)}\n"
    html = (
        f'<div dir="ltr">{divs(lines)}<div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature">'
        f'{divs(signature)}</div></div><br><div class="gmail_quote"><div class="gmail_attr">'
        f'{escape(to.tongue.gmail)}</div><blockquote class="gmail_quote">{to.html}</blockquote></div>\n'
    )
    return mail(alternative(plain(text), page(html)))


def gmail_signature(lines: Lines, to: Original) -> bytes:
    """Write a mail of Gmail with the answer inside the signature's element."""
    text = "\n".join(["-- ", *lines]) + f"\n\n{broken(to.tongue.gmail)}\n\n{to.quoted()}\n"
    html = (
        f'<div dir="ltr"><div class="gmail_signature" data-smartmail="gmail_signature"><div dir="ltr">{divs(lines)}'
        f"</div></div></div>"
        f'<br><div class="gmail_quote"><div class="gmail_attr">{escape(to.tongue.gmail)}</div>'
        f'<blockquote class="gmail_quote">{to.html}</blockquote></div>'
    )
    return mail(alternative(plain(text), page(html)))


def outlook_head(to: Original, bold: bool = False) -> Lines:
    """Return the headers that Outlook and others put above a quoted mail, in the language of the program."""
    who, sent, receiver, subject = to.tongue.outlook
    values = (f"Nova Luna <{SERVICE}>", to.tongue.sent, "Ann Example <ann@example.net>", to.subject)
    colon = " :" if to.tongue.code == "fr" else ":"
    names = (who, sent, receiver, subject)
    return [
        (f"<b>{name}{colon}</b> {escape(value)}" if bold else f"{name}{colon} {value}")
        for name, value in zip(names, values, strict=True)
    ]


def outlook_web(lines: Lines, to: Original, prefix: str = "") -> bytes:
    """Write a mail of Outlook in a browser, whose quote has no `>` and no element of its own."""
    head = outlook_head(to)
    text = "\n".join(lines) + "\n\n" + "_" * 32 + "\n" + "\n".join(head) + "\n\n" + to.text
    html = (
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1"><style type="text/css" '
        'style="display:none;"> P {margin-top:0;margin-bottom:0;} </style></head><body dir="ltr">'
        + "".join(f'<div class="{prefix}elementToProof" {OWA}>\n{escape(line)}</div>' for line in lines)
        + f'<div id="{prefix}appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">'
        f'<div id="{prefix}divRplyFwdMsg" dir="ltr"><font face="Calibri, sans-serif" style="font-size:11pt" '
        f'color="#000000">'
        + "<br>\n".join(outlook_head(to, bold=True))
        + f"</font>\n<div>&nbsp;</div>\n</div>\n<div>{to.html}</div></body></html>"
    )
    return mail(alternative(plain(text, "iso-8859-1"), page(html, "iso-8859-1")))


def outlook_web_prefixed(lines: Lines, to: Original) -> bytes:
    """Write a mail of Outlook in a browser after Exchange has put `x_` before all names."""
    return outlook_web(lines, to, "x_")


def outlook_html_only(lines: Lines, to: Original) -> bytes:
    """Write a mail of Outlook with an empty text part beside the HTML."""
    whole = outlook_web(lines, to)
    start = whole.index(b"\r\n\r\n", whole.index(b"text/plain")) + 4
    end = whole.index(b"--000000000000a1b2c3d4e5f6", start)
    return whole[:start] + b"\r\n" + whole[end:]


def yahoo(lines: Lines, to: Original) -> bytes:
    """Write a mail of Yahoo Mail."""
    text = " " + "\n".join(lines) + f"\n\n    {to.tongue.gmail}  \n \n " + to.text.replace("\n", "\n ")
    html = (
        '<html><head></head><body><div class="ydp4f yahoo-style-wrap" style="font-family:Helvetica Neue, Arial, '
        'sans-serif;">'
        f'<div dir="ltr" data-setdir="false">{divs(lines)}</div><div><br></div></div>'
        f'<div id="yahoo_quoted_4711" class="yahoo_quoted"><div><div>{escape(to.tongue.gmail)}</div><div><br></div>'
        f"<div>{to.html}</div></div></div></body></html>"
    )
    return mail(alternative(plain(text), page(html)))


def gmx(lines: Lines, to: Original) -> bytes:
    """Write a mail of GMX or WEB.DE: HTML alone."""
    head = "<br/>\n".join(outlook_head(to, bold=True))
    html = (
        '<html><head></head><body><div style="font-family: Verdana;font-size: 12.0px;">'
        + divs(lines)
        + '<div>&nbsp;</div><div>&nbsp;<div name="quote" style="margin:10px 5px 5px 10px; padding: 10px 0 10px 10px; '
        f'border-left:2px solid #C3D9E5; word-wrap: break-word;"><div style="margin:0 0 10px 0;">{head}</div>'
        f'<div name="quoted-content">{to.html}</div></div></div></div></body></html>'
    )
    return mail(page(html))


def orange(lines: Lines, to: Original) -> bytes:
    """Write a mail of Orange's webmail, in a one-byte character set."""
    who, _, receiver, subject = to.tongue.outlook
    text = (
        "\n".join(lines)
        + f'\n\n\n\n> Message du 28/11/26 10:15\n> {who} : {to.tongue.outlook[0]} "Nova Luna"\n> {receiver} : '
        f"ann@example.net\n"
        f"> Copie \u00e0 : \n> {subject} : {to.subject}\n>\n{to.quoted()}\n"
    )
    return mail(plain(text, "iso-8859-15", "8bit"))


def zimbra(lines: Lines, to: Original) -> bytes:
    """Write a mail of Zimbra, as Free and others have it: a line of dashes, then the mail without any mark."""
    head = outlook_head(to)
    marks = {"fr": "Mail original", "de": "Ursprüngliche Mail", "es": "Mensaje original"}
    text = (
        "\n".join(lines)
        + f"\n\n----- {marks.get(to.tongue.code, 'Original Message')} -----\n"
        + "\n".join(head)
        + f"\n\n{to.text}"
    )
    html = (
        f'<html><body><div style="font-family: arial; font-size: 12pt">{divs(lines)}<br>'
        f'<hr id="zwchr" data-marker="__DIVIDER__">'
        f'<div data-marker="__HEADERS__">{"<br>".join(outlook_head(to, bold=True))}</div>'
        f'<div data-marker="__QUOTED_TEXT__">'
        f"{to.html}</div></div></body></html>"
    )
    return mail(alternative(plain(text), page(html)))


def aol(lines: Lines, to: Original) -> bytes:
    """Write a mail of AOL, with its line of dashes."""
    text = "\n".join(lines) + "\n\n\n-----Original Message-----\n" + "\n".join(outlook_head(to)) + f"\n\n{to.text}"
    return mail(plain(text, "us-ascii", "7bit") if text.isascii() else plain(text))


def proton(lines: Lines, to: Original) -> bytes:
    """Write a mail of Proton Mail."""
    footer = "Sent with Proton Mail secure email."
    text = "\n".join([*lines, "", footer, "", f"{to.tongue.gmail}", "", to.quoted()]) + "\n"
    html = (
        '<div style="font-family: Arial, sans-serif; font-size: 14px;">' + divs(lines) + "</div><div><br></div>"
        f'<div class="protonmail_signature_block"><div class="protonmail_signature_block-proton">{footer}</div></div>'
        f'<div class="protonmail_quote">{escape(to.tongue.gmail)}<br>'
        f'<blockquote class="protonmail_quote" type="cite">{to.html}'
        "</blockquote><br></div>"
    )
    return mail(alternative(plain(text), page(html, how="base64")))


def roundcube(lines: Lines, to: Original) -> bytes:
    """Write a mail of Roundcube, with format=flowed."""
    intro = {"de": "Am 2026-11-28 10:15, schrieb Nova Luna:", "fr": "Le 2026-11-28 10:15, Nova Luna a écrit :"}
    text = (
        "\n".join([*lines, "", intro.get(to.tongue.code, "On 2026-11-28 10:15, Nova Luna wrote:"), to.quoted()]) + "\n"
    )
    return mail(plain(text, "UTF-8", "8bit", "; format=flowed"))


def horde(lines: Lines, to: Original) -> bytes:
    """Write a mail of Horde, below the quote."""
    intro = {"de": "Zitat von", "fr": "Citation de", "es": "Citando a"}.get(to.tongue.code, "Quoting")
    text = "\n".join([f"{intro} Nova Luna <{SERVICE}>:", "", to.quoted(), "", *lines, "", ""])
    return mail(plain(text, more="; format=flowed; DelSp=Yes"))


def zoho(lines: Lines, to: Original) -> bytes:
    """Write a mail of Zoho: dashes around its attribution, and no mark in the text."""
    line = f"---- On Sat, 28 Nov 2026 10:15:00 +0100 {escape('Nova Luna <' + SERVICE + '>')} wrote ----"
    html = (
        f'<html><body><div style="font-family: Verdana;">{divs(lines)}<br></div>'
        f'<div class="zmail_extra" id="Zm-_Id_-Sgn1">'
        f'<div>{line}</div><blockquote style="border-left:1px solid #ccc">{to.html}</blockquote></div></body></html>'
    )
    text = (
        "\n".join(lines)
        + f"\n\n\n\n---- On Sat, 28 Nov 2026 10:15:00 +0100 Nova Luna <{SERVICE}> wrote ----\n\n\n{to.text}"
    )
    return mail(alternative(plain(text), page(html)))


def fastmail(lines: Lines, to: Original) -> bytes:
    """Write a mail of Fastmail."""
    text = "\n".join(
        [
            *lines,
            "",
            "On Sat, Nov 28, 2026, at 10:15 AM, Nova Luna wrote:",
            to.quoted(),
        ]
    )
    html = (
        f"<!DOCTYPE html><html><body>{divs(lines)}<div><br></div>"
        f"<div>On Sat, Nov 28, 2026, at 10:15 AM, Nova Luna wrote:</div>"
        f'<blockquote type="cite" id="qt">{to.html}</blockquote></body></html>'
    )
    return mail(alternative(plain(text), page(html)))
