"""Which mails the receiver takes, which it refuses, and what it has stored by the time it says so."""

from functools import partial

import psycopg
import pytest
from psycopg import sql

from service.access.return_path import references, return_path
from service.local.postgres import Postgres
from service.receiver import limits
from service.receiver.session import LmtpConnection, SmtpConnection
from tests.support.at_once import at_once
from tests.support.running import eventually
from tests.unit.receiver.conftest import GAME, RELAY, Place, Start
from tests.unit.receiver.lmtp_relay import Gone, LmtpRelay
from tests.unit.receiver.sample_mails import mail

SENDER = "ann@example.org"


def relay(place: Place, kind: str = "lmtp") -> LmtpRelay:
    return LmtpRelay(place.port, "LHLO" if kind == "lmtp" else "EHLO")


def kind_of(kind: str) -> type[SmtpConnection]:
    return LmtpConnection if kind == "lmtp" else SmtpConnection


def test_a_mail_is_stored_with_its_job_when_it_is_acknowledged(start: Start) -> None:
    place = start()
    with relay(place) as client:
        assert client.bring(SENDER, [place.address().upper()], mail())[0].code == 250
        assert place.rows() == [("play", GAME.game, GAME.seat, GAME.version, SENDER, mail())]
        assert place.jobs() == [place.rows("id")[0][0]]
        assert client.bring(SENDER, [place.own], mail())[0].code == 250
    assert [row[0] for row in place.rows()] == ["play", "service"]
    assert len(place.jobs()) == 2


@pytest.mark.parametrize("kind", ["smtp", "lmtp"])
def test_the_same_mail_twice_is_acknowledged_twice_and_stored_once(start: Start, kind: str) -> None:
    place = start(kind_of(kind))
    for hop in ("a", "b"):
        with relay(place, kind) as client:
            for _ in range(2):
                raw = mail("2 F", 1, f"Received: from {hop} by mx; Sat, 28 Nov 2026 12:00:01 +0000")
                assert client.bring(SENDER, [place.address(), place.address()], raw)[0].code == 250
    assert len(place.rows()) == len(place.jobs()) == 1


@pytest.mark.parametrize("kind", ["smtp", "lmtp"])
def test_a_mail_to_the_service_and_a_reply_address_is_that_reply(start: Start, kind: str) -> None:
    place = start(kind_of(kind))
    with relay(place, kind) as client:
        assert client.bring(SENDER, [place.own, place.address()], mail())[0].code == 250
        apart = mail("2 F", 2, f"To: {place.own}, Nova Luna <{place.address().upper()}>")
        for address in (place.own, place.address()):
            assert client.bring(SENDER, [address], apart)[0].code == 250
        beside = mail("2 F", 3, f"To: {place.own}", "Cc: ben@example.org, nova-luna+play-wrong@play.example.org")
        assert client.bring(SENDER, [place.own], beside)[0].code == 250
    assert [row[0] for row in place.rows()] == ["play", "play", "service"]


def test_two_receivers_store_what_both_are_brought_once(start: Start) -> None:
    places = start(), start()

    def bring(place: Place) -> list[int]:
        with relay(place) as client:
            return [client.bring(SENDER, [place.address()], mail(number=number))[0].code for number in range(20)]

    assert at_once(*(partial(bring, place) for place in (*places, *places))) == [[250] * 20] * 4
    assert len(places[0].rows()) == len(places[0].jobs()) == 20


def test_an_unknown_address_is_refused_at_once_and_others_are_accepted(start: Start) -> None:
    place = start()
    wrong = place.address().replace("+play-", "+leave-")
    unknown = [wrong, "nobody@play.example.org", "nova-luna@example.net", "postmaster", "a b@c", "@", "<>"]
    with relay(place) as client:
        replies = client.bring(SENDER, [*unknown, place.own], mail())
        assert [reply.code for reply in replies[:4]] == [550] * 4
        assert all(500 <= reply.code < 560 and "+" not in reply.text for reply in replies[:-1])
        assert replies[-1].code == 250
        assert client.bring(SENDER, [wrong], mail(number=2))[0] == replies[0]
    assert [row[0] for row in place.rows()] == ["service"]


