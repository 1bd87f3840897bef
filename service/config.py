"""The settings of the service, read from the environment once at start.

Every part of the service is given a `Settings`. Elsewhere, ``os.environ`` is read only for what one command alone
needs, such as the keys of checkpoints, and for what the system says, such as ``NOTIFY_SOCKET``. A wrong, missing or
unknown ``NOVALUNA_…`` variable (a typo could otherwise go unnoticed for weeks) stops the start with a sentence that
names the variable and says what would be right. These sentences never repeat a value, since some values are secret.
"""

import base64
import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from email.errors import MessageError
from email.headerregistry import Address
from email.utils import parseaddr
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from service.database_url import database_url, replica_urls
from service.hosts import check_host
from service.mail_limits import MailLimits

_PREFIX = "NOVALUNA_"
_SMTP_SCHEMES = ("smtp", "smtp+starttls", "smtps")
_MAIL_IN_SCHEMES = ("lmtp", "smtp", "lmtp+unix")
_SHORTEST_KEY = 32

LONGEST_ANSWERED = 17
"""The longest local part of the sender's address if mails can be answered: 47 characters are added, 64 are allowed."""


class ConfigError(Exception):
    """An environment variable is missing, unknown or wrong; the text names it and says what would be right."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of one process, created by `from_environ`, or directly in tests.

    Attributes:
        database_url: ``postgresql://…`` as libpq takes it (``postgres://`` is rewritten).
        owner_url: the URL for the role that owns the tables, used for upgrades; None: the role of `database_url` owns
            them.
        reads_urls: the URLs of read replicas, which answer requests without a token.
        backup_key: the age recipient or identity that backups are encrypted for; None: they are not encrypted.
        secret_keys: the first one signs and all of them verify, so that the key can be changed.
        base_url: the public URL of the service, without a slash at the end.
        smtp_url: ``smtp://``, ``smtp+starttls://`` or ``smtps://``, with user and password percent-encoded, or
            several of them, each perhaps with a weight; None: mail goes into a Maildir in `data_dir`.
        mail_from: the sender, as in a From header.
        contact: the address of the people who run the service, which texts name; None: they name none.
        mail_limits: how many mails go to a domain.
        mail_in: the address that incoming mail is received on, ``lmtp://host:port``, ``smtp://host:port`` or
            ``lmtp+unix:///path``; None: none is received, so mails cannot be answered.
        mail_checker: the authserv-id (RFC 8601) of the relay in front of it, whose Authentication-Results are trusted.
        mail_required: the checks that an incoming mail must have passed there, of ``spf``, ``dkim`` and ``dmarc``.
        data_dir: the absolute folder for data outside the database; None only if `smtp_url` is set.
        database_pooler: ``transaction`` if `database_url` leads to a connection pooler in that mode; None: to Postgres.
        metrics_port: the port that metrics are served on; 0: none are counted.
        metrics_host: the address that they are served on.
        checkpoint_keys: the seeds of the keys that sign checkpoints, 32 bytes each, one or two; none: no checkpoints
            are made. Only the worker needs them.
        checkpoint_every: the hours between two checkpoints, counted from ten past midnight in UTC.
        checkpoint_policy: a file with the witnesses that cosign checkpoints and their quorum (C2SP tlog-policy); None:
            there are no witnesses.
        mail_pictures: True if mails about a table include a picture of it, which takes about 0.3 s of CPU time each.
        trusted_proxies: the number of proxies in front of the service that add to X-Forwarded-For.
        web_processes: the number of web server processes.
        web_threads: the number of requests that each process handles at once. It has twice as many database
            connections; half of them are for single statements.
        limit_…: how many are allowed, 0 for no limit. Requests to the API are limited per minute; sign-ins, wrong
            codes, messages, pictures, strangers, answers, solos of guests and reads of a calendar per hour;
            invitations, invitation links and tables per day; open tables, solos, games, standing invitations and links
            and streams of events in how many exist at a time.
    """

    database_url: str = field(repr=False)
    secret_keys: tuple[str, ...] = field(repr=False)
    owner_url: str | None = field(default=None, repr=False)
    reads_urls: tuple[str, ...] = field(default=(), repr=False)
    backup_key: str | None = field(default=None, repr=False)
    base_url: str = "http://127.0.0.1:8080"
    smtp_url: str | None = field(default=None, repr=False)
    mail_from: str = "Nova Luna by post <nova-luna@localhost>"
    contact: str | None = None
    mail_limits: MailLimits = field(default_factory=MailLimits)
    mail_in: str | None = None
    mail_checker: str | None = None
    mail_required: tuple[str, ...] = field(default_factory=tuple)
    data_dir: Path | None = None
    database_pooler: str | None = None
    checkpoint_keys: tuple[bytes, ...] = field(default=(), repr=False)
    checkpoint_every: int = 24
    checkpoint_policy: Path | None = None
    mail_pictures: bool = True
    metrics_port: int = 0
    metrics_host: str = "127.0.0.1"
    trusted_proxies: int = 0
    web_processes: int = 2
    web_threads: int = 8
    limit_requests_per_token: int = 6000
    limit_requests_per_ip: int = 6000
    limit_sign_ins_per_address: int = 5
    limit_sign_ins_per_ip: int = 20
    limit_code_tries: int = 100
    limit_invitations_per_account: int = 20
    limit_invitations_per_recipient: int = 3
    limit_messages_per_account: int = 60
    limit_open_tables_per_account: int = 20
    limit_solos_per_account: int = 20
    limit_guest_solos_per_ip: int = 30
    limit_games_per_account: int = 200
    limit_explorations_per_account: int = 100
    limit_standing_invitations_per_account: int = 60
    limit_links_per_account: int = 60
    limit_standing_links_per_account: int = 60
    limit_tables_per_account: int = 200
    limit_pictures_per_account: int = 300
    limit_pictures_per_ip: int = 60
    limit_strangers: int = 60
    limit_answers_per_address: int = 60
    limit_answers_from_elsewhere: int = 10
    limit_unproven_per_address: int = 10
    limit_beginnings_per_account: int = 10
    limit_calendar_reads_per_account: int = 120
    limit_streams_per_account: int = 20
    limit_streams_per_ip: int = 50

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> "Settings":
        """Read and check the environment; an empty variable counts as not set.

        Raises:
            ConfigError: for the first variable that is unknown, missing or wrong.
        """
        given = {name: value for name, value in environ.items() if name.startswith(_PREFIX) and value}
        if environ.get("DATABASE_URL"):
            given["DATABASE_URL"] = environ["DATABASE_URL"]
        check_names(given)
        values = {_READERS[name][0]: _read(name, value) for name, value in given.items() if name in _READERS}
        for name, advice in _NEEDED.items():
            if name not in given:
                raise ConfigError(f"{name} is not set. {advice}")
        if "NOVALUNA_SMTP_URL" not in given and "NOVALUNA_DATA" not in given:
            raise ConfigError(
                "NOVALUNA_SMTP_URL is not set. Give the mail server, such as smtps://user:password@mail.example.org, "
                "or NOVALUNA_DATA, a folder into whose Maildir all mail then goes."
            )
        local = parseaddr(given.get("NOVALUNA_MAIL_FROM", ""))[1].rpartition("@")[0]
        if "NOVALUNA_MAILIN" in given and len(local) > LONGEST_ANSWERED:
            raise ConfigError(
                f"NOVALUNA_MAIL_FROM is wrong: where mail is taken in, its address has {LONGEST_ANSWERED} characters "
                "before the @ at most, as what it is about is added to it."
            )
        if "contact" in values and _is_own(str(values["contact"]), str(values.get("mail_from", cls.mail_from))):
            raise ConfigError(
                "NOVALUNA_CONTACT is wrong: it must be a mailbox that people read, not the address of "
                "NOVALUNA_MAIL_FROM, where a program answers."
            )
        if "NOVALUNA_MAIL_REQUIRE" in given and "NOVALUNA_MAIL_CHECKER" not in given:
            raise ConfigError("NOVALUNA_MAIL_CHECKER is not set. NOVALUNA_MAIL_REQUIRE needs the relay's authserv-id.")
        return cls(**values)  # type: ignore[arg-type]  # _READERS pairs each field with a reader of its type


