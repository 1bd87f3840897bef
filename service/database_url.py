"""Parse the addresses of databases in settings as libpq does, before anything connects to them.

libpq's own errors repeat what they are about, which may be a part of a password; the sentences here never do.
"""

import difflib
import re

from service.hosts import check_host

_OF_A_PRIMARY = ("read-write", "primary")
"""The values of `target_session_attrs` with which libpq takes no standby for the database."""

_RIGHT = (
    "it must be postgresql://user:password@host/database, and no other database will do. In the user and the password, "
    "other characters than letters and digits are percent-encoded, such as %40 for @."
)
_TLS = ("TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3")
_WORDS = {
    "channel_binding": ("disable", "prefer", "require"),
    "gssencmode": ("disable", "prefer", "require"),
    "load_balance_hosts": ("disable", "random"),
    "max_protocol_version": ("3.0", "3.2", "latest"),
    "min_protocol_version": ("3.0", "3.2", "latest"),
    "ssl_max_protocol_version": _TLS,
    "ssl_min_protocol_version": _TLS,
    "sslcertmode": ("disable", "allow", "require"),
    "sslmode": ("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
    "sslnegotiation": ("postgres", "direct"),
    "target_session_attrs": ("any", "read-write", "read-only", "primary", "standby", "prefer-standby"),
}
_NUMBERS = ("connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
            "tcp_user_timeout")  # fmt: skip
"""The parameters of which libpq looks at the value only when it connects: one of some words, or a whole number."""

_NO_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})|%00")


def database_url(value: str) -> str:
    """Return the address of a database as libpq takes it.

    Raises:
        ValueError: the text says what would be right.
    """
    url, parameters = _parsed(value)
    if "," in parameters.get("host", "") and parameters.get("target_session_attrs") not in _OF_A_PRIMARY:
        raise ValueError("as it names several hosts, it must end in ?target_session_attrs=read-write.")
    return url


def replica_urls(value: str) -> tuple[str, ...]:
    """Return the addresses of read replicas, which a space separates, as libpq takes them.

    Raises:
        ValueError: the text says what would be right.
    """
    parsed = [_parsed(url) for url in value.split()]
    for _, parameters in parsed:
        if "," in parameters.get("host", "") or parameters.get("target_session_attrs") in _OF_A_PRIMARY:
            raise ValueError("each of its addresses must name one replica; part them by a space.")
    return tuple(url for url, _ in parsed)


def _parsed(value: str) -> tuple[str, dict[str, str]]:
    """Return an address with the scheme that libpq knows, and the parameters of a connection that libpq finds in it."""
    from psycopg import ProgrammingError  # which takes longer to load than commands without a database take
    from psycopg.conninfo import conninfo_to_dict

    scheme, mark, rest = value.partition("://")
    if scheme not in ("postgresql", "postgres", "postgresql+psycopg") or not mark:
        raise ValueError(_RIGHT)
    url = f"postgresql://{rest}"
    try:
        parameters = {name: str(found) for name, found in conninfo_to_dict(url).items()}
    except (ProgrammingError, UnicodeError):
        raise ValueError(_cause(rest)) from None
    if not parameters.get("dbname"):
        raise ValueError(_RIGHT)
    for host in parameters.get("host", "").split(","):
        if host and host[0] not in "/@":  # those are sockets
            check_host(host)
    for port in parameters.get("port", "").split(","):
        if port and not (re.fullmatch("[0-9]{1,5}", port) and 1 <= int(port) <= 65_535):
            raise ValueError("its port must be a number from 1 to 65535. A / in a password is percent-encoded, as %2F.")
    _check_values(parameters)
    return url, parameters


def _check_values(parameters: dict[str, str]) -> None:
    for name, words in _WORDS.items():
        if parameters.get(name, words[0]) not in words:
            raise ValueError(f"its {name} must be one of {', '.join(words)}.")
    for name in _NUMBERS:
        if not re.fullmatch(r"\s*[+-]?[0-9]{1,9}\s*", parameters.get(name, "0")):
            raise ValueError(f"its {name} must be a whole number.")


def _cause(rest: str) -> str:
    """Return the fault of an address that libpq can't parse, of which this is the part after `://`."""
    from psycopg.pq import Conninfo

    if _NO_PERCENT.search(rest):
        return "a % in it must be followed by two hex digits, and not by 00; a % in a password is written %25."
    known = {each.keyword.decode() for each in Conninfo.get_defaults()}
    query = rest.partition("?")[2]
    for name in (pair.partition("=")[0] for pair in query.split("&") if query):
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            return "after the ? it has a parameter that libpq does not know." + (
                f" Is {near[0]} meant?" if near else ""
            )
    return _RIGHT
