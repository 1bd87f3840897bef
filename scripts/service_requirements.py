"""Print the part of requirements.txt that the service needs, with its hashes: no tools for tests and checks.

``uv export`` notes below each package which others want it, so the packages to keep are found without any of them being
installed. Standard library only, as this runs before anything is installed.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def _name(requirement: str) -> str:
    """Return the normalized name of the package that a requirement starts with."""
    found = _NAME.match(requirement)
    assert found, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def service_requirements(root: Path = ROOT) -> str:
    """Return the entries of requirements.txt that the service, or the build of its wheel, needs."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    needed = {_name(each) for each in [*project["project"]["dependencies"], *project["build-system"]["requires"]]}
    entries = re.split(r"\n(?=\S)", (root / "requirements.txt").read_text().strip())
    wanted_by = {
        _name(entry): {_name(line.strip("# ").removeprefix("via ")) for line in _comments(entry)} for entry in entries
    }
    while more := {name for name, parents in wanted_by.items() if name not in needed and parents & needed}:
        needed |= more
    return "".join(f"{entry}\n" for entry in entries if _name(entry) in needed)


def _comments(entry: str) -> list[str]:
    """Return the comment lines of an entry that name a package."""
    lines = [line.strip() for line in entry.splitlines()]
    return [line for line in lines if line.startswith("#") and line.strip("# ") != "via"]


if __name__ == "__main__":
    sys.stdout.write(service_requirements())
