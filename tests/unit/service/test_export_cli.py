"""`novaluna export --parquet`: what is in the file, that its length takes no memory, and what is refused."""

from __future__ import annotations

import csv
import importlib.util
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

from engine.moves import RESIGN
from engine.story import MoveRow
from service import export_cli, parquet_file
from service.commands.play import play
from service.queries import data_set, exports, moves_csv
from service.queries.data_set import PublicGame, public_games
from service.store.base import engine_url
from tests.support import world
from tests.support.clock import NOW
from tests.support.command_line import run

AT = datetime(2026, 11, 27, 20, 56, 0, 123_000, tzinfo=UTC)


@pytest.fixture
def session(database_url: str) -> Iterator[Session]:
    engine = create_engine(engine_url(database_url))
    with Session(engine) as opened:
        yield opened
    engine.dispose()


@pytest.fixture
def over(session: Session) -> str:
    """Return the id of a finished public match beside a running one, a private one and a solo."""
    ann, ben = (world.account(session, name) for name in ("Ann", "Ben"))
    table = world.with_bots(session, ann, ben)
    for _ in range(9):
        world.move(session, table)
    for seat in range(2):
        play(session, world.loaded(session, table), seat, RESIGN, None, NOW)
    world.move(session, world.match(session, ann, ben))
    private = world.with_bots(session, ann, visibility="private")
    play(session, world.loaded(session, private), 0, RESIGN, None, NOW)
    solo = world.solo(session, ann)
    play(session, world.loaded(session, solo), 0, RESIGN, None, NOW)
    session.commit()
    return table


def exported(database_url: str, folder: Path, *, file: str = "games.parquet") -> tuple[int, str, str]:
    return run(("export", "--parquet", str(folder / file)), database_url, folder)


def test_the_file_has_the_moves_of_finished_public_games(
    session: Session, database_url: str, tmp_path: Path, over: str
) -> None:
    code, _, told = exported(database_url, tmp_path)
    table = pq.read_table(tmp_path / "games.parquet")
    assert (code, told) == (0, f"novaluna: 1 games, {table.num_rows} moves\n")
    loaded = world.loaded(session, over)
    expected = list(csv.DictReader(StringIO(moves_csv.of_table(loaded).decode(), newline="")))
    assert set(table["game"].to_pylist()) == {over} and table.schema.equals(parquet_file.SCHEMA)
    for column in MoveRow._fields:
        if column != "at":
            found = ["" if value is None else str(value) for value in table[column].to_pylist()]
            assert found == [row[column] for row in expected], column
    assert [at.astimezone(UTC) for at in table["at"].to_pylist()] == [
        datetime.fromisoformat(row["at"]) for row in expected
    ]


def test_players_are_known_by_their_ids_alone(session: Session, database_url: str, tmp_path: Path, over: str) -> None:
    ann, ben = world.loaded(session, over).accounts
    session.execute(
        text("UPDATE accounts SET erased_at = now(), email = NULL, name = NULL WHERE id = :id"), {"id": ben}
    )
    session.commit()
    assert exported(database_url, tmp_path)[0] == 0
    table = pq.read_table(tmp_path / "games.parquet")
    players = dict(zip(table["seat"].to_pylist(), table["player"].to_pylist(), strict=True))
    assert players == {0: ann, 1: None, 2: None}
    assert "name" not in table.schema.names and b"Ann" not in (tmp_path / "games.parquet").read_bytes()


def test_the_rank_is_that_of_who_moved(session: Session, database_url: str, tmp_path: Path, over: str) -> None:
    result = world.loaded(session, over).state.result
    assert result is not None and result.ranking is not None
    exported(database_url, tmp_path)
    table = pq.read_table(tmp_path / "games.parquet")
    assert all(
        result.ranking[rank - 1] == seat
        for seat, rank in zip(table["seat"].to_pylist(), table["rank"].to_pylist(), strict=True)
    )
    assert set(table["reason"].to_pylist()) == {"left"}


def test_games_beyond_a_page_are_read_too(session: Session, over: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = world.loaded(session, over).accounts[0]
    for _ in range(2):
        more = world.with_bots(session, ann)
        play(session, world.loaded(session, more), 0, RESIGN, None, NOW)
    session.commit()
    monkeypatch.setattr(data_set, "PAGE", 1)
    found = [game.id for game in public_games(session)]
    assert len(found) == 3 and found[0] == over


def test_a_damaged_game_is_left_out(session: Session, over: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read_line = exports._line
    assert len(list(public_games(session))) == 1

    def damaged(header: str, *columns: Any) -> bytes:
        return read_line(header, *columns).replace(b'"seat":0', b'"seat":1')

    monkeypatch.setattr(exports, "_line", damaged)
    assert list(public_games(session)) == []


def test_rows_are_written_in_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_file, "ROWS", 4)
    move = MoveRow(1, AT, 0, None, "place", 17, 0, -1, 1, 2**40, 19, 3, None)
    game = PublicGame("g", "1", 2, 20, AT, "ended", None, ("p", None), (move,) * 3)
    assert parquet_file.write(tmp_path / "f", iter([game] * 5)) == (5, 15)
    file = pq.ParquetFile(tmp_path / "f")
    assert [file.metadata.row_group(place).num_rows for place in range(file.num_row_groups)] == [6, 6, 3]
    first = file.read().to_pylist()[0]
    assert (first["think"], first["x"], first["y"], first["rank"], first["player"]) == (2**40, 0, -1, None, "p")


def test_a_site_without_games_gives_an_empty_file(tmp_path: Path) -> None:
    assert parquet_file.write(tmp_path / "f", iter(())) == (0, 0)
    assert pq.read_table(tmp_path / "f").num_rows == 0


def test_a_file_is_replaced_once_the_new_one_is_complete(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"old")

    def broken() -> Iterator[PublicGame]:
        raise OSError("broken")
        yield

    with pytest.raises(OSError, match="broken"):
        parquet_file.write(file, broken())
    assert file.read_bytes() == b"old" and list(tmp_path.iterdir()) == [file]


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert export_cli.export_parquet(tmp_path / "f", None) == 2
    assert "pip install 'nova-luna-by-post[parquet]'" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_named(database_url: str, tmp_path: Path) -> None:
    code, _, told = exported(database_url, tmp_path, file="nowhere/f")
    assert code == 1 and "nowhere/f can't be written: " in told
