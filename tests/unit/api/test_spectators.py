"""What anybody was shown of a table, nobody is shown an earlier state of, in whatever order responses end."""

from __future__ import annotations

from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest
from flask import Flask

from service.api.context import context_of
from service.api.responses import ApiResponse
from service.api.spectators import Spectators
from service.store.replicas import Replica, Replicas

TABLE = "AbCdEfGh2345"


class Usable(Replicas):
    """Replicas of which the first is always used."""

    def usable(self) -> Replica | None:
        return self.replicas[0]


@pytest.fixture
def spectators(app: Flask) -> Spectators:
    def connect() -> Any:
        raise AssertionError("no statement is run")

    return Spectators(context_of(app), Usable([Replica("one", connect, 1)], connect))


def response(tag: str) -> ApiResponse:
    return ApiResponse(200, b"{}", {"ETag": f'"{tag}"'})


def asked(spectators: Spectators, tag: str, known: str = "") -> ApiResponse | None:
    """Ask for a table of which the replica has the state with this tag."""
    environ: dict[str, Any] = {"PATH_INFO": f"/v1/games/{TABLE}"} | (
        {"HTTP_IF_NONE_MATCH": f'"{known}"'} if known else {}
    )
    setup_testing_defaults(environ)
    return spectators.answer(lambda *_, **__: response(tag), environ, "match", TABLE)


def test_an_older_response_that_ends_later_lets_no_older_state_through(spectators: Spectators) -> None:
    spectators.note(TABLE, response("6-1-abcdef12"))
    spectators.note(TABLE, response("5-1-abcdef12"))  # it was read before, and took longer
    assert asked(spectators, "5-1-abcdef12") is None
    assert asked(spectators, "6-1-abcdef12") is not None and asked(spectators, "6-2-abcdef12") is not None
    assert asked(spectators, "6-1-abcdef12") is None


def test_a_state_before_the_readers_own_is_asked_of_the_primary(spectators: Spectators) -> None:
    assert asked(spectators, "5-1-abcdef12", known="5-2-abcdef12") is None
    assert asked(spectators, "5-2-abcdef12", known="5-2-abcdef12") is not None


def test_a_table_before_its_first_move_is_shown_by_the_replica(spectators: Spectators) -> None:
    assert asked(spectators, "0-1-abcdef12") is not None
    spectators.note(TABLE, response("0-3-abcdef12"))
    assert asked(spectators, "0-2-abcdef12") is None
