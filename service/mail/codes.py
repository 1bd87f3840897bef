"""The mails about somebody's identity: a sign-in code, a code that confirms an address, and a change of address."""

from __future__ import annotations

from engine.clock.terms import ABANDONED_AFTER, Terms
from service.access.links import account_settings_page, programs_page
from service.language.clock_settings import settings_in_words
from service.language.languages import Language
from service.mail.curl import curl
from service.mail.mailto import mailto
from service.mail.message import Content
from service.mail.rendering import render
from service.queries.code_context import AddressChanged, PendingCommand, ValidCode
from service.reading.shown_words import SHOWN


def compose_sign_in(
    coded: ValidCode,
    code: str,
    base_url: str,
    never: str | None,
    reply_to: str | None = None,
    link: str | None = None,
) -> Content:
    """Compose the mail with a sign-in code.

    If an earlier mail asked for something, the subject and the first sentence say what a reply starts.

    Args:
        never: the link that blocks all mail, for those without an account.
        reply_to: the address that a reply goes to, which is as good as the code; None: no reply is accepted.
        link: the link that signs in the browser that asked for the code; None if none did.
    """
    language = coded.to.reader.language
    asked = coded.asked if reply_to is not None else ()
    yes = SHOWN[language.code]["yes"]
    heading = heading_of(asked, language) if asked else language.say("Your code to sign in to Nova Luna by post")
    return render(
        "sign_in",
        coded.to.reader,
        heading=heading,
        begins=what_begins(asked, language) if asked else None,
        has_account=coded.to.account is not None,
        code=code,
        expires_at=coded.expires_at,
        agree=None if reply_to is None else mailto(reply_to, heading, yes),
        programs=programs_page(base_url, language.code),
        never=never,
        answerable=reply_to is not None,
        link=link,
    )


def heading_of(asked: tuple[PendingCommand, ...], language: Language) -> str:
    """Return a heading that says what a reply to the code starts."""
    say, word = language.say, language.quoted(SHOWN[language.code]["yes"])
    match asked:
        case [PendingCommand("new", int(seats))]:
            return say("Answer %(word)s to open a table for %(seats)s", word=word, seats=seats)
        case [PendingCommand("solo")]:
            return say("Answer %(word)s to begin a solo", word=word)
        case [PendingCommand("join")]:
            return say("Answer %(word)s to take your seat", word=word)
        case [PendingCommand("rematch")]:
            return say("Answer %(word)s to ask for a rematch", word=word)
        case _:
            return say("Answer %(word)s to begin", word=word)


def what_begins(asked: tuple[PendingCommand, ...], language: Language) -> str:
    """Return a sentence or two that say what a reply to the code starts."""
    say = language.say
    match asked:
        case [PendingCommand("new", int(seats), 0, terms, bots)] if bots == seats - 1:
            begins = language.count("That begins a game against a bot.", "That begins a game against %(n)s bots.", bots)
            return _with_clock(begins, terms, language)
        case [PendingCommand("new", int(seats), 0, terms, bots)]:
            opens = say("That opens a table for %(seats)s players, at which others can sit down.", seats=seats)
            return _with_clock(_with_bots(opens, bots, language), terms, language)
        case [PendingCommand("new", int(seats), invited, terms, bots)]:
            opens = _with_bots(say("That opens a table for %(seats)s players.", seats=seats), bots, language)
            mailed = language.count(
                "The person whom you named gets an invitation.",
                "The %(n)s people whom you named get an invitation.",
                invited,
            )
            return _with_clock(f"{opens} {mailed}", terms, language)
        case [PendingCommand("solo")]:
            return say("That begins a game for you alone.")
        case [PendingCommand("join")]:
            return say("Then you sit at the table.")
        case [PendingCommand("rematch")]:
            return say("Then you sit at a new table, to which the others of your last game are invited.")
        case _:
            return say("That begins what you asked for.")


def _with_bots(sentence: str, bots: int, language: Language) -> str:
    if not bots:
        return sentence
    told = language.count("One of them is a bot.", "%(n)s of them are bots.", bots)
    return f"{sentence} {told}"


def _with_clock(sentences: str, terms: Terms | None, language: Language) -> str:
    """Return the sentences with those about the clock, and about its ladder unless that is the usual one."""
    if terms is None:
        return sentences
    told = settings_in_words(terms, ABANDONED_AFTER, language)
    return " ".join((sentences, *(told[:1] if terms == Terms(terms.clock) else told)))


def compose_address_confirm(coded: ValidCode, code: str, base_url: str, never: str | None) -> Content:
    """Compose the mail with the code that confirms a new address; `never` is the link that blocks all mail."""
    return render(
        "address_confirm",
        coded.to.reader,
        code=code,
        expires_at=coded.expires_at,
        page=account_settings_page(base_url),
        command=curl(f"{base_url}/v1/me/email", {"code": code}) if coded.to.over_http else None,
        never=never,
    )


def compose_address_changed(changed: AddressChanged, base_url: str, never: str, contact: str | None) -> Content:
    """Compose the mail to the old address after a change; the link `never` blocks all mail to it.

    It does not name the new address, since its reader may no longer be the account's owner. An answer to it goes to
    `contact`, the people who run the service; if it is None, the mail promises nothing about answers.
    """
    address = changed.to.address
    return render(
        "address_changed", changed.to.reader, address=address, base_url=base_url, never=never, contact=contact
    )
