"""Read ids from the fields of forms, as the URL converter `<id:…>` reads them from paths."""

from __future__ import annotations

from flask import request

from service.api.converters import id_or_none


def posted_id(field: str) -> str:
    """Return the id in a field of the form in this request, or `NO_ID` for any other text.

    Both are safe to look up in the database, which refuses some texts, such as one with a NUL character.
    """
    return id_or_none(request.form.get(field, ""))
