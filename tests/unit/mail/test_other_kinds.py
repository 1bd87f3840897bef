"""The mails other than turn mails: end, closed, invitation, codes, changed address."""

import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from urllib.parse import unquote

import pytest

from engine.game import Match
from engine.moves import END
from engine.table import Step
from service.language.languages import Reader, language
from service.language.people import People
from service.mail import closed, codes, end, invitation
from service.mail.checkpoints import sentences
from service.mail.mailto import mailto
from service.mail.message import Content
from service.queries.closed_context import Closed
from service.queries.code_context import AddressChanged, PendingCommand, ValidCode
from service.queries.end_context import Audit, End
from service.queries.invitation_context import Invited
from service.queries.recipients import Recipient
from tests.support.mail import facts, kinds
from tests.support.mail.html_reader import heard, links

SECRET = "x8Gk2M1qWzVv3r8ZgkT0aBcDeFgHiJkLmNoPqRsTuVw"
CODE = "ABCDE-FGHJK"
SOUND = Audit(41)
STRANGER = Recipient("guest@example.org", None, None)
PLAYER = Recipient("ann@example.org", "Ann", "AcCoUnt23456")


def an_end(steps: list[Step], seat: int, audit: Audit = SOUND, contact: str | None = None) -> Content:
    last = steps[-1]
    assert last.ended is not None and isinstance(last.state, Match)
    told = End(
        to=PLAYER,
        table=facts.TABLE,
        people=People(facts.NAMES, seat),
        seat=seat,
        version=41,
        state=last.state,
        result=last.ended,
        last=last,
        commitment="ab" * 32,
        server_seed="cd" * 32,
        story=kinds.a_story(last.state.seats, steps),
        audit=audit,
    )
    return end.compose(told, facts.PAGE, facts.RECORD, facts.STOP, contact=contact)


def an_invitation(to: Recipient, inviter: str | None = "Ann", reply_to: str | None = facts.GUEST) -> Content:
    invited = Invited(
        to=to,
        invitation="InViTe234567",
        table=facts.TABLE,
        inviter=inviter,
        people=People(("Ann", None, None), None, to.reader.language),
        sitting=(0, 1),
        seats=3,
        goal_discs=17,
        commitment="ab" * 32,
        expires_at=facts.AT + timedelta(days=14),
    )
    return invitation.compose(invited, SECRET, facts.BASE, facts.STOP if to.account else facts.NEVER, reply_to)


def coded(to: Recipient, purpose: str = "sign-in", *asked: PendingCommand) -> ValidCode:
    return ValidCode(to, "CoDe23456789", purpose, None, facts.AT + timedelta(minutes=15), asked)


def changed(contact: str | None = None) -> Content:
    return codes.compose_address_changed(AddressChanged(PLAYER, "CoDe23456789"), facts.BASE, facts.NEVER, contact)


def both(content: Content) -> tuple[str, str]:
    return content.text, heard(content.html)


def test_the_end_ranks_everybody_and_opens_the_seed() -> None:
    state = facts.match()
    steps = []
    while state.result is None:
        steps += facts.play(state, 1)
    assert state.result.ranking is not None
    winner = state.result.ranking[0]
    content = an_end(steps, winner)
    assert content.subject == f"You won: Nova Luna with {People(facts.NAMES, winner).others()}"
    lines = content.text.split("THE RANKING\n")[1].splitlines()[:3]
    assert [line.split(":")[0] for line in lines] == [
        f"{place}. {facts.NAMES[seat]}{' (you)' if seat == winner else ''}"
        for place, seat in enumerate(state.result.ranking, start=1)
    ]
    for part in both(content):
        assert "ab" * 32 in part and "cd" * 32 in part
    record = facts.RECORD
    assert record in content.text and facts.PAGE in content.text
    assert links(content.html) == [record, facts.PAGE, facts.STOP]
    loser = an_end(steps, state.result.ranking[-1])
    assert loser.subject.startswith("The game is over: ")


def test_the_end_tells_the_course_of_the_game_and_shows_its_plots() -> None:
    content = kinds.an_end(PLAYER, facts.NAMES, b"png")
    assert content.plots is not None and content.picture is not None
    assert f'src="cid:{content.plots.cid}"' in content.html and content.plots.alt in content.html
    told = content.text.split("THE COURSE OF THE GAME\n")[1].split("\n")[0]
    assert " led from move " in told or " took the lead " in told
    assert told in heard(content.html)
    without = kinds.an_end(PLAYER, facts.NAMES)
    assert without.plots is None and told in without.text


def test_an_end_at_once_tells_of_no_course() -> None:
    state = facts.match()
    content = an_end([state.advance(None, END)], 0)
    assert all("course of the game" not in part.lower() for part in both(content))


