"""The kinds of mail have the same names in Python and in SQL."""

import pytest
from sqlalchemy import Engine, text

from service.store import mail_kinds
from service.store.mail_kinds import MailKind

KINDS = [kind for kind in vars(mail_kinds).values() if isinstance(kind, MailKind)]


@pytest.mark.parametrize("account", ["acct", None])
def test_a_mail_has_one_key_and_lock_in_python_and_in_sql(engine: Engine, account: str | None) -> None:
    assert len(KINDS) == 12
    for kind in KINDS:
        ids = {part: f"{part}1" for part in (*kind.parts, *kind.lock_parts)}
        expressions = {part: f"'{id}'" for part, id in ids.items()}
        if kind.may_lack_account:
            ids["account"], expressions["account"] = account, "CAST(:account AS text)"  # type: ignore[assignment]
        query = f"SELECT {kind.key_sql(**expressions)}, {kind.lock_sql(**expressions)}"
        with engine.connect() as connection:
            asked = {"account": account} if kind.may_lack_account else {}
            row = connection.execute(text(query.replace("':'", "'\\:'")), asked).one()
        assert tuple(row) == (kind.key(**ids), kind.lock(**ids))


def test_the_names_of_mails_that_were_sent_stay_the_same() -> None:
    assert mail_kinds.TURN.key(game="g", wait=7, account="a") == "turn.g.7.a"
    assert mail_kinds.TURN.lock(game="g", wait=7) == "turn:g:7"
    assert mail_kinds.CODE.key(code="c", account=None) == "code.c"
    assert mail_kinds.ANSWER.key(incoming=3, whom="account", account="a") == "answer.3.account.a"
    assert mail_kinds.ADDRESS_CHANGED.key(code="c", account="a") == "address-changed.c.a"
