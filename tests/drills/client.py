"""A client of the API over real connections: people with tokens, the games that they play, and requests sent again."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import uuid4

import httpx

from engine.moves import RESIGN, Move, from_json, to_json
from tests.running import eventually

PATIENCE = 90.0
"""Seconds in which a service that was killed must answer again."""


@dataclass(frozen=True)
class Player:
    """Somebody who signed in."""

    account: str
    email: str
    token: str


class Api:
    """The API at an address. For any number of threads.

    Attributes:
        unanswered: when a request had to be sent again: what had come instead of an answer.
    """

    def __init__(self, address: str) -> None:
        self.unanswered: Counter[str] = Counter()
        self._http = httpx.Client(
            base_url=address, timeout=PATIENCE, trust_env=False, limits=httpx.Limits(max_connections=None)
        )

    def send(
        self, method: str, path: str, who: Player | None = None, body: Any = None, **headers: str
    ) -> httpx.Response:
        """Sends a request once. Names of headers are given with _ for -. Raises httpx.TransportError."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if who is not None:
            sent["Authorization"] = f"Bearer {who.token}"
        return self._http.request(method, path, json=body, headers=sent)

    def get(self, path: str, who: Player | None = None) -> httpx.Response:
        """A GET, which must be answered with 200."""
        return self.insist("GET", path, who, expected=200)

    def post(self, path: str, who: Player, body: Any = None) -> httpx.Response:
        """A POST with a key of its own, which must be answered with 201."""
        return self.insist("POST", path, who, body, expected=201, Idempotency_Key=str(uuid4()))

    def insist(
        self, method: str, path: str, who: Player | None, body: Any = None, *, expected: int, **headers: str
    ) -> httpx.Response:
        """Sends a request as often as need be, headers and all, until somebody answers it; 503 is no answer.

        Any other answer than the expected one is a failure.
        """
        answers: list[httpx.Response] = []

        def is_answered() -> bool:
            try:
                answer = self.send(method, path, who, body, **headers)
            except httpx.TransportError as error:
                self.unanswered[type(error).__name__] += 1
                return False
            if answer.status_code == 503:
                self.unanswered["503"] += 1
                return False
            answers.append(answer)
            return True

        eventually(is_answered, PATIENCE)
        answer = answers[-1]
        assert answer.status_code == expected, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    def close(self) -> None:
        """Lets go of all connections."""
        self._http.close()


@dataclass
class Game:
    """A game or solo session that has started, as its players know it.

    Attributes:
        path: where it is.
        players: by seat.
        acknowledged: the moves that were answered with 201, by version: seat and move.
    """

    api: Api
    path: str
    players: tuple[Player, ...]
    acknowledged: dict[int, tuple[int, Move]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.path.rpartition("/")[2]

    def get(self, suffix: str = "", who: Player | None = None) -> httpx.Response:
        """What the first player, or another one, gets."""
        return self.api.get(self.path + suffix, who or self.players[0])

    def move(self, chance: Random, resigning: float = 0.0) -> bool:
        """Makes a legal move by chance, or with so much chance has somebody resign; False when the game is over."""
        legal = self.get("/legal-moves").json()
        if legal["seat"] is None:
            return False
        seat = legal["seat"]
        move = _choose(legal, chance)
        if chance.random() < resigning:
            there = [player["seat"] for player in self.get().json()["players"] if not player["left"]]
            seat, move = chance.choice(there), RESIGN
        self.send(seat, move, legal["version"])
        return True

    def send(self, seat: int, move: Move, version: int) -> None:
        """Makes a move for a version of the game, and remembers that it was acknowledged."""
        body = {**to_json(move), "expected_version": version}
        view = self.api.post(f"{self.path}/moves", self.players[seat], body).json()
        assert view["version"] == version + 1
        self.acknowledged[version + 1] = seat, move

    def log(self) -> dict[int, tuple[int, Move]]:
        """All its moves, by version: seat and move, page by page."""
        entries: list[Any] = []
        page = self.get("/moves?limit=50").json()
        while True:
            entries += page["items"]
            if page["next"] is None:
                return {entry["seq"]: (entry["seat"], from_json(entry["move"])) for entry in entries}
            page = self.get(f"/moves?limit=50&cursor={page['next']}").json()


def start(api: Api, players: Iterable[Player], discs: int | str = "full") -> Game:
    """A match of these players that has started; a solo session if it is but one."""
    maker, *guests = players
    if not guests:
        path = f"/v1/solo-sessions/{api.post('/v1/solo-sessions', maker).json()['id']}"
        api.insist("POST", f"{path}/start", maker, expected=200, Idempotency_Key=str(uuid4()))
        return Game(api, path, (maker,))
    made = api.post("/v1/games", maker, {"seats": 1 + len(guests), "discs": discs})
    path = f"/v1/games/{made.json()['id']}"
    for guest in guests:
        api.post(f"{path}/players", guest)
    return Game(api, path, (maker, *guests))


def _choose(legal: Any, chance: Random) -> Move:
    """One of the legal moves; of placements and a refill each is as likely."""
    count = len(legal["tiles"]) * len(legal["cells"])
    if not count or (legal["refill"] and chance.random() < 0.5):
        return from_json({"type": "refill"})
    return from_json({"type": "place", "tile": chance.choice(legal["tiles"]), **chance.choice(legal["cells"])})
