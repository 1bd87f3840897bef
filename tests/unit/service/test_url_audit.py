"""The command `novaluna audit --url`: what it reads from a service, which may break off, lie, or never end."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engine import record, simulate
from engine.forms import LONGEST
from service import service_records
from service.api import export_stream, exports
from service.api.export_forms import RECORDS as RECORDS_FORM
from service.service_records import ServiceRecords
from service.url_audit import TOKEN
from service.witness.errors import NotReached
from tests.support.command_line import Ran, run_in
from tests.support.http_games import Game, SignUp, play_out, start, start_solo
from tests.support.served import served
from tests.support.web import Person

RECORDS = list(simulate.records(6, 2, "url", "random"))
IDS = [json.loads(line)["game"]["id"] for line in RECORDS]


@pytest.fixture
def ann(sign_up: SignUp) -> Person:
    return sign_up("Ann")


@pytest.fixture
def games(client: FlaskClient, sign_up: SignUp, ann: Person) -> list[Game]:
    """Return a finished game, a running one and a running solo of Ann, and a private one."""
    ben = sign_up("Ben")
    made = [start(client, ann, ben, discs=5), start(client, ann, ben), start_solo(client, ann)]
    private = {"seats": 2, "bots": 1, "visibility": "private"}
    made.append(Game(client.post("/v1/games", json=private, headers=ann.headers).headers["Location"], (ann,), client))
    play_out(made[0])
    made[1].move()
    made[2].move()
    return made


@pytest.fixture
def service(app: Flask) -> Iterator[str]:
    with served(app) as address:
        yield address


def audit(url: str, *options: str, token: str = "") -> Ran:
    return run_in({TOKEN: token}, "audit", "--url", url, *options)


def test_all_games_of_a_player_are_verified(service: str, games: list[Game], ann: Person) -> None:
    assert audit(service, "--player", ann.account) == (0, "", "novaluna: 2 records, 0 of them broken\n")
    own = audit(service, token=ann.token)
    assert own == (0, "", "novaluna: 4 records, 0 of them broken\n")
    assert audit(service, "--after", games[1].id, token=ann.token).err == "novaluna: 2 records, 0 of them broken\n"


def test_one_game_or_solo_is_verified(service: str, games: list[Game], ann: Person, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{ann.token}\n")
    one = (0, "", "novaluna: 1 records, 0 of them broken\n")
    assert audit(service, "--game", games[0].id) == one
    for game in games:
        assert audit(service, "--game", game.id, "--token-file", str(file)) == one
    hidden = audit(service, "--game", games[3].id)
    assert (hidden.code, hidden.out) == (2, "")
    both = f"/v1/games/{games[3].id}/record or /v1/solo-sessions/{games[3].id}/record: HTTP 404"
    assert both in hidden.err


@pytest.fixture
def explored(client: FlaskClient, games: list[Game], ann: Person) -> list[str]:
    """Return the ids of three explorations of Ann."""
    begun = [
        client.post(f"{game.path}/explorations", json={"seq": 1}, headers=ann.headers)
        for game in (games[0], games[0], games[2])
    ]
    return [each.get_json()["id"] for each in begun]


def test_ones_own_explorations_are_verified_too(service: str, explored: list[str], ann: Person) -> None:
    assert audit(service, token=ann.token) == (0, "", "novaluna: 7 records, 0 of them broken\n")
    assert audit(service, "--exploration", explored[1], token=ann.token).err.startswith("novaluna: 1 records, 0 ")
    hidden = audit(service, "--exploration", explored[1])
    assert hidden.code == 2 and "give an access token" in hidden.err
    assert {each.game for each in ServiceRecords(service, ann.token).explorations()} == set(explored)


def test_a_download_that_the_service_ends_is_gone_on_with(
    service: str, games: list[Game], ann: Person, monkeypatch: pytest.MonkeyPatch, quick: list[float]
) -> None:
    monkeypatch.setattr(export_stream, "LONGEST", 0.0)
    monkeypatch.setattr(exports, "RECORDS", RECORDS_FORM._replace(page=1))
    lines = list(ServiceRecords(service, ann.token).of_player(None))
    assert [each.game for each in lines] == [game.id for game in games]
    assert quick == [1.0] * len(games)


class Stranger:
    """A service that sends whatever it is told to.

    Attributes:
        asked: the paths that it was asked for.
        answers: what it sends to each request in turn, the last one for ever: status, headers, pieces of the body.
    """

    def __init__(self, *answers: tuple[int, dict[str, str], list[bytes]]) -> None:
        self.asked: list[str] = []
        self.answers = list(answers)

    @contextmanager
    def at_work(self) -> Iterator[str]:
        stranger = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, headers, body = stranger.answers[min(len(stranger.asked), len(stranger.answers) - 1)]
                stranger.asked.append(self.path)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for piece in body:
                    self.wfile.write(piece)

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def end(records: int, unreadable: int = 0) -> bytes:
    told = {"complete": True, "format": "nova-luna-export/1", "records": records, "unreadable": unreadable}
    return record.canonical(told) + b"\n"


def sent(*body: bytes, status: int = 200, **headers: str) -> tuple[int, dict[str, str], list[bytes]]:
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, list(body)


def told(stranger: Stranger, *options: str) -> Ran:
    with stranger.at_work() as url:
        return audit(url, *(options or ("--player", "somebody")))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Make nobody wait, and return how long was asked to."""
    waited: list[float] = []
    made = ServiceRecords.__init__
    monkeypatch.setattr(ServiceRecords, "__init__", lambda self, url, token: made(self, url, token, waited.append))
    return waited


