"""Write a request as a curl command to paste into a shell."""

from __future__ import annotations

import json
import shlex
from typing import Any


def curl(url: str, body: dict[str, Any], *, token: bool = True) -> str:
    """Return the command that POSTs a JSON body; with `token`, it uses the shell variable TOKEN as the bearer token."""
    command = f"curl -X POST {shlex.quote(url)}"
    if token:
        command += ' -H "Authorization: Bearer $TOKEN"'
    return f"{command} -H 'Content-Type: application/json' -d {shlex.quote(json.dumps(body, ensure_ascii=False))}"
