"""Schemathesis as a third party runs it: on the served document, over HTTP, in all its phases, with a token.

The contract tests call each operation in a scene of its own; here it has to find its way by itself, by the links of the
document.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drills.service import Service
from tests.support.shared_service import SHARE_SERVICE

pytestmark = [pytest.mark.drill, pytest.mark.long, SHARE_SERVICE]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = 750
CASES = 20_000
"""The fewest requests that are sent."""

GENERATED = re.compile(r"(\d+) generated")
ENDS_THE_TOKEN = ("deleteMe", "revokeToken")


def test_nothing_is_found(service: Service) -> None:
    [person] = service.sign_up(1, "fuzzed")
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        f"--config-file={ROOT / 'schemathesis.toml'}",
        "run",
        f"{service.running.address}/openapi.json",
        f"--header=Authorization: Bearer {person.token}",
        "--phases=examples,coverage,fuzzing,stateful",
        f"--max-examples={EXAMPLES}",
        "--request-timeout=60",
        *(f"--exclude-operation-id={operation}" for operation in ENDS_THE_TOKEN),
    ]
    ran = subprocess.run(command, cwd=service.folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    generated = GENERATED.search(ran.stdout)
    assert generated, ran.stdout
    assert int(generated[1]) >= CASES
    service.check_records()
