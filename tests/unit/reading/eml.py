"""Mails built byte by byte, so that each can be as odd as the program that it stands for."""

from __future__ import annotations

import base64
import quopri

SERVICE = "nova-luna+t4g2mzq7k3x5w6b2c7d5e3f4@example.org"
"""A reply address of the service."""


def encoded(content: bytes, how: str) -> bytes:
    """Return a body in this transfer encoding."""
    match how:
        case "base64":
            return base64.encodebytes(content)
        case "quoted-printable":
            return quopri.encodestring(content)
        case _:
            return content


def part(kind: str, text: str, charset: str = "utf-8", how: str = "quoted-printable", more: str = "") -> bytes:
    """Return a part with its header fields; `more` follows the charset, such as `; format=flowed`."""
    label = f'; charset="{charset}"' if charset else ""
    fields = f"Content-Type: {kind}{label}{more}\nContent-Transfer-Encoding: {how}\n\n"
    codec = charset or "utf-8"
    return fields.encode() + encoded(text.encode(codec if codec != "unknown-8bit" else "cp1252", "replace"), how)


def plain(text: str, charset: str = "utf-8", how: str = "quoted-printable", more: str = "") -> bytes:
    """Return a text/plain part."""
    return part("text/plain", text, charset, how, more)


def page(text: str, charset: str = "utf-8", how: str = "quoted-printable") -> bytes:
    """Return a text/html part."""
    return part("text/html", text, charset, how)


def several(kind: str, *parts: bytes, boundary: str = "----=_Part_17_4711.8190", more: str = "") -> bytes:
    """Return a multipart of these parts."""
    mark = f"--{boundary}".encode()
    body = b"".join(mark + b"\n" + within.rstrip(b"\n") + b"\n\n" for within in parts)
    return f'Content-Type: multipart/{kind}{more}; boundary="{boundary}"\n\n'.encode() + body + mark + b"--\n"


def alternative(text: bytes, html: bytes, boundary: str = "000000000000a1b2c3d4e5f6") -> bytes:
    """Return a multipart with a text and the same as HTML."""
    return several("alternative", text, html, boundary=boundary)


def mail(
    body: bytes, *fields: str, sender: str = "Ann Example <ann@example.net>", subject: str = "Re: Your turn"
) -> bytes:
    """Return a whole mail, with CRLF at the end of each line."""
    head = [
        "Return-Path: <ann@example.net>",
        "Received: from mx.example.net (mx.example.net [192.0.2.7])\n\tby mail.example.org with ESMTPS id 4711",
        f"From: {sender}",
        f"To: Nova Luna <{SERVICE}>",
        f"Subject: {subject}",
        "Date: Sat, 28 Nov 2026 10:20:30 +0100",
        "Message-ID: <CAF4711.abc@mail.example.net>",
        "In-Reply-To: <turn.G4mE8sWqKzRt.7.AcCtAnn23456@example.org>",
        "References: <game.G4mE8sWqKzRt@example.org>\n <turn.G4mE8sWqKzRt.7.AcCtAnn23456@example.org>",
        "MIME-Version: 1.0",
        *fields,
    ]
    return ("\n".join(head) + "\n").encode().replace(b"\n", b"\r\n") + body.replace(b"\r\n", b"\n").replace(
        b"\n", b"\r\n"
    )
