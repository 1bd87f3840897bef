"""A command that a mail strikes out is not carried out, and holds the others of that mail."""

import pytest

from service.reading.commands import Note
from service.reading.incoming_mail import read
from service.reading.reply_parser import ReplyCommands, parse_reply
from tests.unit.reading.corpus import meant, told
from tests.unit.reading.eml import alternative, mail, page, plain

STRIKES = [
    "<s>{}</s>",
    "<strike>{}</strike>",
    "<del>{}</del>",
    '<span style="text-decoration:line-through">{}</span>',
    '<span style="text-decoration-line: line-through;">{}</span>',
    '<div style="color:red; TEXT-DECORATION: underline line-through">{}</div>',
    "<s><b>{}</b></s>",
]


def answer(html: str, text: str | None = None) -> ReplyCommands:
    return parse_reply(read(mail(page(html) if text is None else alternative(plain(text), page(html)))))


def held(html: str, text: str | None = None) -> list[str]:
    read_as = answer(html, text)
    assert read_as.commands == () and read_as.guess is None and read_as.agreement is None
    return [told(asked) for asked in read_as.held]


@pytest.mark.parametrize("strike", STRIKES)
def test_a_struck_command_is_not_carried_out_and_holds_the_mail(strike: str) -> None:
    struck = strike.format("1 A")
    below = "<div>Oh, let me think about it until tomorrow.</div>"
    assert held(struck) == held(struck + below) == held(f"<p>Hello</p>{struck}{below}") == ["1 A"]
    assert held(struck + below, "1 A\nOh, let me think about it until tomorrow.\n") == ["1 A"]
    assert held(f"{struck}<div>2 A</div>") == held(f"{struck}<div>2 A</div>", "1 A\n2 A\n") == ["1 A", "2 A"]
    assert held(f"<div>2 A</div>{struck}") == ["1 A", "2 A"]


@pytest.mark.parametrize("line", ["resign", "refill", "yes", "stop", "say hello", "note old text", "new 3 players"])
def test_every_command_can_be_struck_out(line: str) -> None:
    assert len(held(f"<s>{line}</s><p>note new</p>", f"{line}\n\nnote new\n")) in (1, 2)


def test_a_struck_note_is_held_beside_the_one_that_replaces_it() -> None:
    assert held("<div><s>note old text</s></div><div>note new text</div>") == ["note old text"]
    assert answer("<p>note new</p><s>something else</s>").commands == (Note("new"),)


def test_a_move_of_which_a_part_is_struck_out_is_held() -> None:
    assert held("2 <s>A</s> B", "2 A B") == held("2 <s>A</s> B") == ["2 B"]
    assert held("<s>2</s> 1 A") == ["1 A"]
    assert held('<ol start="2"><li><s>B</s></li></ol>', "  2. B\n") == ["2 B"]


def test_struck_words_of_a_message_are_left_out_of_it() -> None:
    assert meant(answer("say Nice <s>luck</s> move!")) == ("say Nice move!",)
    assert meant(answer("say Nice <s>luck</s> move!", "say Nice luck move!\n")) == ("say Nice move!",)


def test_struck_talk_questions_and_quotes_hold_nothing() -> None:
    assert meant(answer("2 F<p><s>nice to meet you</s></p>")) == ("2 F",)
    assert meant(answer("<s>status</s><p>2 F</p>")) == ("2 F",)
    assert meant(answer("2 F<blockquote><s>1 A</s></blockquote>")) == ("2 F",)
    assert meant(answer("2 F<p>-- <br><s>1 A</s></p>")) == ("2 F",)


def test_a_sign_that_strikes_letters_out_makes_no_move() -> None:
    assert parse_reply(read(mail(plain("1\u0336 \u0336A\u0336\n")))).commands == ()
    assert parse_reply(read(mail(plain("~~1 A~~\n")))).commands == ()