@pytest.mark.parametrize(("kind", "answers"), [("lmtp", 2), ("smtp", 1)])
def test_lmtp_answers_for_each_recipient_and_smtp_once(start: Start, kind: str, answers: int) -> None:
    place = start(kind_of(kind))
    with relay(place, kind) as client:
        client.say(f"MAIL FROM:<{SENDER}>")
        for address in (place.address(), place.address(GAME._replace(version=GAME.version + 1))):
            client.say(f"RCPT TO:<{address}>")
        client.say("DATA")
        client.socket.sendall(mail() + b".\r\nNOOP\r\nQUIT\r\n")
        codes = [client.heard() for _ in range(answers + 2)]
        assert [reply.code for reply in codes] == [250] * (answers + 1) + [221]
        assert [reply.text[:6] for reply in codes] == ["2.0.0 "] * (answers + 2)
        with pytest.raises(Gone):
            client.heard()
    assert len(place.rows()) == 2


def test_commands_may_be_sent_together(start: Start) -> None:
    place = start()
    with relay(place) as client:
        assert {"PIPELINING", "ENHANCEDSTATUSCODES", "8BITMIME", "SMTPUTF8"} <= set(client.offers.split())
        for number in range(3):
            client.socket.sendall(f"MAIL FROM:<>\r\nRCPT TO:<{place.own}>\r\nDATA\r\n".encode())
            assert [client.heard().code for _ in range(3)] == [250, 250, 354]
            client.send(mail(number=number))
            assert client.heard().code == 250
    assert len(place.rows()) == 3


RAW = (
    b"", b"\r\n", b".\r\n", b"..\r\n.a\r\n", b"a\r\n.\n.\r\n\r\n", b"\r\n\r\n..\r\n", b"\xff\x00\r\n", b"\r\n.\r\r\n",
    b"x" * 200_000 + b"\r\n", b"a: b\r\n\r\n" + b"y\r\n" * 70_000,
)  # fmt: skip


def test_what_is_stored_are_the_bytes_that_were_sent(start: Start) -> None:
    place = start()
    with relay(place) as client:
        for number, raw in enumerate(RAW):
            [reply] = client.bring(SENDER, [place.address(GAME._replace(version=number))], raw)
            assert reply.code == 250
    assert [bytes(raw) for (raw,) in place.rows("raw")] == list(RAW)


def test_the_empty_path_and_addresses_beyond_ascii_are_senders(start: Start) -> None:
    place = start()
    (reference,) = references(place.settings.secret_keys, "turn.a.1.x")
    sender = "jos\N{LATIN SMALL LETTER E WITH ACUTE}@ex\N{LATIN SMALL LETTER A WITH DIAERESIS}mple.org"
    with relay(place) as client:
        client.bring("", [return_path(place.settings.mail_from, reference)], mail())
        client.say(f"MAIL FROM:<{sender}> SMTPUTF8 BODY=8BITMIME SIZE=100")
        client.say(f"RCPT TO:<{place.own}>")
        client.say("DATA")
        client.send(mail())
        assert client.heard().code == 250
        assert client.bring("\udcff\udcfe@example.org", [place.own], mail(number=2))[0].code in (250, 553)
    assert place.rows("kind, about, sender")[:2] == [("bounce", reference, ""), ("service", None, sender)]


@pytest.mark.parametrize("kind", ["smtp", "lmtp"])
def test_a_sender_whom_no_account_can_have_is_told_so(start: Start, kind: str) -> None:
    place = start(kind_of(kind))
    local = mail().replace(b"<ann@example.org>", "<jürgen@müller.example>".encode())
    domain = mail().replace(b"<ann@example.org>", "<juergen@müller.example>".encode())
    with relay(place, kind) as client:
        [refused] = client.bring(SENDER, [place.own], local)
        assert (refused.code, refused.text[:6]) == (550, "5.6.7 ") and "@" not in refused.text
        for address in (place.address(), place.own):  # an answer to a mail counts whoever sent it
            assert client.bring(SENDER, [address], local if address != place.own else domain)[0].code == 250
    assert [row[0] for row in place.rows()] == ["play", "service"]