@pytest.mark.parametrize(
    ("audit", "told"),
    [
        (Audit(41), "was verified: each of its 41 entries follows the rules"),
        (Audit(1), "was verified: its 1 entry follows the rules"),
        (Audit(41, 7, "the time goes back"), "does not hold (7: the time goes back)"),
        (Audit(41, "result", "the log leads to None"), "does not hold (result: the log leads to None)"),
    ],
)
def test_the_end_says_what_an_audit_of_the_record_finds(audit: Audit, told: str) -> None:
    state = facts.match()
    content = an_end([state.advance(None, END)], 0, audit)
    assert all(told in part for part in both(content))


def test_a_broken_record_names_whom_to_tell() -> None:
    last = facts.match().advance(None, END)
    for contact, told in (
        (None, "Please tell whoever runs this service."),
        ("help@example.org", "Please tell those who run this service: help@example.org"),
    ):
        content = an_end([last], 0, Audit(41, 7, "the time goes back"), contact)
        assert all(told in part for part in both(content))


def test_the_end_names_header_head_and_checkpoint() -> None:
    content = kinds.an_end(PLAYER, facts.NAMES)
    for part in both(content):
        assert "header begins with 1f00ba42" in part
        assert "Its last entry is number 16, with this hash:" in part and "ef" * 32 in part
        assert "with the size 1280 in the log nova.example/v1/checkpoints/1, has this game up to entry 12." in part
        assert "The next checkpoint will have it as it is now." in part


def test_the_end_of_a_game_that_no_checkpoint_has_says_so() -> None:
    notice = replace(kinds.NOTICE, commitment=None, is_going_on=False)
    told = sentences(notice, PLAYER.reader)
    assert told[1:] == ["No checkpoint has this game yet."]
    assert sentences(replace(notice, is_going_on=True), PLAYER.reader)[2:] == [
        "The next checkpoint will have it as it is now."
    ]


def test_a_game_that_its_checkpoint_has_whole_waits_for_no_other() -> None:
    assert kinds.NOTICE.commitment is not None
    whole = replace(kinds.NOTICE, commitment=replace(kinds.NOTICE.commitment, version=16))
    assert len(sentences(whole, PLAYER.reader)) == 2


def test_an_end_without_ranking_ranks_nobody() -> None:
    state = facts.match()
    content = an_end([state.advance(None, END)], 0)
    assert "WHERE IT STOOD" in content.text and "RANKING" not in content.text
    assert "- Ann (you): 20 goal discs left" in content.text
    assert "THE LAST MOVE" not in content.text


@pytest.mark.parametrize(("because", "why"), [("expired", "within 30 days"), ("maker", "Its maker closed it")])
def test_a_closed_table_says_why(because: str, why: str) -> None:
    content = closed.compose(Closed(PLAYER, facts.TABLE, because, 3, facts.AT), facts.BASE, facts.STOP, None)
    assert all(why in part and facts.TABLE in part for part in both(content))
    assert "27 November 2026, 20:56 UTC" in content.text


def test_a_closed_table_says_how_to_open_another_as_its_reader_plays() -> None:
    by_program = PLAYER._replace(over_http=True)
    for to, write_to, told in (
        (PLAYER, "nova@example.org", "write “new 3” to nova@example.org."),
        (PLAYER, None, f"open a table of your own at {facts.BASE}/tables/new."),
        (by_program, "nova@example.org", f"Over HTTP, send POST {facts.BASE}/v1/games."),
    ):
        made = closed.compose(Closed(to, facts.TABLE, "maker", 3, facts.AT), facts.BASE, facts.STOP, write_to)
        assert told in made.text and ("POST" in made.text) is ("POST" in heard(made.html)) is to.over_http
        assert ("mailto:nova@example.org?subject=new%203&body=new%203" in unescape(made.html)) is (write_to is not None)


def test_an_invitation_says_who_what_and_how() -> None:
    content = an_invitation(STRANGER)
    assert content.subject == "Ann invites you to a game of Nova Luna"
    for part in both(content):
        assert "Ann invites you" in part
        assert "At the table: Ann and Player 2. 2 of 3 seats are taken." in part
        assert "17 goal discs" in part and "ab" * 32 in part
        assert "11 December 2026, 20:56 UTC" in part
    assert SECRET in content.text.splitlines() and SECRET in heard(content.html)
    assert f"{facts.BASE}/rules?language=en" in content.text.splitlines()
    assert f"{facts.BASE}/programs?language=en&table={facts.TABLE}" in content.text.splitlines()
    assert not re.search("curl|TOKEN|/v1/", content.text + content.html)


def test_an_invitation_has_yes_at_its_top_and_its_secret_last() -> None:
    for text in both(an_invitation(STRANGER)):
        order = [
            text.index(part)
            for part in (
                "Answer this mail with",
                "At the table",
                "For programs".upper() if "FOR PROGRAMS" in text else "For programs",
                SECRET,
            )
        ]
        assert order == sorted(order)
    assert an_invitation(STRANGER).text.splitlines()[-1] == SECRET
    (agree,) = [link for link in links(an_invitation(STRANGER).html) if link.startswith("mailto:")]
    assert agree == mailto(facts.GUEST, "Ann invites you to a game of Nova Luna", "yes")


