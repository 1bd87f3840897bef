"""The daily digest: which games wait for the reader and for what, and what else happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from service.access.links import programs_page
from service.language.clock_words import clock_line
from service.language.happenings import happening, outcome
from service.language.people import display_name
from service.language.sanitize import one_line
from service.mail import parts
from service.mail.message import Content
from service.mail.message_parts import Remark, heard
from service.mail.rendering import render
from service.queries.digest_context import Digest, Wait
from service.queries.end_context import End
from service.queries.invitation_context import Invited


@dataclass(frozen=True, slots=True)
class Waiting:
    """A game that waits for the reader.

    It has the players, the start of the wait, the last event, the messages, the choices, a link and the address for
    answers, which is None if no mail is received. `clock` is a line about the time left, empty without a clock.
    """

    others: str
    since: datetime
    last: str
    choices: tuple[parts.MailTile, ...]
    may_refill: bool
    discs_left: int
    page: str
    answer: str | None
    clock: str
    heard: tuple[Remark, ...]
    heard_earlier: int


@dataclass(frozen=True, slots=True)
class Over:
    """A finished game: the other players, how it ended, the link, and what the others said."""

    others: str
    outcome: str
    page: str
    heard: tuple[Remark, ...]
    heard_earlier: int


@dataclass(frozen=True, slots=True)
class Spoken:
    """Messages after a game's end: the other players, the link, and what they said."""

    others: str
    page: str
    heard: tuple[Remark, ...]
    heard_earlier: int


@dataclass(frozen=True, slots=True)
class Asked:
    """An invitation: by whom (None: nobody with a name), for how many, until when, and how to accept it.

    It is accepted at an address (None: no mail is received), or with its secret and a link for programs.
    """

    inviter: str | None
    seats: int
    expires_at: datetime
    answer: str | None
    secret: str
    programs: str


def compose(
    digest: Digest,
    base_url: str,
    pages: Mapping[str, str],
    secrets: Mapping[str, str],
    unsubscribe: str,
    answers: Mapping[str, str | None],
) -> Content:
    """Compose the digest.

    Args:
        pages: the reader's own links by table.
        secrets: the secrets of the invitations by their ids.
        unsubscribe: the link to stop such mails.
        answers: the addresses to answer at, by table or invitation.
    """
    return render(
        "digest",
        digest.to.reader,
        waits=[_waiting(each, pages, answers) for each in digest.waits],
        more=digest.more,
        count=len(digest.waits) + digest.more,
        ends=[_over(each, pages) for each in digest.ends],
        closed=digest.closed,
        talks=[
            Spoken(each.people.others(), pages[each.table], **heard(each.heard, each.people)) for each in digest.talks
        ],
        invitations=[_asked(each, base_url, secrets, answers, digest) for each in digest.invitations],
        unsubscribe=unsubscribe,
    )


def _waiting(wait: Wait, pages: Mapping[str, str], answers: Mapping[str, str | None]) -> Waiting:
    turn = wait.turn
    zone = turn.to.reader.zone
    sentences = (happening(made.step, turn.people, made.by, made.covered_by, zone=zone) for made in turn.happened)
    told = [sentence for sentence in sentences if sentence]
    return Waiting(
        others=turn.people.others(),
        since=wait.since,
        last=told[-1] if told else "",
        choices=tuple(parts.tile(number, turn.people.language) for number in turn.state.wheel.choices()),
        may_refill=turn.state.may_refill(),
        discs_left=turn.state.discs_left[turn.seat],
        page=pages[turn.table],
        answer=answers.get(turn.table),
        clock="" if turn.clock is None else clock_line(turn.clock, turn.people, turn.to.reader.zone),
        **heard(turn.heard, turn.people),
    )


def _over(end: End, pages: Mapping[str, str]) -> Over:
    return Over(end.people.others(), outcome(end.result, end.people), pages[end.table], **heard(end.heard, end.people))


def _asked(
    invited: Invited, base_url: str, secrets: Mapping[str, str], answers: Mapping[str, str | None], digest: Digest
) -> Asked:
    inviter, language = one_line(invited.inviter or ""), digest.to.reader.language
    return Asked(
        inviter=display_name(inviter, 0, language) if inviter else None,
        seats=invited.seats,
        expires_at=invited.expires_at,
        answer=answers.get(invited.invitation),
        secret=secrets[invited.invitation],
        programs=programs_page(base_url, language.code, invited.table),
    )