def check_names(environ: Mapping[str, str]) -> None:
    """Raise ConfigError for the first ``NOVALUNA_…`` name that is not a setting."""
    for name in environ:
        if name.startswith(_PREFIX) and name not in KNOWN:
            near = difflib.get_close_matches(name, KNOWN, 1)
            raise ConfigError(f"{name} is no setting." + (f" Is {near[0]} meant?" if near else ""))


def _read(name: str, value: str) -> object:
    try:
        return _READERS[name][1](value)
    except ValueError as error:
        raise ConfigError(f"{name} is wrong: {error}") from None


def _split(value: str, right: str) -> SplitResult:
    """Return the parts of a URL, or raise ValueError with `right` as its text: the parser's errors repeat the value."""
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        raise ValueError(right) from None
    return parts


def _secret_keys(value: str) -> tuple[str, ...]:
    keys = tuple(value.split())
    if not keys or min(map(len, keys)) < _SHORTEST_KEY:
        raise ValueError(f"each of its keys, parted by a space, must have {_SHORTEST_KEY} characters or more.")
    return keys


def _base_url(value: str) -> str:
    right = "it must be http:// or https:// and a host, such as https://nova-luna.example.org."
    parts = _split(value, right)
    bare = not (parts.path.strip("/") or parts.query or parts.fragment or parts.username or parts.password)
    if parts.scheme not in ("http", "https") or not parts.hostname or not bare:
        raise ValueError(right)
    check_host(parts.hostname)
    netloc = parts.netloc
    if not netloc.isascii():
        host, colon, port = netloc.partition(":")
        netloc = f"{host.encode('idna').decode()}{colon}{port}"
    return f"{parts.scheme}://{netloc}"  # in ASCII, as in mail headers and as browsers send it


