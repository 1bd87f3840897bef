"""Settings: their defaults, and that an error names the variable of a wrong value without repeating the value."""

import base64
from pathlib import Path

import pytest

from service.config import KNOWN, ConfigError, Settings
from service.mail_limits import MailLimits

KEY = "k" * 32
OTHER = base64.b64encode(bytes(31) + b"1").decode()
SEED = base64.b64encode(bytes(32)).decode()
RECIPIENT = "age1w9dxxdzyztvdn5n3junw3kqfuvzstn7xdl8v7z2encq9l4lwudfqj5t6py"
LEAST = {
    "DATABASE_URL": "postgresql:///nova",
    "NOVALUNA_SECRET_KEY": KEY,
    "NOVALUNA_DATA": "/tmp",
}


def test_the_least_that_is_needed_gives_the_defaults() -> None:
    settings = Settings.from_environ(LEAST)
    assert settings == Settings(database_url="postgresql:///nova", secret_keys=(KEY,), data_dir=Path("/tmp"))
    assert (
        settings.limit_sign_ins_per_address,
        settings.limit_sign_ins_per_ip,
        settings.limit_code_tries,
    ) == (5, 20, 100)
    assert (
        settings.limit_invitations_per_account,
        settings.limit_invitations_per_recipient,
    ) == (20, 3)


@pytest.mark.parametrize("contact", ["nova@example.org", "Nova+help@Example.org"])
def test_the_contact_is_no_address_at_which_a_program_answers(contact: str) -> None:
    environ = LEAST | {"NOVALUNA_MAIL_FROM": "Nova <nova@example.org>", "NOVALUNA_CONTACT": contact}
    with pytest.raises(ConfigError, match="NOVALUNA_CONTACT is wrong: it must be a mailbox that people read"):
        Settings.from_environ(environ)


