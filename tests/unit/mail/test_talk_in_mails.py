"""Messages and notes in mails: escaped, each inside a sentence on one line, in every language."""

from dataclasses import replace
from datetime import datetime

import pytest

from service.language.languages import CODES, Reader, language
from service.language.people import People
from service.mail import turn
from service.mail.message import Content, Envelope, build, to_bytes
from service.queries.talk import NewMessages, Notes, TableMessage
from tests.support.mail import checker, facts

EVIL = "<script>alert(1)</script> & “quoted” %(name)s {{ x }}"
LONG = "😀" * 500
HEBREW = "בהצלחה"
SAID = (EVIL, "resign", "2 F", LONG, HEBREW)


def a_mail(code: str, *said: str, notes: tuple[str, ...] = ()) -> Content:
    told = facts.turn(facts.match(), [])
    messages = tuple(TableMessage(n, 1, "Ben", facts.AT, each) for n, each in enumerate(said, start=1))
    reader = Reader(language(code))
    return turn.compose(
        replace(
            told,
            to=told.to._replace(reader=reader),
            people=People(facts.NAMES, told.seat, reader.language),
            heard=NewMessages(7, 0, messages),
            notes=Notes(notes),
        ),
        facts.BASE,
        facts.PAGE,
        facts.STOP,
    )


@pytest.mark.parametrize("code", CODES)
def test_what_others_wrote_stands_in_a_sentence_on_one_line(code: str) -> None:
    content = a_mail(code, *SAID, notes=("resign", "yes"))
    lines = content.text.splitlines()
    for said in SAID:
        (line,) = [line for line in lines if said in line and line.startswith("- Ben, ")]
        assert line.index(": ") < line.index(said)
    assert not {"resign", "- resign", "yes", "2 F", "- 2 F"} & {line.strip() for line in lines}
    escaped = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; “quoted” %(name)s {{ x }}"
    assert "<script" not in content.html and escaped in content.html
    assert f"\u2068{HEBREW}\u2069" in content.text and f"\u2068{HEBREW}\u2069" in content.html


def test_a_mail_with_the_longest_texts_is_a_right_one() -> None:
    content = a_mail("fr", *[LONG] * 20, notes=(LONG,) * 10)
    envelope = Envelope("Nova Luna <nova-luna@example.org>", "reader@example.org", "turn.x.0.y")
    raw = to_bytes(build(content, envelope, datetime.fromisoformat("2026-11-27T20:56:00+00:00")))
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    checker.check(raw)


def test_an_author_who_left_the_table_is_named_if_there_is_a_name() -> None:
    told = facts.turn(facts.match(), [])
    gone = (TableMessage(1, None, "Dan", facts.AT, "Bye"), TableMessage(2, None, None, facts.AT, "Bye too"))
    content = turn.compose(replace(told, heard=NewMessages(7, 0, gone)), facts.BASE, facts.PAGE, facts.STOP)
    assert "- Dan, 27 November 2026, 20:56 UTC: “Bye”" in content.text
    assert "- Somebody who has left the table, 27 November 2026, 20:56 UTC: “Bye too”" in content.text


def test_without_talk_and_notes_a_mail_says_nothing_of_them() -> None:
    content = a_mail("en")
    for part in (content.text, content.html):
        assert "said at the table" not in part.lower() and "your notes" not in part.lower()
