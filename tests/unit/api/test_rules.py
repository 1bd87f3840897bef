"""The rules by number, in each language, at their address and in the built package."""

import re
import tomllib
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from service.api.rules import rules
from service.language.languages import CODES

ROOT = Path(__file__).parents[3]
FILES = {code: "RULINGS.md" if code == "en" else f"RULINGS.{code}.md" for code in CODES}

DECIDES = {
    "en": "this English text decides",
    "fr": "c’est le texte anglais qui décide",
    "es": "decide el texto inglés",
    "de": "entscheidet der englische",
}
"""The sentence that the English text decides, in each language."""


def shape(text: str) -> list[str]:
    """Return the headings by their depth, and the numbers of the rulings, in order."""
    return re.findall(r"^#+(?= )|^- \d+\.\d+(?= )", text, re.MULTILINE)


def figures(text: str) -> list[str]:
    """Return all digits and code, ruling by ruling, in any order."""
    rulings = re.split(r"^(?=- \d+\.\d+ |## )", text, flags=re.MULTILINE)[1:]
    return [" ".join(sorted(re.findall(r"`[^`]+`|goal\d|\d+", " ".join(ruling.split())))) for ruling in rulings]


@pytest.mark.parametrize("code", CODES[1:])
def test_a_translation_has_the_same_rulings_with_the_same_figures(code: str) -> None:
    english, text = rules("en")[0], rules(code)[0]
    assert len(shape(english)) >= 32
    assert shape(text) == shape(english)
    assert figures(text) == figures(english)


@pytest.mark.parametrize("code", CODES)
def test_the_rules_are_sent_in_the_language_that_is_asked_for(offline: FlaskClient, code: str) -> None:
    answer = offline.get("/v1/rules", headers={"Accept-Language": f"ja, {code};q=0.5"})
    assert (answer.status_code, answer.content_type) == (200, "text/markdown; charset=utf-8")
    assert answer.text == (ROOT / "docs" / FILES[code]).read_text(encoding="utf-8")
    assert DECIDES[code] in re.sub(r"\s+", " ", answer.text)
    assert answer.headers["Content-Language"] == code
    assert "Accept-Language" in answer.vary
    assert "public" in answer.headers["Cache-Control"]
    known = {"If-None-Match": answer.headers["ETag"], "Accept-Language": code}
    unchanged = offline.get("/v1/rules", headers=known)
    assert (unchanged.status_code, unchanged.headers["ETag"]) == (304, answer.headers["ETag"])
    assert "Accept-Language" in unchanged.vary
    other = CODES[CODES.index(code) - 1]
    assert offline.get("/v1/rules", headers={**known, "Accept-Language": other}).status_code == 200


def test_what_is_built_has_the_rules_of_each_language() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    for name in FILES.values():
        assert build["force-include"][f"docs/{name}"] == f"service/api/rulings/{name}"
