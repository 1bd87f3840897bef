"""Answers as mail programs on desktop computers and in terminals write them.

Each function writes a whole mail: the lines of an answer, and the quoted mail that is answered.
"""

from __future__ import annotations

from html import escape

from tests.unit.reading.eml import SERVICE, alternative, encoded, mail, page, plain, several
from tests.unit.reading.original import Original
from tests.unit.reading.webmail import Lines, divs, outlook_head


def outlook(lines: Lines, to: Original) -> bytes:
    """Write a mail of Outlook: HTML made by Word, headers under a border, a Windows character set."""
    head = "<br>".join(outlook_head(to, bold=True))
    html = (
        '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><!--[if gte mso 9]><xml>'
        '<o:shapedefaults v:ext="edit"/></xml>'
        "<![endif]--><style><!-- p.MsoNormal {margin:0cm} --></style></head><body lang=DE><div class=WordSection1>"
        + "".join(f"<p class=MsoNormal>{escape(line)}<o:p></o:p></p>" for line in lines)
        + "<p class=MsoNormal><o:p>&nbsp;</o:p></p><div><div style='border:none;border-top:solid #E1E1E1 "
        "1.0pt;padding:3.0pt 0cm 0cm "
        f"0cm'><p class=MsoNormal>{head}<o:p></o:p></p></div></div><p class=MsoNormal><o:p>&nbsp;</o:p></p>{to.html}"
        f"</div></body></html>"
    )
    text = "\n\n".join(lines) + "\n\n \n\n" + "\n".join(outlook_head(to)) + f"\n\n{to.text}"
    return mail(
        alternative(plain(text, "windows-1252"), page(html, "windows-1252")),
        "X-Auto-Response-Suppress: DR, OOF, AutoReply",
    )


def outlook_plain(lines: Lines, to: Original) -> bytes:
    """Write a mail of Outlook in plain text, with its line of dashes."""
    text = "\n".join([*lines, "", f"-----{to.tongue.original}-----", *outlook_head(to), "", to.text])
    return mail(plain(text, "iso-8859-1"))


def apple(lines: Lines, to: Original) -> bytes:
    """Write a mail of Apple Mail on a Mac."""
    text = "\n".join([*lines, "", f"> {to.tongue.apple}", "> ", to.quoted()]) + "\n"
    html = (
        '<html><head></head><body style="overflow-wrap: break-word; -webkit-nbsp-mode: space;">'
        + "<br>".join(escape(line) for line in lines)
        + '<br><div><br><blockquote type="cite"><div>'
        f'{escape(to.tongue.apple)}</div><br class="Apple-interchange-newline"><div>{to.html}</div></blockquote>'
        f"</div></body></html>"
    )
    return mail(alternative(plain(text, how="quoted-printable", more="; delsp=yes; format=flowed"), page(html)))


def apple_around_picture(lines: Lines, to: Original) -> bytes:
    """Write a mail of Apple Mail on a Mac with a picture in the text, which cuts the text into parts."""
    picture = b"Content-Type: image/png; name=board.png\nContent-Disposition: inline; filename=board.png\n" + (
        b"Content-Transfer-Encoding: base64\n\n" + encoded(b"\x89PNG" + bytes(900), "base64")
    )
    quote = plain(f"\n{to.tongue.apple}\n\n{to.quoted()}\n", how="7bit" if to.text.isascii() else "8bit")
    return mail(several("mixed", plain("Hi!\n"), picture, plain("\n".join(lines) + "\n"), quote))


def thunderbird(lines: Lines, to: Original) -> bytes:
    """Write a mail of Thunderbird: above the quote, HTML alone."""
    html = (
        '<!DOCTYPE html><html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"></head><body>'
        + "".join(f"<p>{escape(line)}</p>" for line in lines)
        + f'<div class="moz-cite-prefix">{escape(to.tongue.moz)}<br></div>'
        f'<blockquote type="cite" cite="mid:x@example.org">{to.html}'
        '</blockquote><div class="moz-signature">-- <br>Ann</div></body></html>'
    )
    return mail(page(html, how="8bit"))


def thunderbird_below(lines: Lines, to: Original) -> bytes:
    """Write a mail of Thunderbird in plain text: below the quote, with a signature."""
    text = "\n".join([to.tongue.moz, to.quoted(), "", *lines, "", "-- ", "Ann Example", "Flat 3 B", ""])
    return mail(plain(text, how="8bit", more="; format=flowed"))


def thunderbird_within(lines: Lines, to: Original) -> bytes:
    """Write a mail of Thunderbird with the answer between the quoted lines."""
    quoted = to.quoted().split("\n")
    return mail(
        plain(
            "\n".join([to.tongue.moz, *quoted[:1], "", *lines, "", *quoted[2:], ""]), how="8bit", more="; format=flowed"
        )
    )


