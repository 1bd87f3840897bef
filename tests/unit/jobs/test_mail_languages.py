"""The language of replies, for people with an account and without."""

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from service.jobs.worker_context import WorkerContext
from service.store.accounts import Account
from service.store.invitations import Invitation
from tests.support import world
from tests.support.mail.text import text_of
from tests.unit.jobs.matches import Match
from tests.unit.jobs.test_beginnings import newest
from tests.unit.jobs.writing import SERVICE, Post, taking_mail

ANN, CLEO = "Ann <ann@example.org>", "Cleo <cleo@example.org>"


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    world.account(session, "Ann")
    return Post(taking_mail(context), session)


def language_at(post: Post, address: str) -> str | None:
    return post.session.scalar(select(Account.language).where(Account.email == address))


@pytest.mark.parametrize(
    ("said", "code", "subject", "invited"),
    [
        (
            "nouvelle partie 2 joueurs, ann@example.org",
            "fr",
            "Réponds « oui » pour ouvrir une table de 2",
            "Ann, Cleo t’invite",
        ),
        ("neues Spiel 2 Spieler, ann@example.org", "de", "Antworte „ja“", "Ann, Cleo lädt dich"),
        ("Hola,\n\nnueva partida 2 jugadores, ann@example.org", "es", "Responde «sí»", "Ann, Cleo te invita"),
        ("new 2, ann@example.org\n\nThanks!", "en", "Answer “yes”", "Ann, Cleo invites you"),
    ],
)
def test_a_player_who_begins_in_a_language_goes_on_in_it(
    post: Post, said: str, code: str, subject: str, invited: str
) -> None:
    post.session.execute(update(Account).where(Account.email == "ann@example.org").values(language=code))
    post.write(SERVICE, said, CLEO)
    (asked,) = post.got("cleo@example.org")
    assert str(asked["Subject"]).startswith(subject)
    post.answer(asked, "yes", sender=CLEO)
    assert language_at(post, "cleo@example.org") == code
    assert str(post.got("ann@example.org")[-1]["Subject"]).startswith(invited)


def test_a_subject_counts_only_where_the_text_leaves_the_language_open(post: Post) -> None:
    for name, subject, said, code in (
        ("dora", "hello", "Solo bitte", "de"),
        ("eva", "hello", "solo s'il te plaît", "fr"),
        ("finn", "Hallo", "solo", "de"),
    ):
        post.write(SERVICE, said, f"{name}@example.org", subject=subject)
        (asked,) = post.got(f"{name}@example.org")
        post.answer(asked, {"de": "ja", "fr": "oui"}[code])
        assert language_at(post, f"{name}@example.org") == code


@pytest.mark.parametrize(("said", "code"), [("Oui merci", "fr"), ("ja", "de"), ("¡Sí!", "es"), ("yes", "en")])
def test_agreement_in_a_language_is_answered_in_it_from_then_on(post: Post, said: str, code: str) -> None:
    post.write(SERVICE, "solo", "Ben <ben@example.org>")
    post.answer(post.got("ben@example.org")[-1], said, sender="Ben <ben@example.org>")
    assert language_at(post, "ben@example.org") == code


def test_an_invited_player_is_written_to_as_the_inviter_or_as_they_write(post: Post) -> None:
    post.session.execute(update(Account).where(Account.email == "ann@example.org").values(language="fr"))
    post.write(SERVICE, "new 4, ben@example.org, cleo@example.org, dora@example.org", ANN)
    post.session.execute(update(Invitation).where(Invitation.email == "dora@example.org").values(invited_by=None))
    for name, said, code in (("ben", "yes", "fr"), ("cleo", "Ja, gerne! Danke\n\nja", "de"), ("dora", "yes", "en")):
        (mail,) = post.got(f"{name}@example.org")
        assert str(mail["Subject"]) == "Ann t’invite à une partie de Nova Luna"
        post.answer(mail, said, sender=f"{name.title()} <{name}@example.org>")
        assert language_at(post, f"{name}@example.org") == code


def test_a_language_is_asked_for_at_the_public_address(post: Post) -> None:
    (answer,) = post.write(SERVICE, "auf Deutsch, bitte", ANN)
    assert language_at(post, "ann@example.org") == "de"
    assert "„deutsch“: Deine Mails kommen ab jetzt auf Deutsch." in text_of(answer)
    (answer,) = post.write(SERVICE, "english", ANN)
    assert "“english”: Your mails come in English from now on." in text_of(answer)


def test_a_code_is_mailed_anew_in_the_language_that_is_asked_for(post: Post) -> None:
    post.write(SERVICE, "solo", CLEO)
    (first,) = post.got("cleo@example.org")
    post.answer(first, "français", sender=CLEO)
    _, second = post.got("cleo@example.org")
    assert str(second["Subject"]) == "Réponds « oui » pour commencer un solo"
    assert language_at(post, "cleo@example.org") is None
    post.answer(second, "oui", sender=CLEO)
    assert language_at(post, "cleo@example.org") == "fr" and newest(post).kind == "solo"
    post.answer(first, "deutsch", sender=CLEO)
    assert len(post.got("cleo@example.org")) == 4 and language_at(post, "cleo@example.org") == "de"


def test_a_code_is_answered_with_yes_and_a_language(post: Post) -> None:
    post.write(SERVICE, "solo", CLEO)
    (asked,) = post.got("cleo@example.org")
    (begun,) = post.answer(asked, "yes\nespañol", sender=CLEO)
    assert language_at(post, "cleo@example.org") == "es" and newest(post).kind == "solo"
    assert str(begun["Subject"]) == "Nova Luna: tu solitario"


def test_a_program_says_the_language_where_the_words_do_not(post: Post) -> None:
    for name, tags, begins in (("dora", "de-AT", "Antworte"), ("eve", "pl, es", "Responde"), ("fay", "x", "Answer")):
        address = f"{name}@example.org"
        raw = f"From: {address}\nTo: {SERVICE}\nSubject: solo\nContent-Language: {tags}\n\nsolo\n"
        post.put_raw(SERVICE, raw.encode(), address)
        post.run()
        assert str(post.got(address)[0]["Subject"]).startswith(begins)


def test_an_answer_to_a_turn_changes_the_language(post: Post) -> None:
    post.forget()
    match = Match(post)
    (answer,) = post.answer(match.mail, "español\nchoice 1 A")
    assert "Desde ahora tus correos llegan en español." in text_of(answer) and len(match.moves()) == 1
    assert post.session.scalar(select(Account.language).where(Account.email == match.address)) == "es"
