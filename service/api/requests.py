"""A request as a value, parsed from its WSGI environ: the caller's token, the conditions, the query and the body.

This is the only parser of tokens, conditional headers, idempotency keys, queries and bodies. It is independent of the
web framework; Flask's views get the same value from `service.api.flask_adapter`. Each part is parsed when it is first
used, and refused then if it is malformed, so the code that answers a request decides the order of refusals.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from marshmallow import Schema, ValidationError
from werkzeug.datastructures import LanguageAccept, MIMEAccept, MultiDict
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType
from werkzeug.http import parse_accept_header, parse_etags, parse_options_header
from werkzeug.wrappers import Request
from werkzeug.wsgi import get_input_stream

from engine.phrases import Phrase, phrase
from service.access import tokens
from service.api.schema import RequestSchema, wrong_fields
from service.api.wording import about, together
from service.commands.expectation import Expectation
from service.errors import Malformed, StalePrecondition, Unauthorized, Unreadable, WrongContentEncoding
from service.language.languages import Language, looked_up
from service.store.idempotency import Slot

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

MAX_BODY = 64 * 1024
"""The size of the largest body that is accepted, in bytes."""

READ_LIMIT = MAX_BODY + 1
"""The number of bytes that are read at most; one more than `MAX_BODY`, to detect a streamed body that is too large."""

WHEN_GONE = "novaluna.when_gone"
"""The key of the WSGI environ with a function that takes a callback: it is called if the client hangs up.