def _smtp_urls(value: str) -> str:
    urls = value.split()
    for url in urls if len(urls) > 1 else [value]:
        plain, mark, weight = url.partition("?weight=")
        if mark and not re.fullmatch(r"[1-9][0-9]{0,2}", weight):
            raise ValueError("a weight is a whole number from 1 to 999: smtp://mail.example.org?weight=3.")
        _smtp_url(plain)
    return value


def _smtp_url(value: str) -> str:
    right = (
        "it must be smtp://, smtp+starttls:// or smtps://, then [user:password@]host[:port], or several of these "
        "with a space between them, each of which may end in ?weight=3."
    )
    parts = _split(value, right)
    if parts.scheme not in _SMTP_SCHEMES or not parts.hostname or "," in parts.hostname or parts.path.strip("/"):
        raise ValueError(right)
    if parts.query or parts.fragment:
        raise ValueError(right)
    check_host(parts.hostname)
    if (parts.username is None) != (parts.password is None):
        raise ValueError("it must hold both user and password, or neither.")
    if any(not unquote(part).isascii() for part in (parts.username or "", parts.password or "")):
        raise ValueError("its user and password must be ASCII.")
    return value


def _mail_from(value: str) -> str:
    _mailbox(value, 'it must be one address, such as "Nova Luna <nova-luna@example.org>".')
    return value


def _contact(value: str) -> str:
    right = "it must be one address without a name, such as help@example.org."
    name, address = _mailbox(value, right)
    if name or address != value:
        raise ValueError(right)
    return value


def _is_own(address: str, mail_from: str) -> bool:
    """Return whether mail to an address comes to the service itself, also with something behind a plus sign."""
    local, _, domain = address.lower().rpartition("@")
    own_local, _, own_domain = parseaddr(mail_from)[1].lower().rpartition("@")
    return domain == own_domain and (local == own_local or local.startswith(f"{own_local}+"))


def _mailbox(value: str, right: str) -> tuple[str, str]:
    """Return the name and the address of a single ASCII mailbox, or raise ValueError with `right` as its text."""
    if not value.isprintable():
        raise ValueError(right)
    name, address = parseaddr(value)
    try:
        parsed = Address(display_name=name, addr_spec=address)
    except (ValueError, IndexError, MessageError):  # the standard library's parser raises all of these
        raise ValueError(right) from None
    if not parsed.username or not parsed.domain or value.count("@") != 1 or not address.isascii():
        raise ValueError(right)
    return name, address


def _mail_in(value: str) -> str:
    right = "it must be lmtp://host:port, smtp://host:port or lmtp+unix:///path."
    parts = _split(value, right)
    bare = not (parts.query or parts.fragment or parts.username or parts.password)
    placed = parts.hostname and parts.port is not None and not parts.path.strip("/")
    if parts.scheme == "lmtp+unix":
        placed = not parts.netloc and len(parts.path) > 1
    if parts.scheme not in _MAIL_IN_SCHEMES or not bare or not placed:
        raise ValueError(right)
    check_host(parts.hostname or "")
    return value


def _mail_checker(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9.-]{1,253}", value):
        raise ValueError("it must be the name that stands first in Authentication-Results, such as mx.example.org.")
    return value


def _mail_required(value: str) -> tuple[str, ...]:
    if not set(value.split()) <= {"spf", "dkim", "dmarc"}:
        raise ValueError("it must be spf, dkim or dmarc, or several of them, parted by a space.")
    return tuple(value.split())


def _folder(value: str) -> Path:
    path = _path(value)
    if os.path.exists(path) and not os.path.isdir(path):  # these raise nothing where it can't be looked at
        raise ValueError("it must be a folder, or not exist yet.")
    return path


def _path(value: str) -> Path:
    try:
        return Path(value).expanduser().absolute()
    except RuntimeError:
        raise ValueError("there is no home folder of the account after the ~.") from None


def _backup_key(value: str) -> str:
    value = value.strip()
    if not re.fullmatch(r"age1[02-9ac-hj-np-z]{58}|AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}", value):
        raise ValueError("it must be what age-keygen makes: the recipient age1…, or the identity AGE-SECRET-KEY-1….")
    return value