def test_an_invitation_says_both_names() -> None:
    assert an_invitation(PLAYER, "Ben").subject == "Ann, Ben invites you to a game of Nova Luna"
    in_french = Recipient("guest@example.org", None, None, Reader(language("fr")))
    assert an_invitation(in_french).subject == "Ann t’invite à une partie de Nova Luna"


def test_an_invitation_that_can_not_be_answered_leads_to_programs() -> None:
    content = an_invitation(STRANGER, reply_to=None)
    assert "Answer this mail" not in content.text and "mailto:" not in content.html
    assert "To accept, take your seat over HTTP:" in content.text


def test_somebody_with_an_account_is_not_told_to_make_one() -> None:
    content = an_invitation(PLAYER)
    assert "sign-ins" not in content.text + content.html
    assert "never-mail" not in content.text + content.html
    assert facts.STOP in content.text.splitlines() and facts.STOP in links(content.html)


def test_an_inviter_without_a_name_stays_somebody() -> None:
    assert an_invitation(STRANGER, None).subject == "Somebody invites you to a game of Nova Luna"
    assert an_invitation(STRANGER, "\u202e\r\n").subject.startswith("Somebody invites you")


def test_a_code_to_sign_in_stands_alone_on_a_line_and_in_no_subject() -> None:
    content = codes.compose_sign_in(coded(STRANGER), CODE, facts.BASE, facts.NEVER)
    assert content.text.splitlines().count(CODE) == 1
    assert CODE in heard(content.html) and CODE not in content.subject
    assert "27 November 2026, 21:11 UTC" in content.text
    assert f"{facts.BASE}/programs?language=en" in content.text.splitlines()
    assert not re.search("curl|/v1/", content.text + content.html)


@pytest.mark.parametrize(
    ("asked", "subject", "begins"),
    [
        (
            [PendingCommand("new", 3, 2)],
            "Answer “yes” to open a table for 3",
            "The 2 people whom you named get an invitation.",
        ),
        (
            [PendingCommand("new", 2, 1)],
            "Answer “yes” to open a table for 2",
            "The person whom you named gets an invitation.",
        ),
        ([PendingCommand("new", 4)], "Answer “yes” to open a table for 4", "at which others can sit down."),
        ([PendingCommand("solo")], "Answer “yes” to begin a solo", "That begins a game for you alone."),
        ([PendingCommand("join")], "Answer “yes” to take your seat", "Then you sit at the table."),
        ([PendingCommand("new")], "Answer “yes” to begin", "That begins what you asked for."),
        ([PendingCommand("solo"), PendingCommand("join")], "Answer “yes” to begin", "That begins what you asked for."),
    ],
)
def test_a_code_says_what_yes_begins(asked: list[PendingCommand], subject: str, begins: str) -> None:
    content = codes.compose_sign_in(coded(STRANGER, "sign-in", *asked), CODE, facts.BASE, facts.NEVER, facts.ENTER)
    assert content.subject == subject and CODE not in content.subject
    for part in both(content):
        assert begins in part and part.index(begins) < part.index(CODE)
    assert content.text.splitlines()[2].startswith("Answer this mail with “yes” at its top.")
    assert unquote(links(content.html)[0]).startswith(f"mailto:{facts.ENTER}?") and "body=yes" in content.html


def test_a_code_for_a_new_address_stands_alone_on_a_line() -> None:
    content = codes.compose_address_confirm(coded(STRANGER, "email-change"), CODE, facts.BASE, facts.NEVER)
    assert content.text.splitlines().count(CODE) == 1
    assert f"{facts.BASE}/settings/account" in content.text and CODE not in content.subject
    assert f"{facts.BASE}/settings/account" in links(content.html) and "curl" not in content.text + content.html
    by_program = STRANGER._replace(over_http=True)
    content = codes.compose_address_confirm(coded(by_program, "email-change"), CODE, facts.BASE, facts.NEVER)
    assert f"{facts.BASE}/v1/me/email" in content.text and f"{facts.BASE}/settings/account" in content.text


def test_strangers_can_ask_to_be_left_alone_in_every_mail() -> None:
    for content in (
        an_invitation(STRANGER),
        codes.compose_sign_in(coded(STRANGER), CODE, facts.BASE, facts.NEVER),
        codes.compose_address_confirm(coded(STRANGER), CODE, facts.BASE, facts.NEVER),
        changed(),
    ):
        assert facts.NEVER in content.text.splitlines()
        assert facts.NEVER in links(content.html)


def test_the_old_address_is_told_without_the_new_one() -> None:
    content = changed()
    for part in both(content):
        assert set(re.findall(r"[\w.]+@[\w.]+\w", part)) == {PLAYER.address}
    assert "no longer uses this address" in heard(content.html)


def test_the_old_address_is_told_whom_to_turn_to() -> None:
    for part in both(changed("help@example.org")):
        assert "Write to the people who run" in part and "or answer this mail" in part
        assert "help@example.org" in part
    for part in both(changed()):
        assert "Turn to the people who run" in part and "Don’t answer this mail" in part