def evolution(lines: Lines, to: Original) -> bytes:
    """Write a mail of Evolution, which has its own way of quoting."""
    line = {"de": "Am Samstag, dem 28.11.2026 um 10:15 +0000 schrieb Nova Luna:"}.get(
        to.tongue.code, "On Sat, 2026-11-28 at 10:15 +0000, Nova Luna wrote:"
    )
    html = (
        f"<html><head></head><body>{divs(lines)}<div><br></div><div>{line}</div>"
        f'<blockquote type="cite" style="margin:0 0 0 .8ex; '
        f'border-left:2px #729fcf solid;padding-left:1ex">{to.html}</blockquote></body></html>'
    )
    text = "\n".join([*lines, "", line, to.quoted(">")])
    return mail(alternative(plain(text), page(html)))


def kmail(lines: Lines, to: Original) -> bytes:
    """Write a mail of KMail, below the quote."""
    line = {"de": "Am Samstag, 28. November 2026, 10:15:00 CET schrieb Nova Luna:"}.get(
        to.tongue.code, "On Saturday, 28 November 2026 10:15:00 CET Nova Luna wrote:"
    )
    return mail(plain("\n".join([line, to.quoted(), "", *lines, "", ""]), "utf-8", "8bit"))


def mutt(lines: Lines, to: Original) -> bytes:
    """Write a mail of mutt, below a quote that was cut to a few lines."""
    quoted = to.quoted().split("\n")[2:14]
    text = "\n".join(
        ["On Sat, Nov 28, 2026 at 10:15:00AM +0000, Nova Luna wrote:", *quoted, "", *lines, "", "-- ", "Ann"]
    )
    return mail(plain(text, "utf-8" if not text.isascii() else "us-ascii", "8bit"), "User-Agent: Mutt/2.2.12")


def mailx(lines: Lines, to: Original) -> bytes:
    """Write a mail of mailx in a terminal: no quote, and hardly any headers."""
    text = "\n".join(lines) + "\n"
    return (
        f"From: ann@example.net\nTo: {SERVICE}\nSubject: Re: {to.tongue.code}\nMessage-Id: "
        f"<20261128.4711@ann.example.net>\n\n{text}"
    ).encode()


def claws(lines: Lines, to: Original) -> bytes:
    """Write a mail of Claws Mail, whose attribution takes two lines."""
    text = "\n".join(
        ["On Sat, 28 Nov 2026 10:15:00 +0000", f"Nova Luna <{SERVICE}> wrote:", "", to.quoted(), "", *lines, ""]
    )
    return mail(plain(text, "utf-8", "8bit"))


def gnus(lines: Lines, to: Original) -> bytes:
    """Write a mail of Gnus, above the quote."""
    return mail(plain("\n".join([*lines, "", f"Nova Luna <{SERVICE}> writes:", "", to.quoted(), ""])))


def alpine(lines: Lines, to: Original) -> bytes:
    """Write a mail of Alpine: format=flowed, above the quote."""
    return mail(
        plain(
            "\n".join([*lines, "", "On Sat, 28 Nov 2026, Nova Luna wrote:", "", to.quoted("> "), ""]),
            more="; format=flowed",
        )
    )


def notes(lines: Lines, to: Original) -> bytes:
    """Write a mail of Notes: a table of headers, and no mark at the quoted lines."""
    who, sent, receiver, subject = to.tongue.outlook
    text = "\n".join(
        [
            *lines,
            "",
            "",
            f"{who}:    Nova Luna <{SERVICE}>",
            f"{receiver}:    ann@example.net",
            f"{sent}:    28.11.2026 10:15",
            f"{subject}:    {to.subject}",
            "",
            "",
            to.text,
        ]
    )
    return mail(plain(text, "iso-8859-1"))


def t_online(lines: Lines, to: Original) -> bytes:
    """Write a mail of T-Online: its own line of dashes, and the subject first."""
    who, _, receiver, subject = to.tongue.outlook
    text = "\n".join(
        [
            *lines,
            "",
            "-----Original-Nachricht-----",
            f"{subject}: {to.subject}",
            "Datum: 2026-11-28T10:15:00+0100",
            f'{who}: "Nova Luna" <{SERVICE}>',
            f'{receiver}: "ann@example.net" <ann@example.net>',
            "",
            "",
            to.text,
        ]
    )
    return mail(plain(text, "utf-8", "base64"))


def em_client(lines: Lines, to: Original) -> bytes:
    """Write a mail of eM Client, with the headers in elements."""
    head = "".join(f"<div>{line}</div>" for line in outlook_head(to, bold=True))
    html = (
        f"<html><body>{divs(lines)}<div><br></div><div>------ {to.tongue.original} ------</div>{head}<div><br></div>"
        f'<div id="x17" class="x_quoted"><blockquote cite="x@example.org" type="cite" class="cite2">{to.html}'
        f"</blockquote></div></body></html>"
    )
    return mail(page(html))
