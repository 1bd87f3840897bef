"""Responses stored under an ``Idempotency-Key``: what is compared of a request that comes again, and what it gets."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from service.api.requests import ApiRequest
from service.api.responses import ApiResponse
from service.errors import Malformed
from service.store.idempotency import Kept


def repeated(stored: Kept, request: ApiRequest) -> ApiResponse:
    """Return the response that was given before; refuses (422) if that was to another body than this request's."""
    if stored.body_hash != body_hash(request.json()):
        raise Malformed(
            "idempotency_key_reused",
            "This Idempotency-Key came before with another body; make a new one for a new request.",
        )
    return ApiResponse(stored.status, stored.body.encode(), stored.headers)


def body_hash(data: Any) -> bytes:
    """Return the SHA-256 of parsed JSON, the same for all its spellings. None, no body, is the same as an empty one."""
    plain = {} if data is None else _plain(data)
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).digest()


def _plain(data: Any) -> Any:
    """Return the data with 6.0 as 6: one number, however it was spelled."""
    if isinstance(data, float) and data.is_integer():
        return int(data)
    if isinstance(data, dict):
        return {name: _plain(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_plain(value) for value in data]
    return data
