"""The steps of docs/OPERATING.md from one machine to several, with the hosts of a drill in place of those there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.drills.failover.network import Host

OPERATING = Path(__file__).parents[3] / "docs" / "OPERATING.md"

_COMMAND = re.compile(r"^(?P<host>[a-z]+[0-9]?)[#$] (?P<command>(?:.*\\\n)*.*)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(?:console|sh|sql)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ADDRESS = re.compile(r"10\.0\.0\.1([1-3])\b")


class Step(NamedTuple):
    """A command of the document, and the host that it is for there."""

    host: str
    command: tuple[str, ...]


def section(title: str) -> str:
    """Return the text below a heading, up to the next one."""
    return OPERATING.read_text().partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def blocks(title: str) -> list[str]:
    """Return the contents of the blocks of commands, settings and SQL below a heading."""
    return [found[1] for found in _BLOCK.finditer(section(title))]


_THREE = "Three Postgres, of which one may fail"


def commands(title: str) -> list[Step]:
    """Return all commands below a heading, in their order."""
    return [
        Step(found["host"], tuple(shlex.split(found["command"].replace("\\\n", " "))))
        for found in _COMMAND.finditer(section(title))
    ]


STEPS = commands(_THREE)
"""The commands that lead to several hosts."""


def step(*begins: str) -> tuple[str, ...]:
    """Return the arguments of the only one of them that begins so."""
    (found,) = (each.command for each in STEPS if each.command[: len(begins)] == begins)
    return found


def etcd(host: Host, hosts: Sequence[Host], data: Path) -> dict[str, str]:
    """Return the settings of etcd on a host."""
    told = example("ETCD_NAME")
    own = {name: value.replace("10.0.0.11", host.address).replace("pg1", host.name) for name, value in told.items()}
    cluster = placed(told["ETCD_INITIAL_CLUSTER"], hosts)
    return own | {"ETCD_INITIAL_CLUSTER": cluster, "ETCD_DATA_DIR": str(data)}


def example(first: str) -> dict[str, str]:
    """Return the settings that the document shows in the block that begins with this one."""
    (told,) = (each for each in blocks(_THREE) if each.startswith(f"{first}="))
    return dict(word.split("=", 1) for word in shlex.split(told))


def placed(text: str, hosts: Sequence[Host]) -> str:
    """Return a text with the addresses of these hosts of the database."""
    return _ADDRESS.sub(lambda found: hosts[int(found[1]) - 1].address, text)


def settings(hosts: Sequence[Host], password: str, others: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the service's hosts, with these in place of those that are examples."""
    told = example("DATABASE_URL")
    return {name: placed(value, hosts).replace("…", password) for name, value in told.items()} | dict(others)


def roles(password: str) -> list[str]:
    """Return the statements that make the roles and the database."""
    (told,) = (each for each in blocks("The database's roles") if each.startswith("CREATE ROLE"))
    return told.replace("…", password).splitlines()
