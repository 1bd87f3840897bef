"""A request as a value: what each header, the query and the body of a WSGI environ mean, and what is refused."""

from io import BytesIO
from typing import Any

import pytest
from marshmallow import fields
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType

from service.access import tokens
from service.api.requests import MAX_BODY, ApiRequest, decoded
from service.api.schema import RequestSchema
from service.errors import Malformed, Unauthorized, Unreadable
from service.store.idempotency import Slot

TOKEN = "x" * 43


class Named(RequestSchema):
    name = fields.String(required=True)


def request(body: bytes = b"", *, query: str = "", path: str = "/v1/games", **headers: str) -> ApiRequest:
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": headers.pop("content_type", "application/json"),
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(body),
    }
    return ApiRequest(environ | {f"HTTP_{name.upper()}": value for name, value in headers.items()})


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER ", "Bearer  "])
def test_a_token_is_kept_as_its_hash(scheme: str) -> None:
    asked = request(authorization=f"{scheme}{TOKEN}")
    assert asked.token_hash() == tokens.hash_of(TOKEN) == asked.token_hash()
    assert request().token_hash() is None


@pytest.mark.parametrize(
    "header", ["", TOKEN, f"Basic {TOKEN}", f"Bearer{TOKEN}", f"Bearer\t{TOKEN}", f"Bearer {TOKEN} ", "Bearer x"]
)
def test_another_authorization_is_refused(header: str) -> None:
    with pytest.raises(Unauthorized) as refused:
        request(authorization=header).token_hash()
    assert refused.value.code == "token_invalid"


@pytest.mark.parametrize(
    ("header", "code"), [(None, "en"), ("fr", "fr"), ("xx, de;q=0.5", "de"), ("fr;q=0, es;q=0.1", "es"), ("xx", "en")]
)
def test_the_language_is_the_best_that_there_is(header: str | None, code: str) -> None:
    asked = request() if header is None else request(accept_language=header)
    assert asked.language().code == code


@pytest.mark.parametrize(
    ("header", "tags", "knows"),
    [
        (None, [], False),
        ('"1-2-ab"', ["1-2-ab"], True),
        ('W/"1-2-ab"', ["1-2-ab"], True),
        ('"0-0-00", W/"1-2-ab", ""', ["0-0-00", "1-2-ab"], True),
        ('"0-0-00"', ["0-0-00"], False),
        ("*", [], True),
    ],
)
def test_if_none_match_compares_weakly(header: str | None, tags: list[str], knows: bool) -> None:
    asked = request() if header is None else request(if_none_match=header)
    assert sorted(asked.known_tags()) == tags and asked.knows("1-2-ab") == knows


@pytest.mark.parametrize(
    ("header", "tags"), [(None, None), ("*", ["*"]), ('"a", "b"', ["a", "b"]), ('W/"a", "b"', ["b"]), ('W/"a"', [])]
)
def test_if_match_compares_strongly(header: str | None, tags: list[str] | None) -> None:
    asked = request() if header is None else request(if_match=header)
    found, expected = asked.required_tags(), asked.if_match()
    assert asked.has_if_match is (header is not None)
    assert (None if expected is None else sorted(map(str, expected.states))) == (None if tags == ["*"] else tags)
    assert (found if found is None else sorted(found)) == tags


@pytest.mark.parametrize("key", ["k", "k" * 255, "!~"])
def test_a_response_is_stored_by_account_method_path_with_query_and_key(key: str) -> None:
    asked = request(idempotency_key=key, query="a=1")
    assert asked.has_key and asked.idempotency_key() == key
    assert asked.idempotency_slot("ann") == Slot("ann", "POST", "/v1/games?a=1", key)
    assert request(idempotency_key=key).full_path == "/v1/games"


@pytest.mark.parametrize("key", ["", "k" * 256, "a b", "é"])
def test_a_malformed_key_is_refused(key: str) -> None:
    asked = request(idempotency_key=key)
    assert asked.has_key and asked.idempotency_slot("ann") is None
    with pytest.raises(Unreadable) as refused:
        asked.idempotency_key()
    assert refused.value.code == "idempotency_key_malformed"


def test_without_a_key_nothing_is_stored() -> None:
    asked = request()
    assert not asked.has_key and asked.idempotency_key() is None and asked.idempotency_slot("ann") is None


@pytest.mark.parametrize(
    ("accept", "preferred"),
    [
        (None, "text/a"),
        ("", "text/a"),
        ("*/*", "text/a"),
        ("text/b", "text/b"),
        ("text/a;q=0, */*", "text/b"),
        ("text/a;q=0.4, text/b;q=0.5", "text/b"),
        ("text/c", None),
        ("text/a;q=0", None),
        ("TEXT/B", "text/b"),
        ("text/a, text/b", "text/a"),
        ("text/b, */*", "text/b"),
        ("text/a, text/b;q=0.1", "text/a"),
        ("text/b;q=0, text/a;q=0.1, */*", "text/a"),
        ("x/text/b", None),
        ("text/bs", None),
        ("text/b; charset=utf-8", "text/b"),
        ('text/b;charset="UTF-8";q=0.5, text/a;q=0.1', "text/b"),
        ("text/b; charset=utf-16", None),
    ],
)
def test_accept_prefers_one_of_the_types(accept: str | None, preferred: str | None) -> None:
    asked = request() if accept is None else request(accept=accept)
    assert asked.preferred_type(("text/a", "text/b")) == preferred


