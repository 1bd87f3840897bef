"""The daily digest in each language."""

import pytest

from service.language.languages import CODES, Reader, language
from service.queries.recipients import Recipient
from tests.support.mail import facts
from tests.support.mail.html_reader import heard, links
from tests.support.mail.kinds import SECRET, ZONES, a_digest

ANN = Recipient("ann@example.org", "Ann", "AcCoUnt23456")


def test_digest_says_which_games_wait_and_for_what() -> None:
    mail = a_digest(ANN, facts.NAMES, news=False)
    assert mail.subject == "3 games wait for you: Nova Luna today"
    for said in (mail.text, heard(mail.html)):
        assert "3 games wait for you." in said and "1 more game waits for you." in said
        assert said.count("It has been your turn since") == 2 and "since 27 November 2026, 20:56 UTC." in said
        assert said.count("You may take:") == 2 and "time cost" in said
    assert mail.text.count(facts.PAGE) == links(mail.html).count(facts.PAGE) == 2


def test_digest_tells_of_ended_closed_and_invited_games() -> None:
    mail = a_digest(ANN, facts.NAMES, 0)
    assert mail.subject == "What happened: Nova Luna today"
    for said in (mail.text, heard(mail.html)):
        assert "No game waits for you." in said and "will not be played." in said
        assert "Ann invites you to a game for 3" in said and "Somebody invites you to a game for 3" in said
        assert SECRET in said
    agree, programs = f"mailto:{facts.GUEST}", f"{facts.BASE}/programs?language=en&table={facts.TABLE}"
    assert links(mail.html) == [facts.PAGE, facts.PAGE, *[agree, programs] * 2, facts.STOP], (
        "of the game that is over, of what was said after one, and of two invitations"
    )


def test_what_a_name_holds_is_no_html() -> None:
    mail = a_digest(ANN, ("<b>x</b>", "Ben\nSubject: y", "Cleo"))
    assert "<b>x</b>" not in mail.html and "\nSubject: y" not in mail.text and "\n" not in mail.subject


@pytest.mark.parametrize("code", CODES)
def test_digest_is_in_the_readers_language_and_zone(code: str) -> None:
    reader = Reader(language(code), ZONES[code])
    mail = a_digest(ANN._replace(reader=reader), facts.NAMES)
    assert reader.moment(facts.AT) in mail.text and f'lang="{code}"' in mail.html
    assert ("invites you" in mail.text) == (code == "en")
