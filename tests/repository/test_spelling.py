"""What people read is spelled as in American English."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

_TEXTS = [
    *(path for path in sorted(ROOT.glob("*.md")) if path.name != "CHANGELOG.md"),
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if not re.search(r"\.(de|es|fr)\.md$", path.name)),
    *sorted((ROOT / "service").rglob("templates/**/*.*")),
    ROOT / "openapi.yaml",
]

_BRITISH = re.compile(
    r"\b(?:(?:behavi|col|fav|flav|harb|hon|hum|lab|neighb|rum)our\w*|acknowledgement|cancelled|catalogue|centre|defence"
    r"|judgement|labelled|licence|modelled|travell\w+|(?:authori|initiali|normali|optimi|organi|recogni|seriali|summari"
    r"|synchroni|utili)s(?:e[ds]?|ing|ation))\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("path", _TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_text_has_no_british_spelling(path: Path) -> None:
    assert _BRITISH.findall(path.read_text()) == []
