"""Spell the keys of mails, and the locks of their jobs, in Python and in SQL.

The key of a mail is its permanent name: its place in the ledger of deliveries and the base of its Message-ID. The same
facts give the same key, whoever composes the mail and however often. The lock keeps its job from being queued twice.
"""

from __future__ import annotations

from typing import NamedTuple


class MailKind(NamedTuple):
    """A kind of mail, by what its key and its lock are made of.

    Attributes:
        name: the first part of both.
        parts: the names of the ids in the key, in their order.
        lock_parts: those in the lock.
        may_lack_account: whether the account, the last part of the key, is left out for mails to nobody's account.
    """

    name: str
    parts: tuple[str, ...]
    lock_parts: tuple[str, ...] = ()
    may_lack_account: bool = False

    def key(self, **ids: object) -> str:
        """Return the key of a mail."""
        given = [ids[part] for part in self.parts]
        if self.may_lack_account and given[-1] is None:
            given.pop()
        return ".".join((self.name, *map(str, given)))

    def key_sql(self, **expressions: str) -> str:
        """Return the SQL of the key, by an SQL expression of type text for each part."""
        parts = [f" || '.' || {expressions[part]}" for part in self.parts]
        if self.may_lack_account:
            parts[-1] = f" || coalesce('.' || {expressions[self.parts[-1]]}, '')"
        return f"'{self.name}'{''.join(parts)}"

    def lock(self, **ids: object) -> str:
        """Return the lock of the mail's job."""
        return ":".join((self.name, *(str(ids[part]) for part in self.lock_parts)))

    def lock_sql(self, **expressions: str) -> str:
        """Return the SQL of the lock, by an SQL expression of type text for each part."""
        return f"'{self.name}'{''.join(f''' || ':' || {expressions[part]}''' for part in self.lock_parts)}"


TURN = MailKind("turn", ("game", "wait", "account"), ("game", "wait"))
END = MailKind("end", ("game", "account"), ("game", "account"))
CLOSED = MailKind("closed", ("game", "account"), ("game", "account"))
TALK = MailKind("talk", ("game", "message", "account"), ("game", "account"))
INVITATION = MailKind("invitation", ("invitation",), ("invitation",))
DIGEST = MailKind("digest", ("account", "day"), ("account", "day"))
CODE = MailKind("code", ("code", "account"), may_lack_account=True)
ADDRESS_CHANGED = MailKind("address-changed", ("code", "account"))
ABOUT = MailKind("about", ("code",), ("code",))
ANSWER = MailKind("answer", ("incoming", "whom", "account"), ("incoming", "whom"), may_lack_account=True)
STEP = MailKind("step", ("game", "seq", "account"), ("game", "seq", "account"))
REMINDER = MailKind("reminder", ("account", "at"), ("account", "at"))
