"""A move in two taps: the links of a turn mail, each of which writes a reply."""

import re
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from engine.prospects import coverable
from service.language.cell_letters import lettered
from service.language.languages import CODES, Reader, language
from service.language.people import People
from service.mail import move_links, turn
from service.mail.mailto import mailto
from service.mail.message import Content
from service.mail.move_links import Answering
from service.queries.recipients import Recipient
from service.queries.turn_context import Turn
from service.reading.commands import Pick, Refill
from service.reading.incoming_mail import read
from service.reading.reply_parser import parse_reply
from tests.support.mail import facts, kinds

SIGNATURES = (
    "",
    "\n\nSent from my iPhone",
    "\n\n-- \nTom",
    "\n\nEnvoyé de mon iPhone",
    "\n\nVon meinem iPhone gesendet",
)


def mail(code: str, moves: int = 16, **changes: object) -> tuple[Content, Turn]:
    state = facts.match()
    told = facts.turn(state, facts.play(state, moves)[-2:])
    reader = Reader(language(code))
    told = replace(told, to=replace_reader(told.to, reader), people=People(facts.NAMES, told.seat, reader.language))
    told = replace(told, **changes)  # type: ignore[arg-type]
    return turn.compose(told, facts.BASE, facts.PAGE, facts.STOP, reply_to=facts.REPLY_TO), told


def replace_reader(to: Recipient, reader: Reader) -> Recipient:
    return to._replace(reader=reader)


def written(content: Content) -> list[tuple[str, str, str]]:
    """Return the address, subject and body that each link writes."""
    found = []
    for link in re.findall(r'href="(mailto:[^"]*)"', content.html):
        parts = urlsplit(unescape(link))
        query = parse_qs(parts.query, strict_parsing=True)
        assert set(query) == {"subject", "body"}
        found.append((unquote(parts.path), query["subject"][0], query["body"][0]))
    return found


def sent(to: str, subject: str, body: str) -> bytes:
    return f"From: ann@example.org\r\nTo: {to}\r\nSubject: x\r\nMessage-ID: <a@b.example>\r\n\r\n{body}\r\n".encode()


@pytest.mark.parametrize("code", CODES)
def test_each_choice_and_cell_has_a_link_that_plays_it(code: str) -> None:
    content, told = mail(code)
    cells = [letters for letters, _ in lettered(told.state.displays[told.seat].open_cells())]
    asked: list[object] = []
    for signature in SIGNATURES:
        asked = []
        for to, subject, body in written(content):
            assert to == facts.REPLY_TO and subject == f"Re: {content.subject}" and body.isprintable()
            answer = parse_reply(read(sent(to, subject, body + signature)))
            (command,) = answer.commands
            assert isinstance(command, Pick) and not answer.unread and answer.suggestion is None
            asked.append((command.choice, command.cell))
        assert asked == [(number, cell) for number in (1, 2, 3) for cell in cells], signature


@pytest.mark.parametrize("code", CODES)
def test_a_refill_has_a_link_where_it_is_allowed(code: str) -> None:
    state = facts.match()
    while not state.may_refill():
        facts.play(state, 1)
    told = facts.turn(state, [])
    told = replace(
        told, people=People(facts.NAMES, told.seat, language(code)), to=replace_reader(told.to, Reader(language(code)))
    )
    content = turn.compose(told, facts.BASE, facts.PAGE, facts.STOP, reply_to=facts.REPLY_TO)
    answers = [parse_reply(read(sent(*each))).commands for each in written(content)]
    assert answers.count((Refill(),)) == 1
    assert not any((Refill(),) == parse_reply(read(sent(*each))).commands for each in written(mail(code)[0]))


def test_a_mail_that_cannot_be_answered_has_no_taps() -> None:
    _, told = mail("en")
    content = turn.compose(told, facts.BASE, facts.PAGE, facts.STOP)
    assert "mailto:" not in content.html + content.text and 'class="tap' not in content.html


def test_the_way_to_move_stands_before_picture_and_choices() -> None:
    content = kinds.every_kind(png=b"\x89PNG\r\n\x1a\n")["turn"]()
    places = [
        content.html.index(part)
        for part in ("Since your last move", "Your move", "cid:", "Your choices", "Your display")
    ]
    assert places == sorted(places)
    places = [
        content.text.index(part)
        for part in ("SINCE YOUR", "YOUR MOVE\n", "YOUR CHOICES", "YOUR DISPLAY", "\nTHE TABLE")
    ]
    assert places == sorted(places)


def test_choices_say_where_they_would_cover_goals() -> None:
    content, told = mail("en")
    display, discs = told.state.displays[told.seat], told.state.discs_at_hand()
    seen = set()
    for number, tile in enumerate(told.state.wheel.choices(), start=1):
        good = coverable(display, tile, discs)
        line = next(line for line in content.text.splitlines() if line.startswith(f"{number}. Tile {tile}: "))
        for letters, cell in lettered(display.open_cells()):
            marked = re.search(
                rf'class="tap( good)?" href="[^"]*body=choice%20{number}%20at%20{letters}"', content.html
            )
            assert marked is not None and bool(marked[1]) == (cell in good)
            told_of = re.search(rf"(\d) goals? at [^;.]*\b{letters}\b", line)
            assert (int(told_of[1]) if told_of else 0) == good.get(cell, 0)
            seen.add(good.get(cell, 0))
        assert ("Covers no goal now." in line) == (not good)
    assert {0, 1} <= seen


def test_without_hints_nothing_is_said_of_goals_to_cover() -> None:
    content, _ = mail("en", hints=False)
    assert "Covers" not in content.text + content.html and "tap good" not in content.html
    assert 'class="tap"' in content.html


def test_commands_of_http_are_told_to_those_alone_who_use_them() -> None:
    for over_http in (True, False):
        content, _ = mail("en", over_http=over_http)
        assert ("curl" in content.text, "curl" in content.html, "TOKEN" in content.text) == (over_http,) * 3


def test_many_links_stay_within_their_budget() -> None:
    to = Answering(facts.REPLY_TO, "Ваш ход: " + "山" * 90)
    cells = {letters: int(index % 7 == 0) for index, (letters, _) in enumerate(lettered([(0, 0)] * 120))}
    made = move_links.write(to, {1: cells, 2: cells, 3: cells}, language("fr"))
    every = [tap for each in made.of_choice.values() for tap in each]
    assert sum(len(tap.link) for tap in every) < move_links.BUDGET
    assert made.some_are_missing and {tap.letters for tap in every} >= {letters for letters in cells if cells[letters]}
    few = move_links.write(to, {1: {"A": 0}}, language("fr"))
    assert not few.some_are_missing and unquote(few.of_choice[1][0].link).count("山") == 90


@pytest.mark.parametrize("text", ["a&b=c?d#e", "50 % + 1", "é→山", "two\r\nlines", '"<quoted>"'])
def test_a_mailto_link_brings_back_any_text(text: str) -> None:
    parts = urlsplit(mailto("a+b@example.org", text, text))
    assert parts.scheme == "mailto" and unquote(parts.path) == "a+b@example.org" and parts.geturl().isascii()
    assert parse_qs(parts.query) == {"subject": [text], "body": [text]}
