"""The README is true: its commands work in their order, and its tables agree with the code."""

import argparse
import re
import sys
from dataclasses import MISSING, fields
from functools import partial
from pathlib import Path

import pytest

from service import cli, config
from service.config import Settings
from service.mail.maildir import Maildir
from tests.drills.service import Service
from tests.support.pasting import Shell, blocks, has_mail
from tests.support.running import eventually
from tests.support.shared_service import SHARE_SERVICE

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def section(title: str) -> str:
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of a table, without its header row."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]


@SHARE_SERVICE
def test_five_minutes_with_curl(service: Service) -> None:
    address, mail_in, data = service.running.address, service.running.mail_in(), service.running.data
    maildir = Maildir(data / "mail")
    shell = Shell(data)
    printed = ""
    try:
        for block in blocks(section("Five minutes with curl") + section("By mail") + section("Clocks"), "sh"):
            for reader in re.findall(r"novaluna mailbox (\S+@\S+)", block):
                eventually(partial(has_mail, maildir, reader))
            here = block.replace("http://127.0.0.1:8080", address).replace("smtp://127.0.0.1:8025", mail_in)
            printed += shell.paste(here.replace(".venv/bin/novaluna", str(Path(sys.executable).with_name("novaluna"))))
    finally:
        shell.close()
    assert "it holds" in printed
    assert '"status":"open"' in printed
    assert "Ann invites you to play Nova Luna by post" in printed
    assert '"from":"22:00","to":"07:00"' in printed and '"seats_taken_back":[]' in printed
    assert '"zone":"Europe/Berlin"' in printed and '{"items":[' in printed  # an answer may have been sent already


def test_the_settings_are_those_of_the_code() -> None:
    table = {name.strip("`"): default.strip("`") for name, default, _ in rows(section("Configuration"))}
    assert set(table) == (config.KNOWN - config.OF_CLIENTS) | {"DATABASE_URL"}
    defaults = {each.name: each.default for each in fields(Settings) if each.default not in (MISSING, None, ())}
    named = {config._READERS[name][0]: default for name, default in table.items() if default}
    spelled = {True: "on", False: "off"}
    assert named == {
        name: spelled[default] if isinstance(default, bool) else str(default) for name, default in defaults.items()
    }


def test_the_commands_are_those_of_the_code() -> None:
    (commands,) = (action for action in cli._parser()._actions if isinstance(action, argparse._SubParsersAction))
    assert {name.split()[1].strip("`") for name, _ in rows(section("Commands"))} == set(commands.choices)


def test_the_procfile_is_quoted_as_it_is() -> None:
    assert (ROOT / "Procfile").read_text() in README


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/RULINGS.md", "docs/FORMATS.md"])
def test_links_lead_to_files(name: str) -> None:
    document = ROOT / name
    text = document.read_text()
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text) + re.findall(r'src(?:set)?="([^"]+)"', text):
        assert (document.parent / target).exists(), target


def test_pictures_are_small() -> None:
    pictures = list((ROOT / "docs").glob("*.png"))
    assert pictures
    assert all(picture.stat().st_size < 200_000 for picture in pictures)
