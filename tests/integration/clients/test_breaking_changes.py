"""What breaks clients of the last release is named in CHANGELOG.md; and the check finds what breaks them."""

from __future__ import annotations

import pytest

from tests.integration.clients.breaking_changes import Allowed, named, removed, tightened
from tests.integration.clients.conftest import TypeScript, latest_release
from tests.integration.clients.tampered_document import BREAKS
from tests.support.shared_service import SHARE_SERVICE

pytestmark = [SHARE_SERVICE, pytest.mark.slow]  # for the process that generates the clients

CHANGES = """\
## [Unreleased]

### Changed

- **Breaking:** response of `getMe` and `changeMe`, `language` and
  `name`: they are gone.
- **Breaking:** request of `say`: it has another type.
- Another change of `listTiles`.

## [0.2.0]

- **Breaking:** removal of `listTiles`: this was before.
"""


def test_the_document_of_the_latest_release_is_kept() -> None:
    assert latest_release().is_file()


def test_no_change_breaks_clients_without_being_named(typescript: TypeScript) -> None:
    old, new = typescript.documents["released"], typescript.documents["types"]
    found = typescript.comparisons["unnamed"].breaks(typescript.errors("unnamed"))
    changes = named((latest_release().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8"), old)
    of_documents = [*removed(old, new), *tightened(old, new)]
    found += [each for each in of_documents if Allowed(each.operation, each.side, frozenset()) not in changes]
    assert found == [], "name them in CHANGELOG.md; tests/integration/clients/breaking_changes.py says how"


def test_what_the_changelog_names_is_a_break(typescript: TypeScript) -> None:
    old, new = typescript.documents["released"], typescript.documents["types"]
    found = typescript.comparisons["since_release"].breaks(typescript.errors("since_release"))
    broken = {each[:2] for each in (*found, *removed(old, new), *tightened(old, new))}
    changes = named((latest_release().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8"), old)
    assert {each[:2] for each in changes} - broken == set()


def test_an_equal_document_breaks_nothing(typescript: TypeScript) -> None:
    same = typescript.documents["types"]
    assert typescript.errors("unchanged") == []
    assert [*removed(same, same), *tightened(same, same)] == []


def test_each_kind_of_break_is_found(typescript: TypeScript) -> None:
    old, new = typescript.documents["types"], typescript.documents["tampered"]
    found = typescript.comparisons["since_tampered"].breaks(typescript.errors("since_tampered"))
    broken = {each[:2] for each in (*found, *removed(old, new), *tightened(old, new))}
    assert set(BREAKS.items()) - broken == set()


def test_named_breaks_are_read_from_the_next_release(typescript: TypeScript) -> None:
    properties = frozenset({"language", "name"})
    assert named(CHANGES, typescript.documents["types"]) == {
        Allowed("getMe", "response", properties),
        Allowed("changeMe", "response", properties),
        Allowed("say", "request", frozenset()),
    }
