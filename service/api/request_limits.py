"""Middleware that limits how many requests to the API a caller makes, and reports in each response how many are left.

The forms of the pages count as requests of the network that they come from: each may write to the database.

A request is counted by its access token or, if it has none, by the network it comes from. Whether a token is valid is
found out by the code that answers, and anybody could make tokens up. So a token that this process has not seen yet is
counted by the network too, in a budget of its own: people who share their network with many who have no token are not
held up by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import Flask, request

from engine.phrases import Phrase
from service.access.limits import Limit, by_network
from service.access.request_budgets import BudgetStanding, RequestBudget
from service.api import errors, rate_limit_headers
from service.api.application_context import Context
from service.api.cors import API
from service.api.requests import ApiRequest
from service.errors import LimitReached, Unauthorized
from service.store.budget_leases import leasing

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_DETAILS = {
    Limit.REQUESTS_PER_TOKEN: Phrase("This access token has made too many requests within a minute; try again later."),
    Limit.REQUESTS_PER_IP: Phrase(
        "Too many requests came from your network within a minute; sign in, or try again later."
    ),
    Limit.NEW_TOKENS_PER_IP: Phrase("Too many access tokens came from your network within a minute; try again later."),
}

_UNAUTHORIZED = "401"

_FORMS = Phrase("Too many forms came from your network within a minute; try again later.")
_REFUSAL = "novaluna.refusal"
"""The key of the WSGI environment for the refusal of a form, which the application shows as a page."""


class _Counted(NamedTuple):
    """A request that was counted in a budget."""

    budget: _Budget
    standing: BudgetStanding

    def headers(self) -> list[tuple[str, str]]:
        left = rate_limit_headers.state_value(self.budget.policy, self.standing.left, self.standing.seconds)
        return [self.budget.header, (rate_limit_headers.STATE, left)]

    def limit_reached(self, detail: Phrase | None = None) -> LimitReached:
        """Return the refusal of this request, with the detail of its limit unless another one is given."""
        detail, policy = detail or _DETAILS[self.budget.limit], self.budget.policy
        return LimitReached("too_many_requests", detail, retry_after=self.standing.seconds, policy=policy)


class _Budget:
    """The budget of a limit, and how clients see it."""

    def __init__(self, context: Context, limit: Limit, amount: int) -> None:
        self.limit = limit
        self.policy = limit.policy(amount)
        self.header = rate_limit_headers.POLICY, rate_limit_headers.policy_value(self.policy)
        lease = leasing(context.pool, context.settings.secret_keys[0], self.policy, context.clock)
        self.requests = RequestBudget(self.policy, lease)

    def take(self, subject: bytes) -> _Counted:
        return _Counted(self, self.requests.take(subject))


class _NetworkBudget:
    """The budgets of a visitor's network and, for IPv6, of the wider one around it."""

    def __init__(self, context: Context, limit: Limit, amount: int) -> None:
        hits = by_network(limit, amount, "::1")
        self._budgets = [_Budget(context, limit, hit.amount) for hit in hits]

    def take(self, ip: str) -> _Counted:
        """Count a request in each budget, and return the first one that allows no more, or else the narrowest one."""
        first: _Counted | None = None
        for budget, subject in zip(self._budgets, _networks(ip), strict=False):
            counted = budget.take(subject)
            if not counted.standing.is_allowed:
                return counted
            first = first or counted
        assert first is not None, "every address is in a network"
        return first


class RequestLimits:
    """Middleware around an application that calls `start_response` before it returns the body.

    `per_token` and `per_ip` are the requests that are allowed in a minute; 0 means no limit.
    """

    def __init__(self, app: WSGIApplication, context: Context, *, per_token: int, per_ip: int) -> None:
        self._app = app
        self._tokens = _Budget(context, Limit.REQUESTS_PER_TOKEN, per_token) if per_token else None
        self._networks = _NetworkBudget(context, Limit.REQUESTS_PER_IP, per_ip) if per_ip else None
        self._newcomers = _NetworkBudget(context, Limit.NEW_TOKENS_PER_IP, per_ip) if per_ip else None

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not environ["PATH_INFO"].startswith(API):
            if environ["REQUEST_METHOD"] == "POST" and self._networks is not None:
                form = self._networks.take(environ.get("REMOTE_ADDR", ""))
                if not form.standing.is_allowed:
                    environ[_REFUSAL] = form.limit_reached(_FORMS)
            return self._app(environ, start_response)
        asked = ApiRequest(environ)
        try:
            token = asked.token_hash()
        except Unauthorized:  # the code that answers says so
            token = None
        counted = self._count(token, environ.get("REMOTE_ADDR", ""))
        if counted is None:
            return self._app(environ, start_response)
        if not counted.standing.is_allowed:
            return errors.of_refusal(counted.limit_reached(), asked.language()).send(start_response)

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Callable[[bytes], object]:
            headers.extend(self._recounted(counted, token, status).headers())
            return start_response(status, headers, *error)

        return self._app(environ, start)

    def _count(self, token: bytes | None, ip: str) -> _Counted | None:
        """Count a request in the budget that it belongs to; return None if that has no limit."""
        if token is None:
            return None if self._networks is None else self._networks.take(ip)
        if self._tokens is None:
            return None
        tokens = self._tokens.requests
        if self._newcomers is None or tokens.is_exact or tokens.knows(token):
            return self._tokens.take(token)
        return self._newcomers.take(ip)

    def _recounted(self, counted: _Counted, token: bytes | None, status: str) -> _Counted:
        """Count a request in the budget of its token, if that was new and the response shows that it is valid."""
        is_new = counted.budget.limit is Limit.NEW_TOKENS_PER_IP
        if not is_new or token is None or self._tokens is None or status.startswith(_UNAUTHORIZED):
            return counted
        return self._tokens.take(token)


def init_app(app: Flask, context: Context) -> None:
    """Limit the requests to an application's API, as its settings say."""
    amounts = context.settings.limit_requests_per_token, context.settings.limit_requests_per_ip
    if any(amounts):
        app.before_request(_refuse_form)
        limits = RequestLimits(app.wsgi_app, context, per_token=amounts[0], per_ip=amounts[1])
        app.wsgi_app = limits  # type: ignore[method-assign]  # as Flask's documentation has it


def _refuse_form() -> None:
    """Raise the refusal that the middleware has found for a form."""
    refusal: LimitReached | None = request.environ.get(_REFUSAL)
    if refusal is not None:
        raise refusal


@lru_cache(maxsize=4096)
def _networks(ip: str) -> tuple[bytes, ...]:
    return tuple(hit.subject.encode() for hit in by_network(Limit.REQUESTS_PER_IP, 1, ip))