def test_every_variable_reaches_its_setting() -> None:
    settings = Settings.from_environ(
        {
            "PATH": "/bin",
            "DATABASE_URL": "postgres://u:p@db/nova",
            "NOVALUNA_OWNER_URL": "postgres://o:p@db/nova",
            "NOVALUNA_READS_URL": "postgres://r:p@one/nova postgresql://r:p@two/nova",
            "NOVALUNA_MAIL_LIMITS": "gmail.com=20/s,10",
            "NOVALUNA_BACKUP_KEY": RECIPIENT,
            "NOVALUNA_SECRET_KEY": f"{KEY}2 {KEY}1",
            "NOVALUNA_BASE_URL": "https://nova.example.org/",
            "NOVALUNA_SMTP_URL": "smtp+starttls://u:p%40ss@mail.example.org:587",
            "NOVALUNA_MAIL_FROM": "Nova <nova@example.org>",
            "NOVALUNA_CONTACT": "help@example.org",
            "NOVALUNA_MAILIN": "lmtp://127.0.0.1:8024",
            "NOVALUNA_MAIL_CHECKER": "mx.example.org",
            "NOVALUNA_MAIL_REQUIRE": "spf dkim",
            "NOVALUNA_DATA": "relative",
            "NOVALUNA_METRICS_PORT": "9100",
            "NOVALUNA_METRICS_HOST": "::1",
            "NOVALUNA_DATABASE_POOLER": "transaction",
            "NOVALUNA_CHECKPOINT_KEYS": f"{SEED} {OTHER}",
            "NOVALUNA_CHECKPOINT_EVERY": "6",
            "NOVALUNA_CHECKPOINT_POLICY": __file__,
            "NOVALUNA_MAIL_PICTURES": "off",
            "NOVALUNA_TRUSTED_PROXIES": "1",
            "NOVALUNA_WEB_PROCESSES": "3",
            "NOVALUNA_WEB_THREADS": "4",
            "NOVALUNA_LIMIT_CODE_TRIES": "0",
            "NOVALUNA_POSTGRES_BIN": "/usr/lib/postgresql/15/bin",
            "NOVALUNA_TOKEN": "of a client",
            "NOVALUNA_URL": "https://nova.example.org",
        }
    )
    assert settings == Settings(
        database_url="postgresql://u:p@db/nova",
        owner_url="postgresql://o:p@db/nova",
        backup_key=RECIPIENT,
        secret_keys=(KEY + "2", KEY + "1"),
        base_url="https://nova.example.org",
        smtp_url="smtp+starttls://u:p%40ss@mail.example.org:587",
        reads_urls=("postgresql://r:p@one/nova", "postgresql://r:p@two/nova"),
        mail_limits=MailLimits.parse("gmail.com=20/s,10"),
        mail_from="Nova <nova@example.org>",
        contact="help@example.org",
        mail_in="lmtp://127.0.0.1:8024",
        mail_checker="mx.example.org",
        mail_required=("spf", "dkim"),
        data_dir=Path.cwd() / "relative",
        database_pooler="transaction",
        checkpoint_keys=(bytes(32), bytes(31) + b"1"),
        checkpoint_every=6,
        checkpoint_policy=Path(__file__),
        mail_pictures=False,
        metrics_port=9100,
        metrics_host="::1",
        trusted_proxies=1,
        web_processes=3,
        web_threads=4,
        limit_code_tries=0,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://u:hunter2@db/nova"),
        ("DATABASE_URL", "postgresql://u:hunter2@db"),
        ("DATABASE_URL", "postgresql://u:hunter2@[db/nova"),
        ("DATABASE_URL", "postgresql://u:hunter2@one,two/nova"),
        ("DATABASE_URL", "postgresql://u:hunter2@one,two/nova?target_session_attrs=any"),
        ("DATABASE_URL", "postgresql://u:hunter2@db/nova?sslmod=require"),
        ("DATABASE_URL", "postgresql://u:hunter2@db/nova?hunter2=require"),
        ("DATABASE_URL", "postgresql://u:hunter2@db/nova?password=a&hunter2"),
        ("DATABASE_URL", "postgresql://u:hunter2%@db/nova"),
        ("DATABASE_URL", "postgresql://u:hunter2%00@db/nova"),
        ("DATABASE_URL", "postgresql://u:hunter2@db:99999/nova"),
        ("DATABASE_URL", "postgresql://u:hunter2@db:0/nova"),
        ("DATABASE_URL", "postgresql://u:hunter2/3@db/nova"),
        ("DATABASE_URL", "postgresql://u:hunter2@db/nova?port=hunter2"),
        ("DATABASE_URL", "postgresql://u:hunter2@db..example.org/nova"),
        ("DATABASE_URL", "postgresql:hunter2"),
        ("NOVALUNA_OWNER_URL", "mysql://u:hunter2@db/nova"),
        ("NOVALUNA_BACKUP_KEY", "hunter2"),
        ("NOVALUNA_BACKUP_KEY", f"{RECIPIENT}hunter2"),
        ("NOVALUNA_SECRET_KEY", "hunter2"),
        ("NOVALUNA_SECRET_KEY", f"{KEY} hunter2"),
        ("NOVALUNA_BASE_URL", "nova.example.org"),
        ("NOVALUNA_BASE_URL", f"https://{'ü' * 64}.example"),
        ("NOVALUNA_BASE_URL", "https://nova.example.org/under"),
        ("NOVALUNA_BASE_URL", "https://nova.example.org:70000"),
        ("NOVALUNA_SMTP_URL", "https://mail.example.org"),
        ("NOVALUNA_SMTP_URL", "smtp://hunter2@mail.example.org"),
        ("NOVALUNA_SMTP_URL", "smtps://u:hunter2@mail.example.org:x"),
        ("NOVALUNA_SMTP_URL", "smtps://u:hunter2@"),
        ("NOVALUNA_SMTP_URL", "smtp://mail.example.org?weight=0"),
        ("NOVALUNA_SMTP_URL", "smtp://mail.example.org?weight=hunter2"),
        ("NOVALUNA_SMTP_URL", "smtp://mail.example.org smtp://u:hunter2@"),
        ("NOVALUNA_SMTP_URL", "smtp://mail.example.org, smtp://other.example.org"),
        ("NOVALUNA_MAIL_LIMITS", "hunter2"),
        ("NOVALUNA_READS_URL", "mysql://u:hunter2@db/nova"),
        ("NOVALUNA_READS_URL", "postgresql://u:hunter2@one,two/nova"),
        ("NOVALUNA_READS_URL", "postgresql://u:hunter2@db/nova?target_session_attrs=primary"),
        ("NOVALUNA_READS_URL", "postgresql://u:hunter2@[db/nova"),
        ("NOVALUNA_READS_URL", "postgresql://u:hunter2@db:99999/nova"),
        ("NOVALUNA_SMTP_URL", "smtps://u:hunter2@mail.example.org#x"),
        ("NOVALUNA_SMTP_URL", "smtps://u:hunter2@mx1..example.org"),
        ("NOVALUNA_SMTP_URL", f"smtp://mail.example.org smtps://u:hunter2@{'m' * 64}.example.org"),
        ("NOVALUNA_BASE_URL", "https://nova..example.org"),
        ("NOVALUNA_MAILIN", "lmtp://mail..example.org:8024"),
        ("NOVALUNA_DATA", "~hunter2/data"),
        ("NOVALUNA_CHECKPOINT_POLICY", "~hunter2/policy"),
        ("NOVALUNA_CHECKPOINT_KEYS", "hunter2℀"),
        ("NOVALUNA_MAIL_LIMITS", "hunter2=1/s hunter2=2/s"),
        ("NOVALUNA_SMTP_URL", "smtps://u:hunter2@ma℀il"),
        ("NOVALUNA_MAIL_FROM", "nobody"),
        ("NOVALUNA_MAIL_FROM", "a@example.org, b@example.org"),
        ("NOVALUNA_MAIL_FROM", "Nova <nova@example.org>\r\nBcc: x@example.org"),
        ("NOVALUNA_MAIL_FROM", "Nova <@>"),
        ("NOVALUNA_CONTACT", "hunter2"),
        ("NOVALUNA_CONTACT", "Help <hunter2@example.org>"),
        ("NOVALUNA_CONTACT", "a@example.org hunter2@example.org"),
        ("NOVALUNA_CONTACT", "hunter2@example.org\r\nBcc: x@example.org"),
        ("NOVALUNA_MAILIN", "lmtp://127.0.0.1"),
        ("NOVALUNA_MAILIN", "smtps://127.0.0.1:8025"),
        ("NOVALUNA_MAILIN", "smtp://u:hunter2@127.0.0.1:8025"),
        ("NOVALUNA_MAILIN", "lmtp://127.0.0.1:8024/path"),
        ("NOVALUNA_MAILIN", "lmtp+unix://host/path"),
        ("NOVALUNA_MAILIN", "lmtp+unix:"),
        ("NOVALUNA_MAIL_CHECKER", "mx example"),
        ("NOVALUNA_MAIL_REQUIRE", "dmarc arc"),
        ("NOVALUNA_DATA", __file__),
        ("NOVALUNA_METRICS_PORT", "65536"),
        ("NOVALUNA_METRICS_HOST", "localhost"),
        ("NOVALUNA_DATABASE_POOLER", "session"),
        ("NOVALUNA_MAIL_PICTURES", "yes"),
        ("NOVALUNA_CHECKPOINT_KEYS", "hunter2"),
        ("NOVALUNA_CHECKPOINT_KEYS", f"{SEED} {SEED}"),
        ("NOVALUNA_CHECKPOINT_KEYS", f"{SEED[4:]} hunter2"),
        ("NOVALUNA_CHECKPOINT_KEYS", " ".join(f"{SEED[:41]}{last}" for last in ("gg=", "hg=", "ig="))),
        ("NOVALUNA_CHECKPOINT_EVERY", "0"),
        ("NOVALUNA_CHECKPOINT_EVERY", "25"),
        ("NOVALUNA_CHECKPOINT_POLICY", "/nowhere/hunter2"),
        ("NOVALUNA_TRUSTED_PROXIES", "-1"),
        ("NOVALUNA_WEB_PROCESSES", "0"),
        ("NOVALUNA_WEB_PROCESSES", "two"),
        ("NOVALUNA_WEB_THREADS", "65"),
        ("NOVALUNA_WEB_THREADS", "9" * 5000),
        *((name, "٣") for name in sorted(KNOWN) if name.startswith("NOVALUNA_LIMIT_")),
    ],
)
def test_a_wrong_value_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Settings.from_environ(LEAST | {name: value})
    assert str(refused.value).startswith(f"{name} is wrong: ")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("odd", ["℀", "[", "]", "%", "@", "/", "?", "#", ":", ",", "=", " ", "\udce9", "\t", "~", "."])
