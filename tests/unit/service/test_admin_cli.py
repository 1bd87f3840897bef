"""The commands that look after accounts and games, through the real command line."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

from service.store.base import engine_url
from tests.support import world
from tests.support.command_line import run


class CommandLine:
    """`novaluna` on a database, and a session to look at it."""

    def __init__(self, database_url: str, data: Path) -> None:
        self._database_url, self._data = database_url, data
        self.engine = create_engine(engine_url(database_url))

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        return run(arguments, self._database_url, self._data)


@pytest.fixture
def novaluna(database_url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(database_url, tmp_path)


def values(novaluna: CommandLine, query: str) -> list[tuple[object, ...]]:
    with novaluna.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def test_accounts_are_found_by_id_address_and_name(novaluna: CommandLine) -> None:
    with Session(novaluna.engine) as session, session.begin():
        ann = world.account(session, "Ann")
        world.account(session, "Annabel")
        world.account(session, "Ben")
        world.match(session, ann, world.account(session, "Ben"))
    for wanted, count in ((ann, 1), ("ANN", 2), ("ben@example.org", 1), ("example", 3), ("%", 0), ("nobody", 0)):
        code, found, told = novaluna("account", "find", wanted)
        assert (code, len(found.splitlines()), told) == (0, count, "")
    assert novaluna("account", "find", ann)[1].startswith(
        f"{ann}  ann@example.org  Ann  0 tokens, 1 running games, since "
    )


def test_an_account_is_suspended_and_taken_back(novaluna: CommandLine) -> None:
    with Session(novaluna.engine) as session, session.begin():
        ann = world.account(session, "Ann")
    assert novaluna("account", "suspend", "Ann@example.org") == (0, "", "novaluna: suspended\n")
    assert novaluna("account", "suspend", ann) == (0, "", "novaluna: it was suspended already\n")
    assert values(novaluna, "SELECT suspended_at IS NOT NULL FROM accounts") == [(True,)]
    assert ", suspended on " in novaluna("account", "find", ann)[1]
    assert novaluna("account", "unsuspend", ann) == (0, "", "novaluna: no longer suspended\n")
    assert novaluna("account", "unsuspend", ann) == (0, "", "novaluna: it was not suspended\n")
    assert values(novaluna, "SELECT suspended_at FROM accounts") == [(None,)]


def test_an_account_is_renamed_at_its_tables_too(novaluna: CommandLine) -> None:
    with Session(novaluna.engine) as session, session.begin():
        world.open_table(session, world.account(session, "Ann"))
    assert novaluna("account", "rename", "ann@example.org", " Anna  B. ") == (
        0, "", "novaluna: the account is called Anna B. now\n",
    )  # fmt: skip
    assert values(novaluna, "SELECT name, revision FROM accounts, tables") == [("Anna B.", 1)]
    code, _, told = novaluna("account", "rename", "ann@example.org", "www.example.org")
    assert code == 2 and "A name must not look like a web address" in told


def test_all_tokens_are_revoked(novaluna: CommandLine) -> None:
    with Session(novaluna.engine) as session, session.begin():
        ann, ben = (world.account(session, name) for name in ("Ann", "Ben"))
        for number, account in enumerate((ann, ann, ben)):
            session.execute(
                text("INSERT INTO tokens (id, account, hash, created_at) VALUES (:id, :account, :hash, now())"),
                {"id": f"token{number:07}", "account": account, "hash": bytes([number]) * 32},
            )
    assert novaluna("account", "revoke-tokens", ann) == (0, "", "novaluna: 2 tokens revoked\n")
    assert values(novaluna, "SELECT account FROM tokens") == [(ben,)]


def test_an_unknown_account_is_refused(novaluna: CommandLine) -> None:
    for command in (("suspend",), ("unsuspend",), ("revoke-tokens",)):
        code, printed, told = novaluna("account", *command, "nobody@example.org")
        assert (code, printed) == (1, "") and "There is no such account" in told


def test_stuck_games_are_listed_the_longest_waiting_first(novaluna: CommandLine) -> None:
    with Session(novaluna.engine) as session, session.begin():
        people = [world.account(session, name) for name in ("Ann", "Ben")]
        games = [world.match(session, *people) for _ in range(3)]
        for days, game in ((20, games[0]), (40, games[1]), (1, games[2])):
            session.execute(
                text("UPDATE progress SET last_at = now() - :span FROM tables WHERE key = game AND id = :game"),
                {"span": timedelta(days=days), "game": game},
            )
        session.execute(text("UPDATE accounts SET mail_stopped_at = now(), suspended_at = now()"))
    code, listed, told = novaluna("games", "stuck")
    assert (code, told) == (0, "")
    assert [line.split()[0] for line in listed.splitlines()] == [games[1], games[0]]
    assert "no mail arrives there, suspended" in listed.splitlines()[0]
    assert len(novaluna("games", "stuck", "--days", "30")[1].splitlines()) == 1


def test_wrong_arguments_are_refused(novaluna: CommandLine) -> None:
    for arguments in (("account",), ("account", "find"), ("games",), ("games", "stuck", "--days", "-1")):
        assert novaluna(*arguments)[0] == 2
