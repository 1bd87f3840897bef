"""Everything that is installed is pinned by version and hash, so that no file can be replaced unseen."""

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = re.compile(r"^\s*(?:from|import) ([a-z]\w*)", re.MULTILINE)
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def entries() -> list[str]:
    """Return the requirements with their hashes, one per line."""
    joined = (ROOT / "requirements.txt").read_text().replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def pinned() -> dict[str, str]:
    """Return the version of each package."""
    found: dict[str, str] = {}
    for entry in entries():
        requirement = Requirement(entry.partition(" --hash")[0])
        [specifier] = requirement.specifier
        assert specifier.operator == "==" and "*" not in specifier.version, entry
        assert requirement.url is None
        found[canonicalize_name(requirement.name)] = specifier.version
    return found


def test_every_one_has_one_version_and_hashes_and_none_an_address() -> None:
    for entry in entries():
        name, *options = entry.split(" --hash=")
        assert options, f"{name} has no hash"
        assert HASH.sub("", entry.removeprefix(name)).strip() == "", entry
        assert "://" not in entry and not entry.startswith("-"), entry
    assert len(pinned()) > 50
    assert "--require-hashes -r requirements.txt" in (ROOT / "scripts" / "environment.sh").read_text()


def test_requirements_are_those_of_pyproject() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    versions = pinned()
    for asked in map(Requirement, [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]):
        version = versions.get(canonicalize_name(asked.name))
        assert version is not None, f"{asked.name} is in pyproject.toml and not in requirements.txt"
        assert asked.specifier.contains(version, prereleases=True), f"{asked} in pyproject.toml, {version} pinned"


def test_each_package_that_is_imported_is_asked_for_by_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["parquet"]]
    named: set[str] = {canonicalize_name(Requirement(each).name) for each in asked}
    named |= {"psycopg-pool"} if any("pool" in Requirement(each).extras for each in asked) else set()
    installed = packages_distributions()
    for module, path in sorted(imported().items()):
        sources = {canonicalize_name(name) for name in installed.get(module, [])}
        assert not sources or sources & named, f"{path} imports {module}, of {sources}"


def imported() -> dict[str, Path]:
    """Return the top-level modules that the product imports, each with a file that does."""
    return {
        name: path.relative_to(ROOT)
        for package in ("engine", "service", "migrations")
        for path in sorted((ROOT / package).rglob("*.py"))
        for name in IMPORTED.findall(path.read_text())
    }
