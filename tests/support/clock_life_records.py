"""The record of a simulated life of a real match, as the service would export it."""

from collections.abc import Iterator
from typing import Any

from engine import record
from engine.draw import Draw
from engine.moves import END, RESIGN, TIMEOUT, Mark, Move, from_json

NAMES = ("Ada", "Ben", "Zoë", "Đorđe")
OTHERS: dict[str, Move] = {"resign": RESIGN, "timeout": TIMEOUT, "end": END}


def moves(line: dict[str, Any], expected: dict[str, Any]) -> Iterator[Move]:
    """Yield the moves of the events that were not refused."""
    refused = {(each["at"], each["seat"]) for each in expected["refused"] if each["type"] == "move"}
    for event in line["events"]:
        if event["type"] == "move" and (event["at"], event["seat"]) not in refused:
            yield from_json(event["move"])


def line_of_record(line: dict[str, Any], expected: dict[str, Any]) -> bytes:
    """Return the record of a life: the moves of its events, and the marks that are expected."""
    given = line["settings"]["draw"]
    draw = Draw(bytes.fromhex(given["server_seed"]), given["subject"], tuple(given["entropy"]))
    started = next(event["at"] for event in line["events"] if event["type"] == "start")
    header = record.header(
        game=draw.subject, kind="match", goal_discs=20, created_at=started, started_at=started, subject=draw.subject,
        commitment=draw.commitment, entropy=draw.entropy, stack=draw.stack,
    )  # fmt: skip
    state = record.start(header, draw.tiles)
    played = moves(line, expected)
    entries: list[record.Object] = []
    prev = record.digest(header)
    for row in expected["log"]:
        move = next(played) if row["kind"] == "move" else OTHERS.get(row["kind"]) or Mark(row["kind"], row.get("data"))
        state.advance(row["seat"], move)
        entries.append(record.entry(row["seq"], row["at"], row["seat"], move, row.get("by"), prev))
        prev = entries[-1]["hash"]
    names = NAMES[: len(draw.entropy)]
    seed = draw.server_seed if state.result else None
    return record.line(record.build(header=header, names=names, entries=entries, state=state, server_seed=seed))