def test_no_error_about_a_setting_repeats_its_value(odd: str) -> None:
    for name in sorted(KNOWN | {"DATABASE_URL"}):
        for whole in ("{}", "postgresql://u:{}@db/nova", "smtp://u:{}@mail", "https://{}", "~{}", "x@{}"):
            try:
                Settings.from_environ(LEAST | {name: whole.format(f"hunter2{odd}hunter2")})
            except ConfigError as error:
                assert str(error).startswith("NOVALUNA_") or name == "DATABASE_URL"
                assert "hunter2" not in str(error) and (odd.isascii() or odd not in str(error))


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ("postgresql://db/nova?sslmod=require", "it has a parameter that libpq does not know. Is sslmode meant?"),
        ("postgresql://u:50%@db/nova", "a % in it must be followed by two hex digits"),
        ("postgresql://one:5432,two:65536/nova?target_session_attrs=primary", "a number from 1 to 65535"),
        ("postgresql://db..example.org/nova", "a name such as host.example.org"),
        ("postgresql://db/nova?sslmode=bogus", "its sslmode must be one of disable, allow, prefer, require, verify-ca"),
        ("postgresql://db/nova?gssencmode=", "its gssencmode must be one of disable, prefer, require."),
        ("postgresql://db/nova?target_session_attrs=readwrite", "must be one of any, read-write, read-only, primary"),
        ("postgresql://db/nova?ssl_min_protocol_version=1.2", "must be one of TLSv1, TLSv1.1, TLSv1.2, TLSv1.3."),
        ("postgresql://db/nova?keepalives_idle=z", "its keepalives_idle must be a whole number."),
        ("postgresql://db/nova?connect_timeout=", "its connect_timeout must be a whole number."),
    ],
)
def test_what_is_wrong_with_the_address_of_a_database_is_said(value: str, advice: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Settings.from_environ(LEAST | {"DATABASE_URL": value})
    assert advice in str(refused.value)


@pytest.mark.parametrize(
    "value",
    [
        "postgresql://u:a%25b%40%2Fc@db/nova",
        "postgresql://u:℀?[x@db/nova",
        "postgresql://[::1]:5433/nova?sslmode=require",
        "postgresql://db/nova?sslmode=verify-full&keepalives_idle=30&ssl_min_protocol_version=TLSv1.3",
        "postgresql:///nova?host=/run/postgresql",
        "postgresql://one:5432,two/nova?target_session_attrs=read-write",
    ],
)
def test_addresses_that_libpq_takes_are_taken(value: str) -> None:
    assert Settings.from_environ(LEAST | {"DATABASE_URL": value}).database_url == value


def test_a_password_with_the_words_of_a_parameter_is_taken_for_a_replica() -> None:
    value = "postgresql://u:read-write=primary@db/nova"
    assert Settings.from_environ(LEAST | {"NOVALUNA_READS_URL": value}).reads_urls == (value,)


@pytest.mark.parametrize("name", ["DATABASE_URL", "NOVALUNA_SECRET_KEY", "NOVALUNA_DATA"])
@pytest.mark.parametrize("empty", [True, False])
def test_a_missing_value_is_refused_by_name(name: str, empty: bool) -> None:
    environ = LEAST | {name: ""} if empty else {key: value for key, value in LEAST.items() if key != name}
    with pytest.raises(ConfigError, match=name):
        Settings.from_environ(environ)


def test_an_unknown_name_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(
        ConfigError,
        match=r"^NOVALUNA_SMPT_URL is no setting. Is NOVALUNA_SMTP_URL meant?",
    ):
        Settings.from_environ(LEAST | {"NOVALUNA_SMPT_URL": "smtp://localhost"})


def test_a_sender_without_room_for_replies_is_refused_with_mail_in() -> None:
    for length, fits in ((17, True), (18, False)):
        environ = LEAST | {"NOVALUNA_MAIL_FROM": f"Nova <{'n' * length}@example.org>"}
        assert Settings.from_environ(environ).mail_in is None
        environ["NOVALUNA_MAILIN"] = "lmtp+unix:///run/novaluna/mailin"
        if fits:
            assert Settings.from_environ(environ).mail_in == "lmtp+unix:///run/novaluna/mailin"
        else:
            with pytest.raises(ConfigError, match=r"NOVALUNA_MAIL_FROM is wrong: .* 17 characters"):
                Settings.from_environ(environ)


def test_what_is_required_of_a_mail_is_believed_of_a_named_relay_alone() -> None:
    with pytest.raises(ConfigError, match="NOVALUNA_MAIL_CHECKER is not set"):
        Settings.from_environ(LEAST | {"NOVALUNA_MAIL_REQUIRE": "dmarc"})


def test_a_host_in_any_script_has_links_that_headers_can_hold() -> None:
    for given, kept in (
        ("https://Nova.München.example:8443", "https://Nova.xn--mnchen-3ya.example:8443"),
        ("http://月.example/", "http://xn--7ov.example"),
    ):
        assert Settings.from_environ(LEAST | {"NOVALUNA_BASE_URL": given}).base_url == kept


def test_secrets_are_not_shown() -> None:
    environ = LEAST | {
        "NOVALUNA_SMTP_URL": "smtps://u:hunter2@mail",
        "DATABASE_URL": "postgresql://u:hunter2@db/nova",
    }
    shown = repr(Settings.from_environ(environ))
    assert KEY not in shown
    assert "hunter2" not in shown
