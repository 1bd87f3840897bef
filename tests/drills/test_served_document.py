"""Schemathesis as a third party runs it: on the served document, over HTTP, in all its phases, with a token.

The contract tests call each operation in a scene of its own; here it has to find its way by itself, by the links of the
document.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.drills.service import Service

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("drills of one service")]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES, FEW = 750, 10
CASES = 20_000
"""The fewest requests that the full drill sends; a hundredth of them otherwise."""

GENERATED = re.compile(r"(\d+) generated")
ENDS_THE_TOKEN = ("deleteMe", "revokeToken")


def test_nothing_is_found(service: Service, amount: Callable[[int], int]) -> None:
    [person] = service.sign_up(1, "fuzzed")
    in_full = amount(EXAMPLES) == EXAMPLES
    examples = EXAMPLES if in_full else FEW
    phases = "examples,coverage,fuzzing,stateful" if in_full else "examples,stateful"
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        f"--config-file={ROOT / 'schemathesis.toml'}",
        "run",
        f"{service.running.address}/openapi.json",
        f"--header=Authorization: Bearer {person.token}",
        f"--phases={phases}",
        f"--max-examples={examples}",
        "--request-timeout=60",
        *([] if in_full else ["--generation-deterministic"]),
        *(f"--exclude-operation-id={operation}" for operation in ENDS_THE_TOKEN),
    ]
    ran = subprocess.run(command, cwd=service.folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    generated = GENERATED.search(ran.stdout)
    assert generated, ran.stdout
    assert int(generated[1]) >= (CASES if in_full else CASES // 100)
    service.check_records()
