"""People who have nothing but a mailbox: they read a mail, and reply to it."""

from __future__ import annotations

import itertools
import re
import smtplib
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr

from engine.display import Display, cell_of
from tests.support.mail.text import text_of

_CHOICE = re.compile(r"^(\d)\. Tile (\d+): ", re.MULTILINE)
_SPELLINGS = ("choice {number} at {cell}", "tile {tile} at {cell}", "{tile}@{x},{y}")


@dataclass
class Correspondent:
    """A person at an address, who sends mail to the service's receiver at this port of 127.0.0.1."""

    name: str
    address: str
    port: int
    got: list[EmailMessage] = field(default_factory=list)
    sent: list[EmailMessage] = field(default_factory=list)

    def write(self, to: str, subject: str, said: str, about: EmailMessage | None = None) -> None:
        """Send a mail; a reply quotes the mail that it replies to, as mail programs do."""
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = f"{self.name} <{self.address}>", to, subject
        mail["Message-ID"] = make_msgid(domain="mail.example.org")
        if about is not None:
            mail["In-Reply-To"] = str(about["Message-ID"])
            mail["References"] = f"{about['References'] or ''} {about['Message-ID']}".strip()
            said += "\n\nOn Saturday, Nova Luna by post wrote:\n" + "".join(
                f"> {line}\n" for line in text_of(about).splitlines()
            )
        mail.set_content(said)
        with smtplib.LMTP("127.0.0.1", self.port) as relay:
            refused = relay.sendmail(self.address, [parseaddr(to)[1]], mail.as_bytes())
        assert not refused
        self.sent.append(mail)

    def answer(self, mail: EmailMessage, said: str) -> None:
        """Reply to a mail, at the address that it asks for."""
        subject = str(mail["Subject"])
        self.write(
            str(mail["Reply-To"] or mail["From"]), subject if subject[:4] == "Re: " else f"Re: {subject}", said, mail
        )

    def receive(self, raw: bytes) -> EmailMessage:
        """Take delivery of a mail, and return it."""
        mail = message_from_bytes(raw, _class=EmailMessage, policy=policy.default)
        self.got.append(mail)
        return mail


def asks_for_a_move(mail: EmailMessage) -> bool:
    """Return whether the reader of a mail is to move."""
    return "\nYOUR CHOICES\n" in text_of(mail)


_turns = itertools.count()


def a_move(mail: EmailMessage) -> str:
    """Return the reply of a thoughtful reader: the placement that covers most goals, as far as the mail shows that.

    The notations take turns. If no placement covers a goal and a refill is offered, it is a refill.
    """
    told = text_of(mail)
    placed, free = _drawn(told)
    display = _display(placed)
    choices = [(int(number), int(tile)) for number, tile in _CHOICE.findall(told.split("YOUR CHOICES\n")[1])[:3]]
    best = max(
        (
            (_covers(display, tile, cell), -number, letter, tile, cell)
            for (number, tile), (letter, cell) in itertools.product(choices, free.items())
        ),
        key=lambda one: one[:2],
    )
    covered, number, letter, tile, (x, y) = best
    if not covered and "To refill, write “refill”." in told:
        return "refill"
    spelling = _SPELLINGS[next(_turns) % len(_SPELLINGS)]
    return spelling.format(number=-number, tile=tile, cell=letter, x=x, y=y)


def _drawn(told: str) -> tuple[dict[tuple[int, int], int], dict[str, tuple[int, int]]]:
    """Return the tiles and the open cells in the drawing of a display."""
    drawing = told.split("YOUR DISPLAY\n")[1].split("\n\n")[0].splitlines()
    if "|" not in drawing[0]:
        return {}, {"A": (0, 0)}
    columns = {found.end(): int(found[0]) for found in re.finditer(r"-?\d+", drawing[0])}
    placed, free = {}, {}
    for line in drawing[1:]:
        y = int(line.split()[0])
        for mark in re.finditer(r"[brty](\d+)|[A-Z]+", line):
            cell = columns[mark.end()], y
            if mark[1]:
                placed[cell] = int(mark[1])
            else:
                free[mark[0]] = cell
    return placed, free


def _display(placed: dict[tuple[int, int], int]) -> Display:
    """Return a display with these tiles, placed in a legal order."""
    display, left = Display(), dict(placed)
    while left:
        cell = next(cell for cell in display.open_cells() if cell in left)
        display.place(left.pop(cell), cell_of(*cell), 99)
    return display


def _covers(display: Display, tile: int, cell: tuple[int, int]) -> int:
    """Return the number of goals that a placement would cover."""
    return len(display.clone().place(tile, cell_of(*cell), 99))
