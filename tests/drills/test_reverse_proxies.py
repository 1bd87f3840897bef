"""The shipped configurations of nginx, Caddy and HAProxy in front of a running service, over TLS."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import pytest

from tests.drills.client import Player, start
from tests.drills.proxies import HOST, PROXIES, Proxy, program, send
from tests.drills.service import Service, open_folder
from tests.support.running import eventually, free_port

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("drills of proxies")]

SIGN_INS = 3
ENVIRON = {
    "NOVALUNA_BASE_URL": f"https://{HOST}",
    "NOVALUNA_TRUSTED_PROXIES": "1",
    "NOVALUNA_LIMIT_SIGN_INS_PER_IP": str(SIGN_INS),
}
MakeProxy = Callable[[str], AbstractContextManager[Proxy]]

LOGGING = pytest.mark.parametrize("make_proxy", ["nginx", "caddy"], indirect=True)
"""HAProxy logs no requests as it is shipped."""

JSON = {"Content-Type": "application/json"}
SECRET = "k3pt-0ut-of-logs"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with open_folder() as folder:
        service = Service(folder, environ=ENVIRON)
        try:
            yield service
        finally:
            service.stop()


@pytest.fixture(scope="module")
def player(service: Service) -> Player:
    [player] = service.sign_up(1)
    return player


@pytest.fixture(params=list(PROXIES))
def make_proxy(request: pytest.FixtureRequest, open_folder: Path) -> MakeProxy:
    program(request.param)
    open_folder.chmod(0o777)  # the account of nginx writes there
    return lambda address: PROXIES[request.param](open_folder, address)


@pytest.fixture
def proxy(service: Service, make_proxy: MakeProxy) -> Iterator[Proxy]:
    with make_proxy(address_of(service)) as proxy:
        yield proxy


def address_of(service: Service) -> str:
    return service.api.addresses[0].removeprefix("http://")


def drawn(client: httpx.Client, path: str, token: dict[str, str]) -> bytes:
    """Return a picture once the service has rendered it; a busy machine first responds with 503."""
    answers: list[httpx.Response] = []

    def is_drawn() -> bool:
        answers.append(send(client, "GET", path, headers=token))
        return answers[-1].status_code != 503

    eventually(is_drawn)
    assert answers[-1].status_code == 200
    return answers[-1].content


@pytest.mark.slow
def test_move_and_picture_pass_through(service: Service, player: Player, proxy: Proxy) -> None:
    game = start(service.api, [player])
    token = {"Authorization": f"Bearer {player.token}"}
    with proxy.client() as client:
        legal = send(client, "GET", f"{game.path}/legal-moves", headers=token).json()
        cell = legal["cells"][0]
        body = {"type": "place", "tile": legal["tiles"][0], "x": cell["x"], "y": cell["y"]}
        tag = send(client, "GET", game.path, headers=token).headers["ETag"]
        moved = send(client, "POST", f"{game.path}/moves", headers=token | {"If-Match": tag}, json=body)
        assert moved.status_code == 201
        seen = send(client, "GET", game.path, headers=token)
        assert seen.content == game.get().content and seen.json()["version"] == 1
        unchanged = send(client, "GET", game.path, headers=token | {"If-None-Match": seen.headers["ETag"]})
        assert unchanged.status_code == 304
        with httpx.Client(base_url=service.api.addresses[0], trust_env=False, timeout=60) as direct:
            for picture in ("board.png", "board.svg"):
                through = drawn(client, f"{game.path}/{picture}", token)
                assert through == drawn(direct, f"{game.path}/{picture}", token)
                assert len(through) > 10_000


@pytest.mark.slow
def test_limits_count_the_address_of_the_client(proxy: Proxy) -> None:
    forged = {"X-Forwarded-For": "198.51.100.7"}

    def sign_in(client: httpx.Client, number: int, headers: dict[str, str]) -> int:
        body = {"email": f"{proxy.tls_port}-{number}@example.org"}
        return send(client, "POST", "/v1/sign-ins", headers=headers, json=body).status_code

    last = 2 + proxy.tls_port % 250  # other addresses than those that the proxy before had
    with proxy.client(f"127.7.0.{last}") as one, proxy.client(f"127.8.0.{last}") as other:
        assert [sign_in(one, number, {}) for number in range(SIGN_INS + 1)] == [202] * SIGN_INS + [429]
        assert sign_in(one, SIGN_INS, forged) == 429
        assert sign_in(other, SIGN_INS, {}) == 202


@pytest.mark.slow
def test_body_that_is_too_large_is_refused_by_the_service(proxy: Proxy) -> None:
    with proxy.client() as client:
        refused = send(client, "POST", "/v1/sign-ins", headers=JSON, content=b" " * 70_000)
    assert (refused.status_code, refused.json()["code"]) == (413, "body_too_large")


@pytest.mark.slow
@pytest.mark.parametrize("make_proxy", ["nginx"], indirect=True)
def test_body_over_a_megabyte_is_refused_by_nginx(proxy: Proxy) -> None:
    with proxy.client() as client:
        refused = send(client, "POST", "/v1/sign-ins", headers=JSON, content=b" " * 1_100_000)
    assert (refused.status_code, refused.headers["Content-Type"]) == (413, "text/html")


@pytest.mark.slow
@LOGGING
def test_logs_hold_paths_without_queries(proxy: Proxy) -> None:
    with proxy.client() as client:
        send(client, "GET", f"/v1/tiles?t={SECRET}", headers={"Referer": f"https://{HOST}/?t={SECRET}"})
    eventually(lambda: "/v1/tiles" in proxy.logged())
    assert SECRET not in proxy.logged()


@pytest.mark.slow
@LOGGING
def test_logs_hold_no_queries_while_the_service_is_down(make_proxy: MakeProxy) -> None:
    with make_proxy(f"127.0.0.1:{free_port()}") as proxy:
        with proxy.client() as client:
            assert send(client, "GET", f"/v1/rules?t={SECRET}").status_code == 502
        eventually(lambda: "/v1/rules" in proxy.logged())
        assert SECRET not in proxy.logged()


@pytest.mark.slow
def test_plain_http_leads_to_tls(proxy: Proxy) -> None:
    answer = httpx.get(f"http://127.0.0.1:{proxy.plain_port}/rules/fr", headers={"Host": HOST}, trust_env=False)
    assert answer.status_code in (301, 308)
    assert answer.headers["Location"].startswith(f"https://{HOST}")
    assert answer.headers["Location"].endswith("/rules/fr")
