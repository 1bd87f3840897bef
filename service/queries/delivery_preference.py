"""Find out, just before a mail is sent, who gets it, how they want it, and whether it was sent before.

This is asked in one statement before the mail is composed, so an unwanted mail costs almost nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.queries import replay
from service.queries.table import load
from service.store import mail_kinds
from service.store.deliveries import Mail

_TURN = f"""
    SELECT {mail_kinds.TURN.key_sql(game="tables.id", wait=":wait", account="account.id")} AS key,
           account.id AS account, tables.id AS game,
           coalesce(game.mail, preference.turn_mail, 'at_once') AS how, account.mail_stopped_at IS NOT NULL AS stopped,
           account.email AS address, coalesce(log.at, progress.last_at) AS since
      FROM tables
      JOIN progress ON progress.game = tables.key AND progress.wait_seq = CAST(:wait AS smallint)
      JOIN accounts account ON account.id = progress.turn_account
      LEFT JOIN notifications preference ON preference.account = account.id
      LEFT JOIN game_notifications game ON game.account = account.id AND game.game = tables.key
      LEFT JOIN log ON log.game = tables.key AND log.seq = CAST(:wait AS smallint)
     WHERE tables.id = :game
"""

_OF_TABLE = """
    SELECT {key} AS key, account.id AS account, tables.id AS game,
           coalesce(game.mail, preference.{kind}_mail, 'at_once') AS how,
           account.mail_stopped_at IS NOT NULL AS stopped,
           account.email AS address, coalesce(progress.ended_at, tables.closed_at) AS since
      FROM tables
      JOIN accounts account ON account.id = :account
      LEFT JOIN progress ON progress.game = tables.key
      LEFT JOIN notifications preference ON preference.account = account.id
      LEFT JOIN game_notifications game ON game.account = account.id AND game.game = tables.key
     WHERE tables.id = :game
"""

# Messages have a switch of their own (muted ones are not read here), and follow the preference for the game's mails.
_TALK = f"""
    SELECT {mail_kinds.TALK.key_sql(game="tables.id", message="CAST(:message AS text)", account="account.id")} AS key,
           account.id AS account,
           tables.id AS game,
           coalesce(game.mail, CASE WHEN preference.end_mail = 'digest' THEN 'digest' ELSE 'at_once' END) AS how,
           account.mail_stopped_at IS NOT NULL AS stopped, account.email AS address, messages.at AS since
      FROM tables
      JOIN accounts account ON account.id = :account
      JOIN messages ON messages.game = tables.key AND messages.number = CAST(:message AS integer)
      LEFT JOIN notifications preference ON preference.account = account.id
      LEFT JOIN game_notifications game ON game.account = account.id AND game.game = tables.key
     WHERE tables.id = :game
"""

# A step concerns everybody at the table, and stopping the mails of the game stops it too.
_STEP = f"""
    SELECT {mail_kinds.STEP.key_sql(game="tables.id", seq="CAST(:seq AS text)", account="account.id")} AS key,
           account.id AS account, tables.id AS game,
           CASE WHEN game.mail = 'off' THEN 'off' ELSE 'at_once' END AS how,
           account.mail_stopped_at IS NOT NULL AS stopped, account.email AS address, log.at AS since
      FROM tables
      JOIN accounts account ON account.id = :account
      JOIN log ON log.game = tables.key AND log.seq = CAST(:seq AS smallint)
      LEFT JOIN game_notifications game ON game.account = account.id AND game.game = tables.key
     WHERE tables.id = :game
"""

_REMINDER = f"""
    SELECT {mail_kinds.REMINDER.key_sql(account="account.id", at="CAST(:at AS text)")} AS key,
           account.id AS account, NULL AS game,
           coalesce(preference.reminder_mail, 'at_once') AS how, account.mail_stopped_at IS NOT NULL AS stopped,
           account.email AS address, to_timestamp(CAST(:at AS bigint) / 1000.0) AS since
      FROM accounts account
      LEFT JOIN notifications preference ON preference.account = account.id
     WHERE account.id = :account
"""

_INVITATION = f"""
    SELECT {mail_kinds.INVITATION.key_sql(invitation="invitations.id")} AS key,
           account.id AS account, tables.id AS game,
           coalesce(preference.invitation_mail, 'at_once') AS how, account.mail_stopped_at IS NOT NULL AS stopped,
           account.email AS address, invitations.created_at AS since
      FROM invitations
      JOIN tables ON tables.key = invitations.game
      JOIN accounts account
           ON account.id = coalesce(invitations.account, (SELECT id FROM accounts WHERE email = invitations.email))
      LEFT JOIN notifications preference ON preference.account = account.id
     WHERE invitations.id = :invitation
