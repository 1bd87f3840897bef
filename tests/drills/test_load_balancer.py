"""HAProxy, by the shipped configuration, in front of two hosts of the service of which some lose their database."""

import json
import re
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from service.language.languages import ENGLISH
from service.webserver import canned_responses
from tests.drills.proxies import OPS, Proxy, haproxy, program, send
from tests.drills.service import Service, open_folder
from tests.support.running import eventually, free_port
from tests.unit.webserver.web_server import serve

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("drills of proxies")]

_MANY = 20


def ask_often(proxy: Proxy) -> set[tuple[int, str]]:
    """Send requests in a row and return their results: each status, with the code of the problem or the state."""
    with proxy.client() as client:
        answers = [send(client, "GET", "/readyz/web") for _ in range(_MANY)]
    return {(answer.status_code, answer.json().get("code") or answer.json()["status"]) for answer in answers}


@pytest.mark.slow
def test_host_without_its_database_gets_no_requests(tmp_path: Path) -> None:
    program("haproxy")
    with open_folder() as folder, ExitStack() as stack:
        service = Service(folder)
        stack.callback(service.stop)
        for name in ("alone", "front"):
            (tmp_path / name).mkdir()
        alone = stack.enter_context(contextmanager(serve)(tmp_path / "alone", free_port()))
        hosts = (service.running.address.removeprefix("http://"), f"127.0.0.1:{alone.port}")
        proxy = stack.enter_context(haproxy(tmp_path / "front", *hosts))
        eventually(lambda: ask_often(proxy) == {(200, "ready")})
        service.stop_processes()
        eventually(lambda: ask_often(proxy) == {(503, "not_ready")})  # it says why, unlike HAProxy
        service.restart()
        eventually(lambda: ask_often(proxy) == {(200, "ready")})


def test_overloaded_host_is_no_failed_check() -> None:
    (expected,) = re.findall(r"http-check expect rstring '(.*)'", (OPS / "haproxy" / "haproxy.cfg").read_text())
    refusal = canned_responses.overloaded(ENGLISH, closing=True, bare=False)
    assert re.search(expected, refusal.decode())
    assert re.search(expected, json.dumps({"status": "ready", "checks": {"database": "ok"}}))
    assert not re.search(expected, json.dumps({"code": "not_ready", "status": 503}))
