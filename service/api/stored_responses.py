"""Responses stored under an ``Idempotency-Key``: compare a repeated request, and return its response again."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from service.api.requests import ApiRequest
from service.api.responses import ApiResponse
from service.errors import Malformed
from service.store.idempotency import StoredResponse


def repeated(stored: StoredResponse, request: ApiRequest) -> ApiResponse:
    """Return the stored response; refuse (422) if it was the response to another body."""
    if stored.body_hash != body_hash(request.json()):
        raise Malformed(
            "idempotency_key_reused",
            "This Idempotency-Key was used before with another body; use a new key for a new request.",
        )
    return ApiResponse(stored.status, stored.body.encode(), stored.headers)


def body_hash(data: Any) -> bytes:
    """Return the SHA-256 of parsed JSON, however it was written. None (no body) has the same hash as ``{}``."""
    plain = {} if data is None else _plain(data)
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).digest()


def _plain(data: Any) -> Any:
    """Return the data with 6.0 as 6, because JSON has them as the same number."""
    if isinstance(data, float) and data.is_integer():
        return int(data)
    if isinstance(data, dict):
        return {name: _plain(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_plain(value) for value in data]
    return data