"""

# Codes are sent even if other mails came back: signing in with one proves that the address accepts mail again.
_CODE = f"""
    SELECT {mail_kinds.CODE.key_sql(code="codes.id", account="codes.account")} AS key,
           account.id AS account, NULL AS game,
           'at_once' AS how, false AS stopped, codes.email AS address, codes.created_at AS since
      FROM codes
      JOIN accounts account ON account.id = codes.account OR codes.account IS NULL AND account.email = codes.email
     WHERE codes.id = :code
"""

_ADDRESS_CHANGED = f"""
    SELECT {mail_kinds.ADDRESS_CHANGED.key_sql(code="codes.id", account="codes.account")} AS key,
           codes.account AS account, NULL AS game,
           'at_once' AS how, false AS stopped, codes.former_email AS address, codes.used_at AS since
      FROM codes
     WHERE codes.id = :code AND codes.account IS NOT NULL
"""

_DIGEST = f"""
    SELECT {mail_kinds.DIGEST.key_sql(account="account.id", day=":day")} AS key,
           account.id AS account, NULL AS game, 'at_once' AS how,
           account.mail_stopped_at IS NOT NULL AS stopped, account.email AS address,
           CAST(NULL AS timestamptz) AS since
      FROM accounts account
     WHERE account.id = :account
"""

# Whoever sends a mail wants the reply, so no preference holds it back. A mail from the account's own address is
# answered even if earlier mails came back; a mail from elsewhere does not prove that the address works.
_ANSWER = f"""
    SELECT {mail_kinds.ANSWER.key_sql(incoming="incoming.id", whom="CAST(:whom AS text)", account="account.id")} AS key,
           account.id AS account,
           incoming.outcome ->> 'game' AS game, 'at_once' AS how,
           CAST(:whom AS text) = 'account' AND account.mail_stopped_at IS NOT NULL AS stopped,
           account.email AS address,
           incoming.received_at AS since
      FROM incoming
      JOIN accounts account ON account.id = incoming.outcome ->> 'account'
     WHERE incoming.id = CAST(:incoming AS bigint)
"""


def _of_table(kind: mail_kinds.MailKind) -> str:
    return _OF_TABLE.format(kind=kind.name, key=kind.key_sql(game="tables.id", account="account.id"))


_KINDS = {
    "mail_turn": ("turn", _TURN),
    "mail_end": ("end", _of_table(mail_kinds.END)),
    "mail_closed": ("closed", _of_table(mail_kinds.CLOSED)),
    "mail_talk": ("talk", _TALK),
    "mail_step": ("step", _STEP),
    "mail_reminder": ("reminder", _REMINDER),
    "mail_invitation": ("invitation", _INVITATION),
    "mail_code": ("code", _CODE),
    "mail_address_changed": ("address_changed", _ADDRESS_CHANGED),
    "mail_digest": ("digest", _DIGEST),
    "mail_answer": ("answer", _ANSWER),
}
_ASK = {
    job: (
        kind,
        text(f"""
            SELECT asked.key, account, game, how, stopped, address, since, kept.state IN ('sent', 'bounced')
              FROM ({asked}) AS asked LEFT JOIN LATERAL (
                   SELECT state FROM deliveries WHERE deliveries.key = asked.key
              ) AS kept ON true
        """),
    )
    for job, (kind, asked) in _KINDS.items()
}


class DeliveryPreference(NamedTuple):
    """A mail to an account, and how it is to be delivered.

    Attributes:
        mail: the mail.
        how: the delivery preference (`service.store.delivery_preferences.HOWS`).
        stopped: whether mails to the account's address come back.
        address: the address of this mail; None if there is none any more.
        since: when the mail was called for, if that is known.
        sent: whether it was sent before.
    """

    mail: Mail
    how: str
    stopped: bool
    address: str | None
    since: datetime | None
    sent: bool


def delivery_preference(session: Session, job: str, ids: dict[str, int | str]) -> DeliveryPreference | None:
    """Return the delivery preference for the mail of a job with these arguments.

    Returns None if the mail does not go to an account, or if there is no recipient any more.
    """
    if job not in _ASK:
        return None
    kind, ask = _ASK[job]
    row = session.execute(ask, {name: str(value) for name, value in ids.items()}).first()
    if row is None:
        return None
    key, account, game, how, stopped, address, since, sent = row
    return DeliveryPreference(Mail(key, account, kind, game), how, stopped, address, since, bool(sent))


def past_turn(session: Session, game: str, wait: int) -> Mail | None:
    """Return the mail about a turn that is over, or None if there was none."""
    table = load(session, game)
    if table is None or table.header is None or wait > table.version:
        return None
    begun = table.steps()[wait - 1][1].turn if wait else replay.start(table.header, table.tiles).state.turn
    account = table.account_of(begun)
    return (
        None
        if account is None
        else Mail(mail_kinds.TURN.key(game=game, wait=wait, account=account), account, "turn", game)
    )