@pytest.mark.parametrize(("query", "asks"), [("", False), ("at=3", True), ("head=ab", True), ("cursor=x", False)])
def test_a_query_may_ask_for_a_past_state(query: str, asks: bool) -> None:
    assert request(query=query).asks_for_past() is asks


def test_a_query_is_loaded_by_its_schema() -> None:
    assert request(query="name=Ann").load_query(Named()) == {"name": "Ann"}
    assert request().load_query(Named(), {"name": "nobody"}) == {"name": "nobody"}
    assert request(query="name=Ann").load_query(Named(), {"name": "nobody"}) == {"name": "Ann"}


@pytest.mark.parametrize(("query", "wrong"), [("name=a&name=b", "name"), ("other=1&name=a", "other"), ("", "name")])
def test_a_query_that_does_not_fit_is_refused(query: str, wrong: str) -> None:
    with pytest.raises(Malformed) as refused:
        request(query=query).load_query(Named())
    assert [(each.place, each.field) for each in refused.value.wrong] == [("query", wrong)]
    assert refused.value.detail.startswith("The query does not fit its schema")


def test_a_query_that_nobody_reads_is_refused() -> None:
    request().refuse_unread_query()
    asked = request(query="name=a")
    with pytest.raises(Malformed):
        asked.refuse_unread_query()
    read = request(query="name=a")
    read.load_query(Named())
    read.refuse_unread_query()


@pytest.mark.parametrize("body", [b"", b"{}", b" { } "])
def test_no_body_and_an_empty_object_may_be_left_unread(body: bytes) -> None:
    request(body).refuse_unread_body()


@pytest.mark.parametrize(
    ("body", "content_type", "error"),
    [
        (b'{"name": "Ann"}', "application/json", Malformed),
        (b"[]", "application/json", Malformed),
        (b"null", "application/json", Malformed),
        (b"{", "application/json", Unreadable),
        (b"garbage", "text/plain", UnsupportedMediaType),
        (b" " * (MAX_BODY + 1), "application/json", RequestEntityTooLarge),
    ],
    ids=["field", "array", "null", "broken", "text", "large"],
)
def test_a_body_that_nobody_reads_is_refused(body: bytes, content_type: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        request(body, content_type=content_type).refuse_unread_body()
    loaded = request(b'{"name": "Ann"}')
    loaded.load_body(Named())
    loaded.refuse_unread_body()


@pytest.mark.parametrize("media_type", ["application/json", "Application/JSON; charset=utf-8"])
def test_a_body_is_read_once_and_loaded(media_type: str) -> None:
    asked = request(b'{"name": "Ann"}', content_type=media_type)
    assert asked.load_body(Named()) == asked.load_body(Named()) == {"name": "Ann"}


def test_a_body_has_its_size_and_its_media_type() -> None:
    with pytest.raises(UnsupportedMediaType):
        request(b"{}", content_type="text/plain").json()
    assert request(b" " * (MAX_BODY - 2) + b"{}").json() == {}
    with pytest.raises(RequestEntityTooLarge):
        request(b" " * (MAX_BODY - 1) + b"{}").json()
    assert request(content_type="text/plain").json() is None


def test_a_missing_body_is_refused_where_it_is_required() -> None:
    class Empty(RequestSchema):
        pass

    assert request().load_body(Empty(), required=False) == {}
    for body, required in ((b"", True), (b"null", False), (b"[]", False)):
        with pytest.raises(Malformed) as refused:
            request(body).load_body(Empty(), required=required)
        assert "Must be a JSON object" in refused.value.detail
        assert refused.value.detail.startswith("The body does not fit its schema: the whole")


@pytest.mark.parametrize(
    "raw",
    [b"{", b"NaN", b"[Infinity]", b'{"a": 1, "a": 1}', b'{"a": {"b": 1, "b": 2}}', b'"\\ud800"', b"\xff", b"[" * 9999],
)
def test_json_that_parsers_read_differently_is_refused(raw: bytes) -> None:
    with pytest.raises((ValueError, RecursionError)):
        decoded(raw)
    with pytest.raises(Unreadable) as refused:
        request(raw).json()
    assert refused.value.code == "not_json"


def test_json_may_have_escapes() -> None:
    assert decoded(b'{"a": "\\u00e9 \\ud83c\\udf19"}') == {"a": "é \N{CRESCENT MOON}"}