def checkpoint_seeds(value: str) -> tuple[bytes, ...]:
    """Return the seeds of the keys for checkpoints, which a space or a line feed separates.

    Raises:
        ValueError: the text says what would be right.
    """
    right = "it must be one seed or two, parted by a space: 32 random bytes in base64, which are 44 characters."
    try:
        seeds = tuple(base64.b64decode(seed, validate=True) for seed in value.split())
    except ValueError:  # also for what is not ASCII
        raise ValueError(right) from None
    if not 1 <= len(seeds) <= 2 or any(len(seed) != 32 for seed in seeds) or len(set(seeds)) < len(seeds):
        raise ValueError(right)
    return seeds


def _policy_file(value: str) -> Path:
    path = _path(value)
    if not os.path.isfile(path):
        raise ValueError("it must be a file with witnesses and a quorum, as C2SP tlog-policy has it.")
    return path


def _on_or_off(value: str) -> bool:
    if value not in ("on", "off"):
        raise ValueError("it must be on or off.")
    return value == "on"


def _pooler(value: str) -> str:
    if value != "transaction":
        raise ValueError("it must be transaction, or not be set; poolers in session mode need no setting.")
    return value


def _host(value: str) -> str:
    try:
        return str(ip_address(value))
    except ValueError:
        raise ValueError("it must be an IP address, such as 127.0.0.1, or 0.0.0.0 for all.") from None


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        if not (value.isascii() and value.isdecimal() and least <= int(value[:10]) <= most and len(value) <= 10):
            raise ValueError(f"it must be a whole number from {least} to {most}.")
        return int(value)

    return read


_limit = _whole(0, 1_000_000_000)

# Variable -> (attribute of Settings, reader that raises ValueError with a sentence).
_READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "DATABASE_URL": ("database_url", database_url),
    "NOVALUNA_OWNER_URL": ("owner_url", database_url),
    "NOVALUNA_READS_URL": ("reads_urls", replica_urls),
    "NOVALUNA_CHECKPOINT_KEYS": ("checkpoint_keys", checkpoint_seeds),
    "NOVALUNA_CHECKPOINT_EVERY": ("checkpoint_every", _whole(1, 24)),
    "NOVALUNA_CHECKPOINT_POLICY": ("checkpoint_policy", _policy_file),
    "NOVALUNA_MAIL_PICTURES": ("mail_pictures", _on_or_off),
    "NOVALUNA_DATABASE_POOLER": ("database_pooler", _pooler),
    "NOVALUNA_BACKUP_KEY": ("backup_key", _backup_key),
    "NOVALUNA_SECRET_KEY": ("secret_keys", _secret_keys),
    "NOVALUNA_BASE_URL": ("base_url", _base_url),
    "NOVALUNA_SMTP_URL": ("smtp_url", _smtp_urls),
    "NOVALUNA_MAIL_FROM": ("mail_from", _mail_from),
    "NOVALUNA_CONTACT": ("contact", _contact),
    "NOVALUNA_MAIL_LIMITS": ("mail_limits", MailLimits.parse),
    "NOVALUNA_MAILIN": ("mail_in", _mail_in),
    "NOVALUNA_MAIL_CHECKER": ("mail_checker", _mail_checker),
    "NOVALUNA_MAIL_REQUIRE": ("mail_required", _mail_required),
    "NOVALUNA_DATA": ("data_dir", _folder),
    "NOVALUNA_METRICS_PORT": ("metrics_port", _whole(0, 65_535)),
    "NOVALUNA_METRICS_HOST": ("metrics_host", _host),
    "NOVALUNA_TRUSTED_PROXIES": ("trusted_proxies", _whole(0, 10)),
    "NOVALUNA_WEB_PROCESSES": ("web_processes", _whole(1, 64)),
    "NOVALUNA_WEB_THREADS": ("web_threads", _whole(1, 64)),
    **{
        f"{_PREFIX}{each.name.upper()}": (each.name, _limit)
        for each in fields(Settings)
        if each.name.startswith("limit_")
    },
}

# Required variables, and what to do if one is missing.
_NEEDED = {
    "DATABASE_URL": "Give the address of a Postgres, or start `novaluna up`, which brings its own.",
    "NOVALUNA_SECRET_KEY": "Make one: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'",
}

OF_CLIENTS = frozenset({"NOVALUNA_TOKEN", "NOVALUNA_URL"})
"""Names that clients read, such as `novaluna audit --url` and those of `examples/`, and the service does not."""

KNOWN = frozenset(name for name in _READERS if name.startswith(_PREFIX)) | OF_CLIENTS | {"NOVALUNA_POSTGRES_BIN"}
"""Every name that may be set. NOVALUNA_POSTGRES_BIN is read by `novaluna up` alone, before there are settings."""
