"""Picture limits: board.png is rendered once, for players before strangers, and a number of times for each client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle
from threading import Event

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.api import boards
from service.pictures import on_demand
from service.pictures.renderers import Renderers
from tests.support.clock import Clock
from tests.support.http_games import Game, SignUp, start
from tests.support.running import eventually
from tests.support.suspending import resume, suspend
from tests.support.web import Person

MakeApp = Callable[..., Flask]
SMALL = "part=track"


class Counting(Renderers):
    """A single renderer that counts its pictures and refuses nobody."""

    def __init__(self) -> None:
        super().__init__(1, 30, 120.0, niceness=0)
        self.asked = 0

    def png(self, draw: Callable[[], str], width: int, rank: int = 0, within: float | None = None) -> bytes:
        self.asked += 1
        return super().png(draw, width, rank, within)

    def hold(self) -> Callable[[], None]:
        """Block the renderer, and return the function that releases it."""
        renderer = self._free[-1]
        assert renderer is not None
        suspend(renderer.pid)
        return partial(resume, renderer.pid)


@pytest.fixture
def renderers() -> Iterator[Counting]:
    made = Counting()
    yield made
    made.close()


@pytest.fixture
def game(client: FlaskClient, ann: Person, sign_up: SignUp) -> Game:
    started = start(client, ann, sign_up("Ben"))
    for _ in range(3):
        started.move()
    return started


def ask(app: Flask, game: Game, query: str, who: Person | None = None, ip: str = "203.0.113.7") -> TestResponse:
    headers = {} if who is None else who.headers
    path = f"{game.path}/board.png?{query}"
    return app.test_client().get(path, headers=headers, environ_overrides={"REMOTE_ADDR": ip})


def new_ones() -> Iterator[str]:
    """Yield queries for pictures of three moves, each only once."""
    parts, schemes, languages = ("table", "display", "wheel", "track"), ("light", "dark"), ("en", "fr", "es", "de")
    return (
        f"at={at}&part={part}&scheme={scheme}&language={language}&seat={seat}"
        for at in range(4)
        for language in languages
        for scheme in schemes
        for part in parts
        for seat in (0, 1)
    )


@pytest.mark.slow
@pytest.mark.drill
def test_strangers_who_want_ever_new_pictures_hold_up_no_player(
    make_app: MakeApp, renderers: Counting, game: Game, ann: Person, amount: Callable[..., int]
) -> None:
    app = make_app(limit_pictures_per_ip=3)
    boards.Pictures(renderers, room=4).init_app(app)
    over, queries = Event(), cycle(list(new_ones()))

    def stranger(number: int) -> list[int]:
        statuses = []
        while not over.is_set():
            statuses.append(ask(app, game, next(queries), ip=f"203.0.113.{number}").status_code)
        return statuses

    with ThreadPoolExecutor(amount(20, 6)) as threads:
        strangers = [threads.submit(stranger, number) for number in range(amount(20, 6))]
        try:
            eventually(lambda: renderers.asked > 2)
            own = [ask(app, game, f"{SMALL}&at={at}&scheme=dark", ann).status_code for at in range(4)]
        finally:
            over.set()
        statuses = {status for each in strangers for status in each.result()}
    assert own == [200] * 4
    assert statuses <= {200, 429, 503} and 503 in statuses


def test_places_are_left_for_spectators_and_more_for_players(
    app: Flask, renderers: Counting, game: Game, ann: Person, sign_up: SignUp
) -> None:
    eve = sign_up("Eve")
    boards.Pictures(renderers, room=4).init_app(app)
    assert ask(app, game, SMALL).status_code == 200
    go_on = renderers.hold()
    queries = new_ones()
    with ThreadPoolExecutor(9) as threads:
        waiting = []
        for who, places in ((None, 2), (eve, 1), (ann, 1)):
            for _ in range(places):
                waiting.append(threads.submit(ask, app, game, next(queries), who))
                eventually(lambda: boards_inside(app) == len(waiting))
            refused = ask(app, game, next(queries), who)
            assert (refused.status_code, refused.get_json()["code"]) == (503, "pictures_busy")
        go_on()
        assert [each.result().status_code for each in waiting] == [200] * 4


def test_a_player_does_not_wait_for_a_renderer_that_gets_no_time(
    app: Flask, renderers: Counting, game: Game, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_demand, "HURRY", 0.2)
    boards.Pictures(renderers, room=4, quick=(quick := Counting())).init_app(app)
    assert ask(app, game, SMALL).status_code == 200
    renderers.hold()  # forever, as on a machine that stays busy
    for at in range(3):
        assert ask(app, game, f"{SMALL}&at={at}", ann).status_code == 200
    assert (renderers.asked, quick.asked) == (2, 3), "once it is known it is not tried again for a while"
    quick.close()


@pytest.mark.parametrize(("threads", "room"), [(1, 1), (8, 4), (9, 4)])
def test_pictures_hold_half_of_the_threads_at_most(make_app: MakeApp, threads: int, room: int) -> None:
    app = make_app(web_threads=threads)
    del app.extensions["novaluna-pictures"]  # those that tests share
    with app.app_context():
        assert boards._pictures()._room == room


def boards_inside(app: Flask) -> int:
    pictures: boards.Pictures = app.extensions["novaluna-pictures"]
    return pictures.on_demand._inside


def test_a_picture_that_many_ask_for_at_once_is_drawn_once(app: Flask, renderers: Counting, game: Game) -> None:
    boards.Pictures(renderers, room=12).init_app(app)
    assert ask(app, game, SMALL).status_code == 200
    go_on = renderers.hold()
    with ThreadPoolExecutor(10) as threads:
        ten = [threads.submit(ask, app, game, f"{SMALL}&scheme=dark") for _ in range(10)]
        eventually(lambda: boards_inside(app) == 10)
        go_on()
        pictures = {each.result().data for each in ten}
    assert len(pictures) == 1 and renderers.asked == 2


def test_a_picture_is_kept_by_what_it_shows(app: Flask, renderers: Counting, game: Game, ann: Person) -> None:
    boards.Pictures(renderers).init_app(app)
    answers = [ask(app, game, SMALL)]
    for name in ("Zoe", "Ann"):
        game.client.patch("/v1/me", json={"name": name}, headers=ann.headers)
        answers.append(ask(app, game, SMALL))
    assert len({answer.headers["ETag"] for answer in answers}) == 3
    first, second, third = (answer.data for answer in answers)
    assert first == third != second and renderers.asked == 2


def test_new_pictures_have_a_budget_for_each_who_asks(
    make_app: MakeApp, renderers: Counting, game: Game, ann: Person, sign_up: SignUp, clock: Clock
) -> None:
    app, eve = make_app(limit_pictures_per_account=2, limit_pictures_per_ip=1), sign_up("Eve")
    boards.Pictures(renderers).init_app(app)
    first = ask(app, game, SMALL)
    clock.advance(minutes=50)
    refused = ask(app, game, f"{SMALL}&at=1")
    assert (refused.status_code, refused.get_json()["code"], refused.headers["Retry-After"]) == (
        429,
        "too_many_pictures",
        "600",
    )
    assert ask(app, game, SMALL).data == first.data, "one that is kept costs nothing"
    unchanged = app.test_client().get(
        f"{game.path}/board.png?{SMALL}&language=fr", headers={"If-None-Match": first.headers["ETag"]}
    )
    assert unchanged.status_code == 304
    assert ask(app, game, f"{SMALL}&at=1", ip="203.0.113.8").status_code == 200
    for who in (ann, eve):
        statuses = [
            ask(app, game, f"at=2&{SMALL}&language={lang}&seat={who is ann:d}", who).status_code
            for lang in ("en", "fr", "de")
        ]
        assert statuses == [200, 200, 429]
    clock.advance(minutes=10)
    assert ask(app, game, f"{SMALL}&at=0").status_code == 200


def test_a_picture_that_is_not_to_be_had_spends_nothing(make_app: MakeApp, renderers: Counting, game: Game) -> None:
    app = make_app(limit_pictures_per_ip=1)
    boards.Pictures(Renderers(0, 0, 1.0)).init_app(app)
    assert [ask(app, game, SMALL).status_code for _ in range(3)] == [503] * 3
    for query in ("seat=7", "at=99", "part=x"):
        assert ask(app, game, query).status_code in (404, 422)
    boards.Pictures(renderers).init_app(app)
    assert ask(app, game, SMALL).status_code == 200
