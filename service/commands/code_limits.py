"""How many codes are mailed, and how often one may be guessed at: by who asks, never by whom it concerns.

A stranger who asks for codes to somebody's address, or tries wrong ones, spends only what the stranger's own network is
let through. All together, an address is mailed ``3 * per_address`` codes an hour; when that is reached, or when a network
has asked for ``per_address`` of them, one more goes out every ten minutes. As a code holds longer than that, whoever
reads the mailbox always has one that holds, or is sent one at the first asking.

A code has 50 bits. Tries don't kill it: with 20 codes of an address standing at a time, and a thousand guesses a second
from anywhere, all that one machine can answer, it would take 2**50 / 20 / 1000 seconds, 1,700 years, until one is
expected to hit.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from engine.saying import Said
from service.access.limits import Hit, Limit, Limiter, by_network
from service.errors import LimitReached

_ALL_TOGETHER = 3

_WRONG = {
    False: Said("Too many wrong codes were tried from your network within an hour; try again later."),
    True: Said("You have tried too many wrong codes within an hour; try again later."),
}
"""By whether an account tried them."""


@dataclass(frozen=True)
class CodeLimits:
    """The limits of one caller. Each amount is that of an hour, 0 is no limit.

    Attributes:
        ip: where the caller asks from.
        per_ip: codes that a network may ask for.
        per_address: of these, codes to one address; also changes of address that an account may ask for.
        tries: wrong codes that a network, or an account that changes its address, may try.
    """

    limiter: Limiter
    ip: str
    per_ip: int
    per_address: int
    tries: int

    def may_mail_sign_in(self, session: Session, email: str) -> bool:
        """Counts one sign-in code that the caller asks for, and tells whether it is mailed: if not, one that was mailed
        within ten minutes still holds.

        Raises:
            LimitReached: ``too_many_sign_ins``, the caller has asked for too many.
        """
        self._asked(session)
        hits = [
            *by_network(Limit.SIGN_INS_PER_ADDRESS, self.per_address, self.ip, email),
            Hit(Limit.SIGN_INS_TO_ADDRESS, self.per_address * _ALL_TOGETHER, email),
        ]
        if self.limiter.hit_all(hits, session) is None:
            return True
        return not self.limiter.hit(Limit.SIGN_INS_SPACED, 1, email, session)

    def change_of_address(self, session: Session, account: str) -> None:
        """Counts one code to a new address that an account asks for.

        Raises:
            LimitReached: ``too_many_sign_ins`` or ``mails_limited``, there were too many from there, or of the account.
        """
        self._asked(session)
        if wait := self.limiter.hit(Limit.ADDRESS_CHANGES_PER_ACCOUNT, self.per_address, account, session):
            detail = Said("You have asked for too many codes to new addresses; try again later.")
            raise LimitReached("mails_limited", detail, retry_after=wait)

    def try_code(self, session: Session, account: str | None = None) -> None:
        """Counts one try of a code, by an account if it is signed in; to be given back if it is right (`right_code`).

        Raises:
            LimitReached: ``too_many_tries``, there were too many wrong ones.
        """
        if reached := self.limiter.hit_all(self._tries(account), session):
            detail = _WRONG[account is not None]
            raise LimitReached("too_many_tries", detail, retry_after=reached.wait)

    def right_code(self, session: Session, account: str | None = None) -> None:
        """Takes a try back that was right."""
        for hit in self._tries(account):
            self.limiter.give_back(*hit, session=session)

    def _tries(self, account: str | None) -> list[Hit]:
        if account is not None:
            return [Hit(Limit.CODE_TRIES, self.tries, account)]
        return by_network(Limit.CODE_TRIES, self.tries, self.ip)

    def _asked(self, session: Session) -> None:
        if reached := self.limiter.hit_all(by_network(Limit.SIGN_INS_PER_IP, self.per_ip, self.ip), session):
            detail = Said("Too many codes were asked for from your network within an hour; try again later.")
            raise LimitReached("too_many_sign_ins", detail, retry_after=reached.wait)
