"""Whatever a service answers, `novaluna witness` ends with one of its exit codes and a sentence, and keeps its file."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine import record
from service.checkpoints.endorsements import endorsement
from service.checkpoints.witness_file import WitnessFile
from tests.support.checkpoint_vectors import RECORDS
from tests.support.command_line import run_in
from tests.support.log_server import LogServer, serving
from tests.support.made_log import ORIGIN, MadeLog, entry_at, key

pytestmark = pytest.mark.drill

_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1,
    2**70,
    1.5,
    "",
    "x",
    "\ud800",
    "1",
    [],
    [None],
    {},
    {"log": 1},
    "a" * 5_000,
)


def changed(body: bytes, rng: Random) -> bytes:
    """Return an answer with something in it changed: a value, if it is JSON, or some bytes."""
    if rng.random() < 0.6:
        try:
            return json.dumps(_value_changed(json.loads(body), rng)).encode()
        except ValueError:
            pass  # it is not JSON
    at = rng.randrange(len(body) + 1)
    return rng.choice(
        (
            body[:at],
            body[:at] + bytes([rng.randrange(256)]) + body[at + 1 :],
            body[:at] + rng.randbytes(rng.randrange(40)) + body[at:],
            body + body,
            rng.randbytes(rng.randrange(400)),
        )
    )


def _value_changed(value: Any, rng: Random) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.8:
        name = rng.choice(list(value))
        return {**value, name: _value_changed(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], _value_changed(value[at], rng), *value[at + 1 :]]
    return rng.choice(_VALUES)


class Lying(LogServer):
    """A server that changes about one answer in three."""

    def __init__(self, log: MadeLog, rng: Random) -> None:
        super().__init__(log)
        self.rng = rng

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        status, headers, body = super().answer(path)
        if self.rng.random() < 0.35:
            body = changed(body, self.rng)
        if self.rng.random() < 0.05:
            status = self.rng.choice((204, 206, 301, 404, 429, 500, 503, 599))
        return status, headers, body


def test_changed_answers_give_an_exit_code_and_leave_a_file(tmp_path: Path, amount: Callable[..., int]) -> None:
    rng, codes = Random(16), set()
    for number in range(amount(600, 20)):
        log = MadeLog()
        log.batch([entry_at(RECORDS["a"], 6)])
        file, records = tmp_path / f"{number}.json", tmp_path / "r.jsonl"
        records.write_bytes(record.line(RECORDS["a"]))
        with serving(log, lambda made: Lying(made, rng)) as server:
            server.endorsements = [endorsement(key(ORIGIN, 2), log.keys)]
            for _ in range(3):
                ran = run_in({}, "witness", server.url, "--file", str(file), "--records", str(records))
                assert ran.code in (0, 1, 2)
                assert "Traceback" not in ran.err and (ran.code == 0 or ran.err.startswith("novaluna: "))
                codes.add(ran.code)
                if file.exists():
                    kept = WitnessFile.parse(file.read_bytes())
                    assert kept.known.root == log.checkpoint(kept.known.size).root
                log.batch([entry_at(RECORDS["a"], 12)] if log.size < 512 else ())
    assert codes >= {0, 1}