def test_a_broken_record_is_named_by_its_game() -> None:
    tampered = RECORDS[1].replace(b'"seq":2', b'"seq":3', 1)
    found = told(Stranger(sent(RECORDS[0], tampered, b"nothing\n", RECORDS[2], end(4))))
    assert found.code == 1 and found.err == "novaluna: 4 records, 2 of them broken\n"
    first, second = found.out.splitlines()
    assert first.startswith(f"game {IDS[1]}: entry 2: entry: ") and second.startswith("record 3: spelling: ")


def test_what_broke_off_is_asked_for_again_after_the_last_game() -> None:
    stranger = Stranger(
        sent(RECORDS[0], RECORDS[1][:100]),
        sent(RECORDS[1], RECORDS[2], Content_Length="999999"),
        sent(b"nothing\n", RECORDS[3][:50]),
        sent(b"nothing\n", RECORDS[3], end(2)),
    )
    found = told(stranger)
    assert found.err == "novaluna: 5 records, 1 of them broken\n" and found.code == 1
    path = "/v1/players/somebody/games.ndjson"
    assert stranger.asked == [path, f"{path}?after={IDS[0]}", *[f"{path}?after={IDS[2]}"] * 2]


def test_a_service_that_never_comes_to_an_end_is_given_up(quick: list[float]) -> None:
    stranger = Stranger(sent(RECORDS[0]), sent())
    found = told(stranger)
    assert found.code == 2 and len(stranger.asked) == service_records.TRIES + 1
    assert f"to go on, add --after {IDS[0]}" in found.err and "the download ended before its last line" in found.err
    assert quick == [1.0, 2.0, 4.0, 8.0, 16.0]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (sent(status=404), "HTTP 404"),
        (sent(status=301, Location="https://elsewhere.example/"), "HTTP 301"),
        (sent(status=503, Retry_After="3600"), "HTTP 503"),
        (sent(status=429, Retry_After="2"), "HTTP 429"),
        (sent(RECORDS[0], end(7)), "its last line tells of 7 records, and 1 came"),
    ],
)
def test_what_is_no_download_is_said(answer: tuple[int, dict[str, str], list[bytes]], why: str) -> None:
    found = told(Stranger(answer))
    assert found.code == 2 and why in found.err


def test_a_service_that_asks_to_wait_is_waited_for(quick: list[float]) -> None:
    found = told(Stranger(sent(status=429, Retry_After="7"), sent(RECORDS[0], end(1))))
    assert (found.code, quick) == (0, [7])


def test_games_that_the_service_left_out_are_no_success() -> None:
    found = told(Stranger(sent(RECORDS[0], end(1, unreadable=2))))
    assert found.code == 1 and "has left out 2 games" in found.err


