"""Explorations of recorded games, valid ones and ones with one fault each, for any verifier to be held to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any

from engine import exploration, record
from engine.bots import BOTS, signature
from engine.draw import Draw, Stream
from engine.moves import END, RESIGN, Mark, Move, from_json, to_json
from engine.record import Object, digest
from engine.view import TableView

DATA = Path(__file__).parents[1] / "data"
VALID_FILE, TAMPERED_FILE = DATA / "exploration-vectors.jsonl", DATA / "tampered-explorations.jsonl"
ORIGINS = ("record-vectors.jsonl", "clock-record-vectors.jsonl")

_WHOLE, _SHARE = 68, 0.4


def origins() -> list[Object]:
    """Return the finished games that are explored: each of the valid vectors whose seed is shown."""
    found = [json.loads(line) for name in ORIGINS for line in (DATA / name).read_bytes().splitlines()]
    return [game for game in found if game["draw"]["server_seed"] is not None]


def explored(game: Object, seq: int, moves: int, *, anew: bool = False, bot: str | None = None) -> Object:
    """Return an exploration of a game from its entry `seq` on.

    Args:
        game: the game's record.
        seq: the last entry that is kept.
        moves: the most moves that follow; the last seat to move of a long one leaves at the end.
        anew: whether the tiles that were not shown by then are drawn anew.
        bot: the bot that makes the moves; None: the player does.
    """
    draw = game["draw"]
    header = {name: game[name] for name in ("format", "rules", "game")}
    header["draw"] = {name: draw[name] for name in ("algorithm", "subject", "commitment", "entropy", "stack")}
    seed = bytes.fromhex(draw["server_seed"])
    tiles = Draw(seed, draw["subject"], tuple(draw["entropy"])).tiles
    state = record.start(header, tiles)
    for entry in game["log"][:seq]:
        state.advance(entry["seat"], from_json(entry["move"]))
    known = state.wheel.shown if anew else _WHOLE
    order = exploration.drawn_anew(tiles, known, b"anew") if anew else tiles
    hashed = game["log"][seq - 1]["hash"] if seq else digest(header)
    whole = exploration.header(header, f"of{game['game']['id']}", seq, hashed, known)
    state, entries, prev = record.start(whole, order), list[Object](), digest(whole)

    def add(at: str, seat: int | None, move: Move, by: str | None) -> None:
        nonlocal prev
        state.advance(seat, move)
        entries.append(record.entry(len(entries) + 1, at, seat, move, by, prev))
        prev = entries[-1]["hash"]

    for entry in game["log"][:seq]:
        add(entry["at"], entry["seat"], from_json(entry["move"]), entry.get("by"))
    at = record.moment(game["log"][-1]["at"]) + timedelta(days=20)
    dice = Stream(b"explored", header["game"]["id"])
    for number in range(moves):
        if state.turn is None:
            break
        move = BOTS[bot or "random"](TableView(state), state.legal_moves(), dice)
        add(record.stamp(at + timedelta(hours=number)), state.turn, move, bot and signature(bot))
    if state.turn is not None and moves % 2:
        add(record.stamp(at + timedelta(days=9)), state.turn, RESIGN, None)
    if state.turn is not None and moves % 3 == 1:
        add(record.stamp(at + timedelta(days=9)), None, END, None)
    shows = state.result is not None and not anew
    names = [None] * header["game"]["seats"]
    return exploration.build(
        header=whole, names=names, entries=entries, state=state, server_seed=seed if shows else None
    )


def valid() -> Iterator[Object]:
    """Yield the explorations of the file of valid ones."""
    for number, game in enumerate(origins()):
        entries = len(game["log"])
        yield explored(game, int(entries * _SHARE), number % 7)
        yield explored(game, 0 if number % 2 else entries - 1, 90, bot="greedy")
        if number % 3 == 0:
            yield explored(game, entries // 3, 5 + number % 4 * 30, anew=True)


def rechained(found: Object) -> Object:
    """Renew all hashes of an exploration and return it; `origin.hash` stays."""
    whole = {name: found[name] for name in ("format", "rules", "game", "origin")}
    draw = {name: found["draw"][name] for name in ("algorithm", "subject", "commitment", "entropy", "stack")}
    prev = digest(whole | {"draw": draw})
    for entry in found["log"]:
        entry["prev"] = prev
        prev = entry["hash"] = digest({name: value for name, value in entry.items() if name != "hash"})
    return found


def _faults(good: Object) -> Iterator[tuple[str, Callable[[Any], object], str, int | None]]:
    """Yield what is wrong, how to make it so, and the code and the entry that a verifier must give."""
    seq, id = good["origin"]["seq"], good["game"]["id"]
    later = seq + 1
    yield "no origin", lambda it: it.pop("origin"), "record", None
    yield "a game with an origin", lambda it: it.update(format=record.FORMAT), "record", None
    yield "another format", lambda it: it.update(format="nova-luna-exploration/2"), "record", None
    yield "an origin that is no object", lambda it: it.update(origin=7), "header", 0
    yield "an origin without its hash", lambda it: it["origin"].pop("hash"), "header", 0
    yield "an unknown field of the origin", lambda it: it["origin"].update(at=1), "header", 0
    yield "it explores itself", lambda it: it["origin"].update(game=id), "header", 0
    yield "a game without a name", lambda it: it["origin"].update(game=""), "header", 0
    yield "a negative number", lambda it: it["origin"].update(seq=-1), "header", 0
    yield "a hash in upper case", lambda it: it["origin"].update(hash="A" * 64), "header", 0
    yield "ten tiles", lambda it: it["origin"].update(tiles=10), "header", 0
    yield "sixty-nine tiles", lambda it: it["origin"].update(tiles=69), "header", 0
    yield "another game", lambda it: it["origin"].update(game="other"), "origin", 0
    yield "another hash", lambda it: it["origin"].update(hash="0" * 64), "origin", 0
    yield "left one entry later", lambda it: it["origin"].update(seq=seq + 1), "origin", 0
    yield "left after the log", lambda it: it["origin"].update(seq=len(good["log"]) + 9), "origin", 0
    yield (
        "another time of an entry of the origin",
        lambda it: it["log"][0].update(at=good["game"]["started_at"]),
        ("origin"),
        0,
    )
    yield "another bot in an entry of the origin", lambda it: it["log"][0].update(by="bot:other"), "origin", 0
    yield "a mark", lambda it: it["log"][seq].update(move=to_json(Mark("thanks"))), "origin", later
    yield "a timeout", lambda it: it["log"][seq].update(move={"type": "timeout"}), "origin", later
    yield "the host ends it", lambda it: _end(it, seq), "origin", later
    yield "another tile", lambda it: it["log"][seq]["move"].update(tile=99), "entry", later
    yield "another start", lambda it: it["game"].update(goal_discs=19), "origin", 0


def _end(found: Any, seq: int) -> None:
    entry = found["log"][seq]
    entry.pop("by", None)
    entry.update(seat=None, by="host", move={"type": "end"})


def tampered() -> Iterator[Object]:
    """Yield the objects of the file of tampered ones."""
    matches = [game for game in origins() if game["game"]["kind"] == "match" and len(game["log"]) > 9]
    for game in matches[:2]:
        good = explored(game, 6, 4)
        for why, tamper, code, entry in _faults(good):
            bad: Any = deepcopy(good)
            tamper(bad)
            if isinstance(bad.get("origin"), dict):
                bad = rechained(bad)
            line = record.line(bad).decode()
            yield {"why": f"{why}, in {good['game']['id']}", "line": line, "code": code, "entry": entry}
    anew = explored(matches[1], 6, 200, anew=True)
    anew["draw"]["server_seed"] = matches[1]["draw"]["server_seed"]
    yield {
        "why": "a seed of tiles that were drawn anew",
        "line": record.line(anew).decode(),
        "code": "draw",
        "entry": 0,
    }


def lines(found: Iterator[Object]) -> bytes:
    """Return the lines of a file."""
    return b"".join(map(record.line, found))
