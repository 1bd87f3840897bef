"""Limit how many codes are mailed and how often one may be guessed, by who asks and never by whose address it is.

A stranger who requests codes for somebody's address, or tries wrong ones, spends only the allowance of the stranger's
own network. In all, an address is mailed `3 * per_address` codes an hour to sign in, and as many because accounts want
to change to it; who asks for one more of the latter is told so. Once the former are reached, or once a network has
requested `per_address` codes to sign in, one more of them is sent every ten minutes. A code is valid for longer than
that, so whoever reads the mailbox always has a valid code to sign in, or is sent one at the first request.

The addresses of one mailbox (`service.access.addresses.mailbox`) are counted together, so that nobody floods it by
spelling it anew. The code every ten minutes is for each address apart that has an account, or that is the mailbox's
plain one: otherwise codes to `ann+any@example.org` would keep the owner of `ann@example.org` out.

A code has 50 bits, and wrong tries do not invalidate it. With 20 valid codes of an address at a time and a thousand
guesses a second, which is all that one machine can answer, a hit is expected after 2**50 / 20 / 1000 seconds, or 1,700
years.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access.addresses import mailbox
from service.access.limits import Hit, Limit, Limiter, by_network
from service.store.accounts import account_by_email

TOGETHER = 3
"""How many times the codes that one account or network may have sent to an address all together may have sent there."""

_CHANGES = {
    Limit.ADDRESS_CHANGES_PER_ACCOUNT: Phrase("You have asked for too many codes to new addresses; try again later."),
    Limit.ADDRESS_CHANGES_TO_ADDRESS: Phrase(
        "Too many codes to this address were asked for within an hour; try again later."
    ),
}
_FROM_NETWORK = Phrase("Too many codes were asked for from your network within an hour; try again later.")
_WRONG = {
    False: Phrase("Too many wrong codes were tried from your network within an hour; try again later."),
    True: Phrase("You have tried too many wrong codes within an hour; try again later."),
}
"""The message, by whether an account made the tries."""


@dataclass(frozen=True)
class CodeLimits:
    """The limits of one caller. Each amount is for an hour; 0 means no limit.

    Attributes:
        limiter: counts the requests.
        ip: the caller's IP address.
        per_ip: the codes that a network may request.
        per_address: how many of these may go to one address; also the changes of address that an account may request.
        tries: the wrong codes that a network, or an account that changes its address, may try.
    """

    limiter: Limiter
    ip: str
    per_ip: int
    per_address: int
    tries: int

    def may_mail_sign_in(self, session: Session, email: str) -> bool:
        """Count one requested sign-in code, and return whether it is to be mailed.

        If not, a code that was mailed within the last ten minutes is still valid.

        Raises:
            LimitReached: `too_many_sign_ins`, the caller has requested too many.
        """
        self._asked(session)
        hits = [
            *by_network(Limit.SIGN_INS_PER_ADDRESS, self.per_address, self.ip, mailbox(email)),
            Hit(Limit.SIGN_INS_TO_ADDRESS, self.per_address * TOGETHER, mailbox(email)),
        ]
        if self.limiter.hit_all(hits, session) is None:
            return True
        is_own = email == mailbox(email) or account_by_email(session, email) is not None
        spaced = email if is_own else f"other spellings of {mailbox(email)}"
        return not self.limiter.hit(Limit.SIGN_INS_SPACED, 1, spaced, session)

    def change_address(self, session: Session, account: str, email: str) -> None:
        """Count one code for a new address that an account requests.

        Raises:
            LimitReached: `too_many_sign_ins` for the network; `mails_limited` for the account, or for the address if
                many accounts together have requested codes to it.
        """
        self._asked(session)
        hits = [
            Hit(Limit.ADDRESS_CHANGES_PER_ACCOUNT, self.per_address, account),
            Hit(Limit.ADDRESS_CHANGES_TO_ADDRESS, self.per_address * TOGETHER, mailbox(email)),
        ]
        self.limiter.require(hits, "mails_limited", _CHANGES, session)

    def try_code(self, session: Session, account: str | None = None) -> None:
        """Count one try of a code, by the account if it is signed in. `right_code` takes a correct try back.

        Raises:
            LimitReached: `too_many_tries`, there were too many wrong ones.
        """
        self.limiter.require(self._tries(account), "too_many_tries", _WRONG[account is not None], session)

    def right_code(self, session: Session, account: str | None = None) -> None:
        """Take back a try that was correct."""
        for hit in self._tries(account):
            self.limiter.give_back(*hit, session=session)

    def _tries(self, account: str | None) -> list[Hit]:
        if account is not None:
            return [Hit(Limit.CODE_TRIES, self.tries, account)]
        return by_network(Limit.CODE_TRIES, self.tries, self.ip)

    def _asked(self, session: Session) -> None:
        hits = by_network(Limit.SIGN_INS_PER_IP, self.per_ip, self.ip)
        self.limiter.require(hits, "too_many_sign_ins", _FROM_NETWORK, session)