@pytest.mark.parametrize("kind", ["smtp", "lmtp"])
def test_a_return_path_that_was_made_up_is_no_address_here(start: Start, owner_url: str, kind: str) -> None:
    place = start(kind_of(kind))
    made_up, *forged = ("a" * 24, "abcdefghijklmnopqrstuvwx", references(("another-key",), "turn.a.1.x")[0])
    with relay(place, kind) as client:
        for number, reference in enumerate((made_up, *forged)):
            [refused] = client.bring("", [return_path(place.settings.mail_from, reference)], mail(number=number))
            assert refused.code == 550 and refused.text.startswith("5.1.1 ")
        assert place.rows() == []
        # A reference from before references had a proof is known by the ledger.
        with psycopg.connect(owner_url) as connection:
            connection.execute("INSERT INTO accounts (id, email, created_at) VALUES ('AcCtAnn23456', 'a@b.c', now())")
            connection.execute(
                "INSERT INTO deliveries (key, account, kind, state, reference, queued_at, at)"
                " VALUES ('turn.a.1.x', 'AcCtAnn23456', 'turn', 'sent', %s, now(), now())",
                (made_up,),
            )
        assert client.bring("", [return_path(place.settings.mail_from, made_up)], mail())[0].code == 250
    with psycopg.connect(owner_url) as connection:
        connection.execute("DELETE FROM deliveries")
        connection.execute("DELETE FROM accounts WHERE id = 'AcCtAnn23456'")


def test_what_the_relay_found_is_stored(start: Start) -> None:
    place = start(mail_checker=RELAY)
    told = f"Authentication-Results: {RELAY}; spf=pass smtp.mailfrom=example.org; dkim=none; dmarc=fail"
    with relay(place) as client:
        client.bring(SENDER, [place.own], mail("2 F", 1, told, "Received: a"))
        client.bring(SENDER, [place.own], mail("2 F", 2, told.replace(RELAY, "mx.example.net")))
    assert [row[0] for row in place.rows("authentication")] == [{"spf": "pass", "dkim": "none", "dmarc": "fail"}, {}]


@pytest.mark.parametrize("kind", ["smtp", "lmtp"])
def test_a_host_may_require_what_the_relay_is_to_find(start: Start, kind: str) -> None:
    place = start(kind_of(kind), mail_checker=RELAY, mail_required=("spf", "dmarc"))
    (reference,) = references(place.settings.secret_keys, "turn.a.1.x")
    bounce = return_path(place.settings.mail_from, reference)
    passed = f"Authentication-Results: {RELAY}; spf=pass; dmarc=pass header.from=example.org"
    with relay(place, kind) as client:
        assert client.bring(SENDER, [place.own], mail("2 F", 1, passed))[0].code == 250
        forged = passed.replace(RELAY, "mx.example.net")
        for number, head in enumerate((passed.replace("dmarc=pass", "dmarc=fail"), forged, "X: y"), 2):
            [refused] = client.bring(SENDER, [place.own], mail("2 F", number, head))
            assert refused.code == 550
            assert refused.text.startswith("5.7.26 ") and "DMARC" in refused.text
        # A failure report is proven by the address that it comes to.
        assert client.bring("", [bounce], mail(number=9))[0].code == 250
        mixed = [reply.code for reply in client.bring(SENDER, [bounce, place.own], mail(number=10))]
    assert mixed == ([550, 550] if kind == "smtp" else [250, 550])
    assert [row[0] for row in place.rows()] == ["service", "bounce"] + ["bounce"] * (kind == "lmtp")


