"""No line of our own mails is one that could be taken for what somebody asks: quoted without any marks, it does nothing."""

from email.message import EmailMessage

import pytest

from service.language.languages import CODES, language
from service.reading.answer import understand
from service.reading.letter import read
from tests.mail import kinds

NAMES = ("Ann", "solo", "2 F", "Stop")


def mail(text: str) -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@example.org", "Re: Your turn"
    message.set_content(text)
    return message.as_bytes()


@pytest.mark.parametrize("kind", kinds.every_kind())
def test_each_line_of_each_kind_of_mail(kind: str) -> None:
    for code in CODES:
        content = kinds.every_kind(language(code), NAMES)[kind]()
        for line in {line for line in content.text.splitlines() if line.strip()}:
            found = understand(read(mail(line + "\n")))
            assert not found.commands and not found.unread, line
