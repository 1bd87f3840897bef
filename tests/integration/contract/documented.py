"""Hold that a response is as the document describes it."""

from werkzeug.test import TestResponse

from tests.integration.contract.document import Operation, fits

BEGINNINGS = {
    "image/svg+xml": b"<svg ",
    "image/png": b"\x89PNG",
    "application/atom+xml": b"<?xml ",
    "application/x-ndjson": b"{",
    "text/csv": b"game,kind,seq,",
    "application/octet-stream": b"",  # hashes begin with anything
}
"""The beginnings of responses that are neither JSON nor Markdown, by type; the document has no examples of them."""


def check_as_documented(operation: Operation, answer: TestResponse) -> None:
    """Hold that the headers and the body of a successful response fit the schema, and have the example's members."""
    documented = operation.answer(answer.status_code)
    if "content" not in documented:
        assert answer.data == b""
        return
    content = documented["content"][answer.mimetype]
    for name in documented.get("headers", {}):
        assert name in answer.headers or name == "Link"
    if answer.mimetype in BEGINNINGS:
        assert answer.data.startswith(BEGINNINGS[answer.mimetype])
        return
    if answer.mimetype in ("text/markdown", "text/plain"):
        fits(content["schema"], answer.text)
        return
    fits(content["schema"], answer.get_json())
    assert set(content["example"]) == set(answer.get_json()), "the example has the answer's members"
