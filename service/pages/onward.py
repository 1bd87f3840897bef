"""Check the address to which a sign-in leads back, so that nothing leads to another site."""

from __future__ import annotations

import re

from flask import current_app, request

_ONWARD = re.compile(r"/(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+|/invitation\?link=[A-Za-z0-9_.-]+")


def checked(address: str) -> str | None:
    """Return an address that names a page of this site, which may be an invitation link's; None if it does not."""
    return address if _ONWARD.fullmatch(address) else None


def page_of_form() -> str:
    """Return the page that the form in this request is on: the one its field `onward` names, or else the nearest above.

    A page is above a form if its path is the beginning of the form's.
    """
    named = checked(request.form.get("onward", ""))
    adapter, path = current_app.create_url_adapter(request), request.path
    assert adapter is not None, "there is a request"
    while path and not adapter.test(path, "GET"):
        path = path.rpartition("/")[0]
    return named or path or "/"
