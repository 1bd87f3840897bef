"""Mails as people's mail programs write them."""


def mail(text: str = "2 F", number: int = 1, *head: str) -> bytes:
    """Return an answer with this text; another number makes it another mail."""
    lines = [
        *head,
        f"Message-ID: <{number}@example.org>",
        "From: Ann <ann@example.org>",
        "Date: Sat, 28 Nov 2026 12:00:00 +0000",
        "Subject: Re: Your turn",
        "",
        *text.splitlines(),
    ]
    return "".join(f"{line}\r\n" for line in lines).encode()
