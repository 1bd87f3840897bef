"""A request as a curl command that can be pasted into a shell."""

from __future__ import annotations

import json
import shlex
from typing import Any


def curl(url: str, body: dict[str, Any], *, token: bool = True) -> str:
    """The command that POSTs a JSON body; with `token` it takes the bearer token from the shell's variable TOKEN."""
    command = f"curl -X POST {shlex.quote(url)}"
    if token:
        command += ' -H "Authorization: Bearer $TOKEN"'
    return f"{command} -H 'Content-Type: application/json' -d {shlex.quote(json.dumps(body, ensure_ascii=False))}"
