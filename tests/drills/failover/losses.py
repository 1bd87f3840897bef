"""Clients and checks where a failover may lose the last moves, because no commit waits for a standby.

A client that finds its game in an earlier state reads it again, and goes on from there. What it finds must be a
beginning of what was acknowledged.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from random import Random

from tests.drills import checks
from tests.drills.client import Api, Game, Player, UnexpectedAnswerError
from tests.drills.clients import Clients
from tests.drills.fault_rig import FaultRig


class LosingClients(Clients):
    """Clients that go on from what a game has come back to.

    Attributes:
        lost: how many acknowledged moves are gone.
        tables: how many tables are gone, or open again.
    """

    def __init__(self, api: Api, people: Sequence[Player], count: int) -> None:
        super().__init__(api, people, count)
        self.lost = self.tables = 0
        self._over: set[str] = set()

    def settle(self) -> None:
        """Read all games again that were not over the last time, and take back what was lost of each."""
        for game in [game for game in self.games if game.id not in self._over]:
            if self._read_again(game):
                if game not in self._going_on.values():
                    self._going_on[-1 - len(self._going_on)] = game
            else:
                self._over.add(game.id)

    def _move(self, game: Game, chance: Random) -> bool:
        try:
            return super()._move(game, chance)
        except UnexpectedAnswerError:
            return self._read_again(game)

    def _begin(self, players: Sequence[Player]) -> Game:
        while True:
            try:
                return super()._begin(players)
            except UnexpectedAnswerError:
                self.tables += 1

    def _read_again(self, game: Game) -> bool:
        """Take over what a game has come back to; return whether it goes on."""
        found = self.api.answer("GET", game.path, game.players[0])
        status = found.json()["status"] if found.status_code == 200 else None
        if status not in ("running", "finished"):
            self.games.remove(game)
            self.lost += len(game.acknowledged)
            self.tables += 1
            return False
        log, had = game.log(), game.acknowledged
        kept = sum(1 for _ in takewhile(lambda seq: log.get(seq) == had[seq], sorted(had)))
        assert len(log) - kept <= 1, "there are moves that nobody made"  # one may have been refused by `Game.note`
        if kept < len(had):
            self.lost += len(had) - kept
            game.last = None
        game.acknowledged, game.is_over = log, status == "finished"
        return not game.is_over


class LosingRig(FaultRig):
    """Games of which moves may be lost; what was mailed about these is not wrong, but another history's."""

    def check_mails(self, games: list[Game]) -> None:
        """Check that each wait of the history that holds has its mail, which names this history."""
        assert self.relay is not None
        self.relay.mails_by_name()
        with self.service.database() as connection:
            for game in games:
                for key in checks.mails_of(game)[1]:
                    kind, _, number, *_ = key.split(".")
                    seq = int(number) if kind == "turn" else max(game.acknowledged)
                    heads = connection.execute(_HEAD, [game.id, seq]).fetchall()
                    histories = [history for name, _, history in map(_parts, self.relay.ids) if name == key]
                    assert histories, f"{key} was not mailed"
                    assert all(head.startswith(tuple(histories)) for (head,) in heads), (key, heads, histories)
            assert connection.execute(_FAILED).fetchall() == []


def _parts(message_id: str) -> tuple[str, str, str]:
    """Return the key of a mail, and the history that it is of."""
    return message_id.partition("+")


_HEAD = """
SELECT encode(hash, 'hex') FROM log JOIN tables ON tables.key = log.game WHERE tables.id = %s AND seq = %s
"""

_FAILED = "SELECT task_name, args FROM procrastinate_jobs WHERE status NOT IN ('todo', 'doing', 'succeeded')"
