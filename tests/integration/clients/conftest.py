"""Generate, compile and check the clients once, for all tests of this folder."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.integration.clients import toolchain
from tests.integration.clients.breaking_changes import Comparison, Document, named
from tests.integration.clients.tampered_document import tamper
from tests.integration.clients.toolchain import DOCUMENT, HERE, ROOT, Diagnostic


def _read(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return loaded


def latest_release() -> Path:
    """Return the document of the latest release in the changelog."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    latest = next(line for line in changes.splitlines() if line.startswith("## [") and "Unreleased" not in line)
    return ROOT / "docs" / "openapi" / f"{latest.removeprefix('## [').partition(']')[0]}.yaml"


class TypeScript(NamedTuple):
    """Everything that is written in TypeScript, compiled.

    Attributes:
        folder: where it is.
        found: what tsc found.
        documents: the OpenAPI documents by the name of the module with their types.
        comparisons: comparisons of two documents by the name of their module.
    """

    folder: Path
    found: list[Diagnostic]
    documents: dict[str, Document]
    comparisons: dict[str, Comparison]

    def errors(self, module: str) -> list[Diagnostic]:
        """Return the errors that tsc finds in a module."""
        return [each for each in self.found if each.file == f"{module}.ts"]


@pytest.fixture(scope="session")
def typescript(tmp_path_factory: pytest.TempPathFactory) -> TypeScript:
    """Return the TypeScript client, the requests that it refuses, and the comparisons, compiled at once."""
    toolchain.need_node()
    folder = tmp_path_factory.mktemp("typescript")
    current, released = _read(DOCUMENT), _read(latest_release())
    tampered = deepcopy(current)
    tamper(tampered)
    (folder / "tampered.yaml").write_text(yaml.dump(tampered, Dumper=yaml.CSafeDumper))
    toolchain.types(
        {
            DOCUMENT: folder / "types.ts",
            latest_release(): folder / "released.ts",
            folder / "tampered.yaml": folder / "tampered.ts",
        }
    )
    documents: dict[str, Document] = {"types": current, "released": released, "tampered": tampered}
    allowed = named((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), released)
    comparisons = {
        "unnamed": Comparison(("released", released), ("types", current), allowed),
        "since_release": Comparison(("released", released), ("types", current)),
        "unchanged": Comparison(("types", current), ("types", current)),
        "since_tampered": Comparison(("types", current), ("tampered", tampered)),
    }
    for name, comparison in comparisons.items():
        (folder / f"{name}.ts").write_text(comparison.text)
    toolchain.copied([*sorted((HERE / "typescript").glob("*.ts")), ROOT / "examples" / "bot.ts"], folder)
    return TypeScript(folder, toolchain.compiled(folder), documents, comparisons)


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the generated Python client, and the programs that use it."""
    folder = tmp_path_factory.mktemp("python")
    toolchain.python_client(folder)
    toolchain.copied(sorted((HERE / "python").glob("*.py")), folder)
    return folder
