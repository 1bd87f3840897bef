"""The files for hosts agree with the Procfile and the settings: systemd units, the image, and the compose file."""

import os
import re
import shutil
import subprocess
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.service_requirements import service_requirements
from service.config import Settings

ROOT = Path(__file__).resolve().parents[2]
UNITS = ROOT / "ops" / "systemd"
SYSTEM_UNITS = Path("/lib/systemd/system")
PROCFILE = dict(line.split(": ", 1) for line in (ROOT / "Procfile").read_text().splitlines())
PROGRAMS = "/srv/nova-luna/.venv/bin/"


def compose() -> dict[str, Any]:
    """Return compose.yaml with a secret key in place of its variable."""
    text = re.sub(r"\$\{NOVALUNA_SECRET_KEY:\?[^}]*\}", "k" * 40, (ROOT / "compose.yaml").read_text())
    assert "${" not in text
    return dict(yaml.safe_load(text))


def settings_of(unit: str, name: str) -> list[str]:
    """Return the values of a setting in a unit."""
    return re.findall(rf"^{name}=(.*)$", (UNITS / unit).read_text(), re.MULTILINE)


@pytest.mark.parametrize(("codes", "runs"), [((1, 1, 0), 3), ((1, 2), 2)])
def test_worker_loop_of_a_terminal_ends_as_its_unit_does(tmp_path: Path, codes: tuple[int, ...], runs: int) -> None:
    [loop] = re.findall(r"^app1\$ (until .*)$", (ROOT / "docs" / "OPERATING.md").read_text(), re.MULTILINE)
    (tmp_path / "runs").touch()
    ends = "\n".join(f"{number}) exit {code};;" for number, code in enumerate(codes, 1))
    count = f'echo "$*" >> {tmp_path}/runs\ncase $(wc -l < {tmp_path}/runs) in\n{ends}\nesac\nexit 0'
    for name, script in (("novaluna", count), ("sleep", "exit 0")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    subprocess.run(["sh", "-c", loop], env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}, timeout=60, check=False)
    assert (tmp_path / "runs").read_text().splitlines() == ["worker"] * runs


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return a root folder with the units, the programs that they start, and the units that come with systemd."""
    for folder in ("lib", "usr/lib"):
        shutil.copytree(SYSTEM_UNITS, tmp_path / folder / "systemd" / "system", symlinks=True)
    for program in ("gunicorn", "novaluna"):
        (tmp_path / PROGRAMS.strip("/")).mkdir(parents=True, exist_ok=True)
        (tmp_path / PROGRAMS.strip("/") / program).touch(mode=0o755)
    shutil.copytree(UNITS, tmp_path / "etc" / "systemd" / "system")
    return tmp_path


def verified(machine: Path) -> str:
    """Return the problems that systemd finds in the units."""
    folder = machine / "etc" / "systemd" / "system"
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=one", f"--root={machine}"]
    units = sorted(str(unit) for unit in folder.iterdir())
    return subprocess.run([*command, *units], check=False, capture_output=True, text=True, timeout=60).stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_units_are_verified_by_systemd(machine: Path) -> None:
    assert verified(machine) == ""
    tampered = machine / "etc" / "systemd" / "system" / "nova-luna-web.service"
    tampered.write_text(tampered.read_text().replace("WatchdogSec=20", "WatchdogSeconds=20"))
    assert "WatchdogSeconds" in verified(machine)


@pytest.mark.parametrize(
    ("part", "unit"), [("release", "migrate"), ("web", "web"), ("worker", "worker"), ("mailin", "mailin")]
)
def test_units_start_what_the_procfile_starts(part: str, unit: str) -> None:
    assert settings_of(f"nova-luna-{unit}.service", "ExecStart") == [PROGRAMS + PROCFILE[part]]


def test_units_share_their_hardening() -> None:
    def hardening(unit: Path) -> str:
        return unit.read_text().partition("UMask=")[2].partition("\n\n")[0].rstrip()

    services = sorted(UNITS.glob("*.service"))
    assert len(services) == 5
    assert len({hardening(unit) for unit in services}) == 1
    assert "NoNewPrivileges=yes" in hardening(services[0])


def test_owner_of_the_tables_is_told_to_the_migration_alone() -> None:
    told = {unit.name for unit in UNITS.iterdir() if "owner.env" in unit.read_text()}
    assert told == {"nova-luna-migrate.service"}
    services = compose()["services"].items()
    assert [name for name, each in services if "NOVALUNA_OWNER_URL" in each.get("environment", {})] == ["migrate"]


def test_compose_gives_each_part_settings_that_hold() -> None:
    services = compose()["services"]
    parts = {name: each for name, each in services.items() if each["image"] == "nova-luna"}
    assert parts.keys() == {"migrate", "web", "worker", "mailin"}
    for part in parts.values():
        settings = Settings.from_environ(part["environment"])
        assert settings.smtp_url == "smtp://mailpit:1025" and settings.mail_in is not None
    commands = {name: " ".join(part["command"]) for name, part in parts.items() if name != "web"}
    assert commands == {name: PROCFILE["release" if name == "migrate" else name] for name in commands}


def test_image_serves_as_the_procfile_does() -> None:
    (command,) = re.findall(r"^CMD (\[.*\])$", (ROOT / "Containerfile").read_text(), re.MULTILINE)
    words = yaml.safe_load(command)
    where = words.index("--bind")
    assert words[where + 1] == "0.0.0.0:8000"
    assert " ".join(words[:where] + words[where + 2 :]) == PROCFILE["web"]


def test_image_is_given_all_that_its_wheel_needs() -> None:
    kept = [line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"]
    given = {path for pattern in kept for path in ROOT.glob(pattern)}
    wanted = [*re.findall(r'^"(\S+)" = "', (ROOT / "pyproject.toml").read_text(), re.MULTILINE), "engine", "service"]
    assert len(wanted) > 5
    assert {ROOT / path for path in [*wanted, "pyproject.toml", "README.md"]} <= given


def test_image_holds_what_the_service_imports_and_no_test_tool() -> None:
    names = {
        canonicalize_name(name)
        for name in re.findall(r"^([\w.-]+)(?:\[\w+\])?==", service_requirements(), re.MULTILINE)
    }
    needed, found = ["nova-luna-by-post"], set[str]()
    while needed:
        for requirement in map(Requirement, requires(needed.pop()) or []):
            name = canonicalize_name(requirement.name)
            if name not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
                found.add(name)
                needed.append(name)
    assert found <= names
    assert not names & {"pytest", "hypothesis", "mypy", "ruff", "playwright", "schemathesis"}
