"""The page /verify and its scripts, as they are sent."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

FOLDER = Path(__file__).parents[3] / "verifier"


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.mjs")))
def test_the_scripts_are_those_of_the_sources(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/verify/{name}")
    assert answer.status_code == 200 and answer.data == (FOLDER / name).read_bytes()
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache" and answer.headers["X-Content-Type-Options"] == "nosniff"
    again = client.get(f"/verify/{name}", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304 and not again.data


@pytest.mark.parametrize("name", ["other.mjs", "page.js", "..%2Fservice.mjs", "page"])
def test_nothing_else_is_sent(client: FlaskClient, name: str) -> None:
    assert client.get(f"/verify/{name}").status_code == 404


@pytest.mark.parametrize("language", ["en", "fr", "es", "de"])
def test_the_page_runs_its_own_scripts_alone(client: FlaskClient, language: str) -> None:
    answer = client.get("/verify", headers={"Accept-Language": language})
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert "script-src 'self'" in policy and "connect-src *" in policy and "default-src 'none'" in policy
    assert f'<html lang="{language}">' in answer.text and answer.text.count("<script") == 1
    for placeholder in ("{entries}", "{why}", "{number}", "{version}", "{index}", "{size}", "{name}"):
        assert placeholder in answer.text
    assert "script-src" not in client.get("/programs").headers["Content-Security-Policy"]
