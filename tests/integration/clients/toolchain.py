"""The tools that make clients from openapi.yaml: openapi-python-client, and those of npm beside this file."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
DOCUMENT = ROOT / "openapi.yaml"
MODULES = HERE / "node_modules"

_STRICT = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--skipLibCheck")
_TARGET = ("--target", "es2022", "--module", "nodenext", "--pretty", "false", "--outDir", "compiled")
_DIAGNOSTIC = re.compile(r"(\S+?)\((\d+),\d+\): error (.*)")


class Diagnostic(NamedTuple):
    """An error that tsc found: its file, its line, and its text."""

    file: str
    line: int
    text: str


def need_node() -> None:
    """Skip a test where node or the packages are missing."""
    if shutil.which("node") is None:
        pytest.skip("needs Node 20 or later: apt install nodejs npm, or https://nodejs.org")
    if not MODULES.is_dir():
        pytest.skip(f"needs the packages of npm: npm ci --ignore-scripts --prefix {HERE.relative_to(ROOT)}")


def types(documents: Mapping[Path, Path]) -> None:
    """Write the TypeScript types of OpenAPI documents, each to its file."""
    files = [str(path) for pair in documents.items() for path in pair]
    run("node", str(HERE / "generate.mjs"), *files)


def compiled(folder: Path) -> list[Diagnostic]:
    """Compile all TypeScript of a folder at once, into its folder `compiled`, and return what tsc found."""
    (folder / "node_modules").symlink_to(MODULES)
    (folder / "package.json").write_text(json.dumps({"type": "module"}))
    sources = sorted(path.name for path in folder.glob("*.ts"))
    tsc = str(MODULES / ".bin" / "tsc")
    ran = subprocess.run(
        [tsc, *_STRICT, *_TARGET, *sources], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    found: list[Diagnostic] = []
    for line in ran.stdout.splitlines():
        if match := _DIAGNOSTIC.fullmatch(line):
            found.append(Diagnostic(match[1], int(match[2]), match[3]))
        else:  # a further line of the last one
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line}")
    assert found or ran.returncode == 0, ran.stderr
    return found


def python_client(folder: Path) -> None:
    """Generate the Python client into a folder, with the settings that client authors get."""
    generator = Path(sys.executable).with_name("openapi-python-client")
    config = ROOT / "docs" / "clients" / "openapi-python-client.yaml"
    arguments = ("generate", "--path", str(DOCUMENT), "--config", str(config), "--meta", "none", "--fail-on-warning")
    run(str(generator), *arguments, "--output-path", str(folder / "nova_luna_client"))


def type_errors(folder: Path) -> list[str]:
    """Return the errors that `mypy --strict` finds in a folder."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file", "", "."]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    return (ran.stdout + ran.stderr).splitlines()


def run(*command: str, cwd: Path | None = None, environ: Mapping[str, str] | None = None) -> str:
    """Run a program, with further variables, and return what it printed; it must succeed."""
    env = os.environ | dict(environ or {})
    ran = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def installed(packages: Sequence[str], folder: Path) -> None:
    """Do in a folder what ``npm install`` of packages does, such as `typescript@5`, with those that are beside this."""
    (folder / "package.json").write_text("{}")
    modules = folder / "node_modules"
    modules.mkdir()
    (modules / ".bin").symlink_to(MODULES / ".bin")
    for package in packages:
        name = re.sub(r"(?<=.)@.*", "", package)
        (modules / name).parent.mkdir(exist_ok=True)
        (modules / name).symlink_to(MODULES / name)


def copied(files: Sequence[Path], folder: Path) -> None:
    """Copy files into a folder."""
    for file in files:
        shutil.copy(file, folder)