def test_a_line_without_end_takes_no_more_memory_than_a_record_may() -> None:
    endless = [b"x" * 1_000_000] * (LONGEST // 1_000_000 + 3)
    found = told(Stranger(sent(*endless, b"\n", RECORDS[0], end(2))))
    assert found.code == 1 and found.err == "novaluna: 2 records, 1 of them broken\n"
    assert found.out == "record 1: spelling: the line feed at the end is missing\n"
    one = told(Stranger(sent(*endless)), "--game", "any")
    assert (one.code, one.out) == (1, found.out)


def test_another_games_record_is_no_answer() -> None:
    found = told(Stranger(sent(RECORDS[0])), "--game", IDS[1])
    assert found.code == 1 and f"this is another game's record, not that of {IDS[1]}" in found.out


def test_explorations_come_page_by_page_and_are_no_games(quick: list[float]) -> None:
    explored = (Path(__file__).parents[2] / "data" / "exploration-vectors.jsonl").read_bytes().splitlines(True)[:3]
    tampered = explored[1].replace(b'"seq":1}', b'"seq":2}', 1)
    onward = '</v1/me/explorations.ndjson?limit=20&cursor=a%3D>; rel="next"'
    stranger = Stranger(
        sent(end(0)),
        sent(explored[0], tampered, Link=onward),
        sent(explored[2][:99], Content_Length="9999"),
        sent(explored[2], RECORDS[0]),
    )
    with stranger.at_work() as url:
        found = audit(url, token="token")
    first, second = found.out.splitlines()
    assert found.code == 1 and first.startswith("record 2: entry 1: entry: ")
    assert second.startswith(f"exploration {IDS[0]}: ") and "4 records, 2 of them broken" in found.err
    path = "/v1/me/explorations.ndjson"
    assert stranger.asked == ["/v1/me/games.ndjson", path, *[f"{path}?cursor=a%3D"] * 2]
    game = told(Stranger(sent(explored[0], end(1))))
    assert game.code == 1 and game.out.startswith("record 1: record: ")


def test_pages_without_end_are_given_up() -> None:
    onward = '</v1/me/explorations.ndjson?cursor=a>; rel="next"'
    with Stranger(sent(end(0)), sent(Link=onward)).at_work() as url:
        found = audit(url, token="token")
    assert found.code == 2 and "names a page again" in found.err


def test_a_service_without_explorations_has_none() -> None:
    with Stranger(sent(RECORDS[0], end(1)), sent(status=404)).at_work() as url:
        assert audit(url, token="token") == (0, "", "novaluna: 1 records, 0 of them broken\n")


def test_no_record_at_all_is_no_success() -> None:
    assert told(Stranger(sent(end(0)))) == (2, "", "novaluna: 0 records, 0 of them broken\n")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ((), "give --player, --game, or an access token"),
        (("--player", "a", "--game", "b"), "--game is one game"),
        (("--game", "a", "--exploration", "b"), "--game is one game"),
        (("--exploration", "a", "--after", "b"), "--exploration is one exploration"),
        (("--all",), "give one of them"),
        (("file", "--player", "a"), "--url reads no files"),
        (("--player", "a", "--state", "s"), "--state does not go with --url"),
        (("--player", "a", "--proof", "s"), "--proof does not go with --url"),
        (("--player", "a", "--token-file", "/nowhere"), "/nowhere: No such file"),
    ],
)
def test_options_that_do_not_go_together_are_named(options: tuple[str, ...], why: str) -> None:
    found = audit("http://127.0.0.1:1", *options)
    assert (found.code, found.out) == (2, "") and why in found.err


def test_a_token_is_sent_only_where_nobody_can_read_it(make_url: Callable[[str], NotReached]) -> None:
    assert "https:// alone" in str(make_url("http://nova.example"))
    found = audit("http://127.0.0.1:1", token="a b")
    assert found.code == 2 and "visible ASCII" in found.err


@pytest.fixture
def make_url() -> Callable[[str], NotReached]:
    """Return a function that gives an access token to the service at an address, and returns why it is refused."""

    def refused(url: str) -> NotReached:
        with pytest.raises(NotReached) as caught:
            ServiceRecords(url, "token")  # type: ignore[call-arg, unused-ignore]
        return caught.value

    return refused


def test_addresses_that_are_none_are_refused() -> None:
    for url in ("nova.example", "ftp://nova.example", "http://a b", "https://user@nova.example", "https://a..b"):
        found = audit(url, "--player", "a")
        assert found.code == 2 and "the address of a service" in found.err
    away = audit("http://127.0.0.1:1", "--player", "a")
    assert away.code == 2 and "refused" in away.err


def test_a_service_that_was_never_there_is_not_waited_for(quick: list[float]) -> None:
    service = ServiceRecords("http://127.0.0.1:1", None)
    for records in (service.of_player("a"), service.of_game("a"), service.explorations()):
        with pytest.raises(NotReached, match=r"^127\.0\.0\.1:1 can't be reached: Connection refused$"):
            list(records)
    assert quick == []