def test_what_went_round_and_round_is_refused(start: Start) -> None:
    place = start()
    hops = [f"Received: from {number}" for number in range(limits.MOST_HOPS)]
    with relay(place) as client:
        assert client.bring(SENDER, [place.own], mail("2 F", 1, *hops))[0].code == 250
        [refused] = client.bring(SENDER, [place.own], mail("2 F", 2, "Received: once more", *hops))
        assert (refused.code, refused.text[:5]) == (554, "5.4.6")


def test_a_mail_that_is_too_large_is_refused_and_the_next_one_taken(start: Start) -> None:
    place = start()
    fits = mail()
    fits += b"y" * (limits.LARGEST - len(fits) - 2) + b"\r\n"
    with relay(place) as client:
        assert f"SIZE {limits.LARGEST}" in client.offers
        assert client.say(f"MAIL FROM:<{SENDER}> SIZE={limits.LARGEST + 1}").code == 552
        for large in (b"z" + fits, fits[:-2] + b"\r\n" * 4, fits * 2):
            replies = client.bring(SENDER, [place.own, place.address()], large)
            assert [(reply.code, reply.text[:5]) for reply in replies] == [(552, "5.3.4")] * 2
        assert client.bring(SENDER, [place.own], fits)[0].code == 250
    assert [len(row[0]) for row in place.rows("raw")] == [limits.LARGEST]


def test_recipients_are_bounded(start: Start) -> None:
    place = start()
    addresses = [place.address(GAME._replace(version=version)) for version in range(limits.MOST_RECIPIENTS + 1)]
    with relay(place) as client:
        codes = [reply.code for reply in client.bring(SENDER, addresses, mail())]
        assert codes == [250] * limits.MOST_RECIPIENTS + [452]
        assert client.bring(SENDER, addresses[-1:], mail())[0].code == 250
    assert len(place.rows()) == len(place.jobs()) == limits.MOST_RECIPIENTS + 1


def test_without_a_database_nothing_is_acknowledged(start: Start, postgres: Postgres, owner_url: str) -> None:
    place = start()
    name = sql.Identifier(owner_url.rpartition("/")[2].partition("?")[0])
    addresses = [place.address(), place.address(GAME._replace(version=GAME.version + 1))]
    with psycopg.connect(postgres.url, autocommit=True) as owner, relay(place) as client:
        assert client.bring(SENDER, addresses, mail())[0].code == 250
        owner.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        owner.execute(
            "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE application_name = 'novaluna mailin'"
        )
        for _ in range(3):
            replies = client.bring(SENDER, addresses, mail(number=2))
            assert [(reply.code, reply.text[:5]) for reply in replies] == [(451, "4.3.0")] * 2
        owner.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(name))
        assert len(place.rows()) == 2
        eventually(lambda: client.bring(SENDER, addresses, mail(number=2))[0].code == 250)
    assert len(place.rows()) == 4


def test_what_could_not_be_stored_with_its_job_is_not_stored(start: Start, owner_url: str) -> None:
    place = start()
    with psycopg.connect(owner_url, autocommit=True) as owner, relay(place) as client:
        owner.execute("ALTER TABLE procrastinate_jobs ADD CONSTRAINT none CHECK (task_name <> 'take_in') NOT VALID")
        assert client.bring(SENDER, [place.own], mail())[0].code == 451
        assert place.rows() == []
        owner.execute("ALTER TABLE procrastinate_jobs DROP CONSTRAINT none")
        assert client.bring(SENDER, [place.own], mail())[0].code == 250
    assert len(place.rows()) == len(place.jobs()) == 1


def test_own_secrets_are_not_stored(start: Start) -> None:
    place = start()
    address = place.address()
    secret = address.partition("+play-")[2].partition("@")[0]
    with relay(place) as client:
        client.bring(SENDER, [address], mail(f"2 F\n> <{address}> wrote", 1, f"To: {address.upper()}"))
    [(stored,)] = place.rows("incoming::text || convert_from(raw, 'utf-8')")
    assert "2 F" in stored
    assert secret not in stored.lower()