It is there only in the service's own web server.
"""

JSON = "application/json"
KEY_HEADER = "Idempotency-Key"
KEY_PATTERN = re.compile(r"[!-~]{1,255}")
"""The pattern of an ``Idempotency-Key``."""

_TOKEN = "novaluna.token"
"""The key of the WSGI environ under which the hash of the token is kept for whoever parses the request again."""

_BEARER = re.compile(rf"(?i:bearer) ++({tokens.PATTERN.pattern})")
_IN_UTF_8 = re.compile(r"""(?i);[ \t]*+charset=(?:utf-8|"utf-8")(?=[ \t]*(?:[;,]|$))""")
"""The parameter of a media range that asks for what every text is sent in."""

_ONE_TAG = re.compile(r'(?:W/)?"([0-9a-f-]+)"')
_WITHOUT_BODY = ("GET", "HEAD")
"""The methods whose body has no meaning (RFC 9110, 9.3): it is left unread."""

_NOTHING = MultiDict[str, str]()


class Nothing(RequestSchema):
    """The query of an address without parameters, and the body of an operation without one: every field is refused."""


class ApiRequest:
    """A request. `was_query_read` and `was_body_loaded` say whether that was done; what nobody reads is refused."""

    __slots__ = ("_args", "_environ", "_json", "_raw", "_token", "was_body_loaded", "was_query_read")

    def __init__(self, environ: WSGIEnvironment) -> None:
        self._environ = environ
        self._args: MultiDict[str, str] | None = None
        self._raw: bytes | None = None
        self._json: Any = None
        self._token: bytes | None = None
        self.was_query_read = self.was_body_loaded = False

    @property
    def method(self) -> str:
        """The method, as the client sent it."""
        return str(self._environ["REQUEST_METHOD"])

    @property
    def full_path(self) -> str:
        """The path, with the query if there is one."""
        path = "/" + self._environ["PATH_INFO"].encode("latin1").decode(errors="replace").lstrip("/")
        query = self._environ.get("QUERY_STRING")
        return f"{path}?{query.encode('latin1').decode('ascii', 'replace')}" if query else path

    # the caller

    def token_hash(self) -> bytes | None:
        """Return the SHA-256 of the access token, None without an Authorization header; the token is not looked up.

        Raises:
            Unauthorized: the header is not ``Bearer`` and a well-formed token.
        """
        if self._token is None and (header := self._environ.get("HTTP_AUTHORIZATION")) is not None:
            self._token = self._environ.get(_TOKEN)
            if self._token is None:
                bearer = _BEARER.fullmatch(header)
                if bearer is None:
                    raise unknown_token()
                self._token = self._environ[_TOKEN] = tokens.hash_of(bearer[1])
        return self._token

    def language(self) -> Language:
        """Return the language that Accept-Language prefers, English if there is none."""
        accepted = parse_accept_header(self._environ.get("HTTP_ACCEPT_LANGUAGE"), LanguageAccept)
        return looked_up(wanted for wanted, quality in accepted if quality > 0)

    def preferred_type(self, offered: Sequence[str]) -> str | None:
        """Return the type offered that Accept prefers: the first if it is missing or empty, None if it takes none.

        The quality of a type is that of the most specific range that has it (RFC 9110, 12.5.1). Of types with the same,
        the one that is named more exactly is preferred, and then the first.
        """
        header = self._environ.get("HTTP_ACCEPT", "")
        if header in ("", "*/*", offered[0]):  # nearly always
            return offered[0]
        accepted = parse_accept_header(_IN_UTF_8.sub("", header), MIMEAccept)
        ranges = {named.lower() for named in accepted.values()}

        def preference(kind: str) -> tuple[float, bool, bool]:
            return accepted.quality(kind), kind in ranges, f"{kind.partition('/')[0]}/*" in ranges

        best = max(offered, key=preference)
        return best if accepted.quality(best) > 0 else None

    # conditions

    def known_tags(self) -> Collection[str]:
        """Return the tags that ``If-None-Match`` names."""
        header = self._environ.get("HTTP_IF_NONE_MATCH")
        if header is None:
            return ()
        if one := _ONE_TAG.fullmatch(header):  # nearly always
            return (one[1],)
        return [tag for tag in parse_etags(header).as_set(include_weak=True) if tag]  # an empty tag is None

    def knows(self, tag: str) -> bool:
        """Return whether ``If-None-Match`` matches a tag (weak comparison, or ``*``)."""
        header = self._environ.get("HTTP_IF_NONE_MATCH")
        return header is not None and (tag in self.known_tags() or parse_etags(header).star_tag)

    def required_tags(self) -> Collection[str] | None:
        """Return the tags that ``If-Match`` names: None without the header, ``("*",)`` for any tag.

        Weak tags are left out, because they match nothing (RFC 9110, 13.1.1).
        """
        header = self._environ.get("HTTP_IF_MATCH")
        if header is None:
            return None
        tags = parse_etags(header)
        return ("*",) if tags.star_tag else [tag for tag in tags.as_set() if tag]  # an empty tag is None

    @property
    def has_if_match(self) -> bool:
        """True if there is an ``If-Match``."""
        return "HTTP_IF_MATCH" in self._environ

    def if_match(self) -> Expectation | None:
        """Return the states in which ``If-Match`` lets a table be changed: None for any, and without the header."""
        tags = self.required_tags()
        return None if tags is None or tags == ("*",) else Expectation(tags, StalePrecondition)

    # the idempotency key

    @property
    def has_key(self) -> bool:
        """True if there is an ``Idempotency-Key``, well-formed or not."""
        return "HTTP_IDEMPOTENCY_KEY" in self._environ

    def idempotency_key(self) -> str | None:
        """Return the ``Idempotency-Key``, None if there is none.

        Raises:
            Unreadable: the key is not 1 to 255 visible ASCII characters.
        """
        key: str | None = self._environ.get("HTTP_IDEMPOTENCY_KEY")
        if key is not None and not KEY_PATTERN.fullmatch(key):
            raise Unreadable("idempotency_key_malformed", "Idempotency-Key must be 1 to 255 visible ASCII characters.")
        return key

    def idempotency_slot(self, account: str) -> Slot | None:
        """Return the slot in which the response to this request is stored.

        None is for a request without a key, or with a malformed one, which `idempotency_key` refuses later.
        """
        key = self._environ.get("HTTP_IDEMPOTENCY_KEY")
        if key is None or not KEY_PATTERN.fullmatch(key):
            return None
        return Slot(account, self.method, self.full_path, key)

    # the query and the body

    @property
    def args(self) -> MultiDict[str, str]:
        """The query parameters."""
        if self._args is None:
            has_query = self._environ.get("QUERY_STRING")
            self._args = Request(self._environ, populate_request=False).args if has_query else _NOTHING
        return self._args

    def asks_for_past(self) -> bool:
        """Return whether the query asks for a past state of a table."""
        args = self.args
        return bool(args) and ("at" in args or "head" in args)

    def load_query(self, loader: Schema, empty: Mapping[str, Any] | None = None) -> Any:
        """Load the query by a schema and return it, `empty` if there is none; refuse one that does not match (422)."""
        self.was_query_read = True
        if empty is not None and not self.args:  # nearly always
            return dict(empty)
        twice = {name: [Phrase("Given more than once.")] for name, values in self.args.lists() if len(values) > 1}
        if twice:
            refuse("query", twice)
        return _load(loader, self.args.to_dict(), "query")

    def refuse_unread_query(self) -> None:
        """Refuse the query if it was not read."""
        if not self.was_query_read and self.args:
            self.load_query(Nothing())

    def body(self) -> bytes:
        """Return the body, which is read once; refuse one that is too large (413) or that is compressed (415)."""
        if self._raw is None:
            self._raw = get_input_stream(self._environ, max_content_length=READ_LIMIT).read()
        if len(self._raw) > MAX_BODY:
            raise RequestEntityTooLarge
        codings = self._environ.get("HTTP_CONTENT_ENCODING")
        if codings and self._raw and any(each.strip().lower() not in ("", "identity") for each in codings.split(",")):
            detail = Phrase("Send the body without Content-Encoding: this service decodes no bodies.")
            raise WrongContentEncoding("unsupported_content_encoding", detail)
        return self._raw

    def json(self) -> Any:
        """Return the value of the JSON body, None if there is no body.

        Bodies are refused if they are too large (413), compressed or of another media type (415), or not JSON that
        every parser reads alike (400): no NaN, lone surrogates, numbers of thousands of digits, endless nesting or
        duplicate members.
        """
        if self._json is None and self.body():
            self._json = self._parse(self.body())
        return self._json

    def load_body(self, loader: Schema, *, required: bool = True) -> Any:
        """Load the JSON body by a schema and return it; refuse one that does not match (422).

        If the body is not `required`, a request without one is treated as ``{}``.
        """
        self.was_body_loaded = True
        data = self.json()
        if data is None and not required and not self.body():
            data = {}
        return _load(loader, data, "body")

    def refuse_unread_body(self) -> None:
        """Refuse the body of a POST, PUT, PATCH or DELETE if no schema has loaded it, unless it is ``{}`` or empty."""
        if not self.was_body_loaded and self.method not in _WITHOUT_BODY:
            self.load_body(Nothing(), required=False)

    @property
    def media_type(self) -> str:
        """The media type of the body, without parameters and in lower case; empty if there is none."""
        return parse_options_header(self._environ.get("CONTENT_TYPE", ""))[0].lower()

    def _parse(self, raw: bytes) -> Any:
        if self._environ.get("CONTENT_TYPE", "") != JSON and self.media_type != JSON:
            raise UnsupportedMediaType
        try:
            return decoded(raw)
        except (ValueError, RecursionError):
            detail = Phrase(
                "The body is not JSON that every parser reads alike: it must be in UTF-8, with no duplicate members,"
                " no NaN,"
                " no lone surrogates, no numbers of thousands of digits, and no endless nesting."
            )
            raise Unreadable("not_json", detail) from None


def unknown_token() -> Unauthorized:
    """Return the refusal of an access token that is malformed, unknown, revoked or expired."""
    return Unauthorized(
        "token_invalid",
        "The Authorization header must be 'Bearer' and a valid access token; get one with POST /v1/tokens.",
    )


def token_missing() -> Unauthorized:
    """Return the refusal of a request without the access token that it requires."""
    return Unauthorized("token_missing", "Sign in: send the header 'Authorization: Bearer' with an access token.")


def decoded(raw: bytes) -> Any:
    """Return the value of JSON that every parser reads alike; raise ValueError or RecursionError for any other."""
    data = _decode(raw.decode("utf-8"))
    if b"\\u" in raw:  # only then can there be lone surrogates
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    return data


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError(pairs)
    return members


_decode = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_members).decode


def _load(loader: Schema, data: Any, place: str) -> Any:
    if not isinstance(data, dict):
        refuse(place, [Phrase("Must be a JSON object.")])
    try:
        return loader.load(data)
    except ValidationError as error:
        refuse(place, error.messages)


def refuse(place: str, messages: dict[str, Any] | list[Any]) -> NoReturn:
    """Refuse the `body` or the `query` (422); `messages` are by field, in the form of marshmallow's, or `Phrase`."""
    wrong = wrong_fields(place, messages)
    first = together(about(each.field or Phrase("the whole"), each.right) for each in wrong[:3])
    if place == "query":
        detail = phrase("The query does not fit its schema: %(first)s", first=first)
    else:
        detail = phrase("The body does not fit its schema: %(first)s", first=first)
    raise Malformed("wrong_fields", detail, wrong=wrong)
