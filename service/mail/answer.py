"""The reply to somebody's mail: the outcome of each line, and the table as it is, with what can be done next."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.game import Match
from service.language.clock_settings import settings_in_words
from service.language.happenings import happening, outcome
from service.language.people import People
from service.language.visible import can_be_seen
from service.mail import codes, invitation, on_move, own_games
from service.mail.answer_help import explained
from service.mail.answer_lines import nothing_read, outcome_of, written
from service.mail.end import places
from service.mail.message import Content, Picture
from service.mail.move_links import Answering
from service.mail.rendering import render
from service.queries.reply_context import Answered
from service.queries.turn_context import Turn
from service.reading.shown_words import SHOWN
from service.store import delivery_preferences
from service.store.delivery_preferences import SHORT
from service.store.mail_outcome import ASKED, HELP, JOINED, OPENED, REMATCH, RULES, SOLO

_MARKED = re.compile(r"^\s*(?:(?:re|aw|rv|sv|antw|r\u00e9p)\s*(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Happened:
    """Something that happened at the table, and when."""

    at: datetime
    sentence: str


def compose(
    answered: Answered,
    base_url: str,
    page: str | None,
    stop: str | None,
    links: Mapping[str, str],
    picture: Picture | None = None,
    *,
    answers: Mapping[str, str | None] | None = None,
    reply_to: str | None = None,
    record: str = "",
    never: str | None = None,
) -> Content:
    """Compose the reply.

    Args:
        answered: the facts of the reply and its form.
        base_url: the public URL of the service.
        page: the reader's own link to the table; None: the reply is about no game.
        stop: the link to get fewer of these mails; None: the sender has no account.
        links: the reader's links to the listed games, by their ids.
        picture: a picture of the table.
        answers: the addresses at which mails about the listed games are answered, by their ids.
        reply_to: the address that the reply can be answered at; None: the service's own.
        record: the link to the record of a finished game.
        never: the link that blocks all mail, for those without an account.
    """
    reader, turn, done = answered.to.reader, answered.turn, answered.outcome
    people = turn.people if turn else People((), None, reader.language)
    every = (
        (written(line.written, reader.language), outcome_of(line, answered, people, base_url)) for line in done.lines
    )
    lines = list(dict.fromkeys(every))  # a line that was repeated is answered once
    state = turn.state if turn else None
    asks = any(line.what == ASKED for line in done.lines)
    is_short = answered.form == SHORT
    on_turn = turn is not None and state is not None and state.result is None and state.turn == turn.seat
    what_to_do = bool(done.nothing) or any(line.what in (HELP, RULES) for line in done.lines)
    subject = _subject(answered, people)
    return render(
        "answer",
        reader,
        subject=subject,
        heading=_heading(answered, people),
        stopped=_stopped(answered),
        elsewhere=done.elsewhere,
        sender=done.header.sender if done.header else None,
        nothing=nothing_read(done.nothing, reader.language) if done.nothing else None,
        lines=lines,
        what_to_do=what_to_do,
        explained=explained(reader.language, None if turn is None else turn.state.kind),
        on_turn=on_turn and not asks,
        opened=any(line.what in (OPENED, REMATCH) for line in done.lines),
        next_step=_next_step(answered, asks) if is_short else "",
        history=_history(answered, people),
        games=own_games.listed(answered.games, links, answers or {}, reader),
        open=answered.open,
        settings=(
            settings_in_words(answered.open.terms, answered.open.abandoned_after, reader.language)
            if answered.open
            else ()
        ),
        ended=None if is_short else _ended(answered, turn, people, record),
        seen=turn is not None and not on_turn and not asks and not is_short,
        page=page,
        unsubscribe=stop,
        never=never,
        picture=picture,
        **_shown(turn, base_url, Answering(reply_to, subject) if reply_to else None, on_turn=on_turn),
    )


def _shown(turn: Turn | None, base_url: str, answering: Answering | None, *, on_turn: bool) -> dict[str, Any]:
    """Return the table's template variables, all of them if the reader is to move; every reply can be answered."""
    if turn is None:
        return {"answerable": True, "clock_line": ""}
    if not on_turn:
        return {**on_move.seen(turn), "answerable": True}
    return {**on_move.facts(turn, base_url, answering), "answerable": True, "over_http": False}


def _stopped(answered: Answered) -> str:
    """Say that other mails are held back, and how to resume them; empty if they are not."""
    stopped, reader = answered.stopped, answered.to.reader
    if stopped is None:
        return ""
    return reader.language.say(
        "Mails to your address came back several times, the last on %(day)s (%(status)s). Since then you get none but "
        "codes and answers such as this one. They go on once a code that is mailed to you comes back: sign in with "
        "one, or answer its mail with %(word)s.",
        day=reader.language.day(stopped.at, reader.zone),
        status=stopped.because,
        word=reader.language.quoted(SHOWN[reader.language.code]["yes"]),
    )


def _next_step(answered: Answered, asks: bool) -> str:
    """Return the sentence that tells a reader who has nothing to do now how to go on; empty if a question is asked."""
    say, turn = answered.to.reader.language.say, answered.turn
    if asks or turn is None or (isinstance(turn.state, Match) and turn.seat in turn.state.moon.left):
        return ""
    is_over = turn.state.result is not None
    match answered.later:
        case delivery_preferences.AT_ONCE:
            return (
                say("You get a mail of its own with the result.")
                if is_over
                else say("You get a mail as soon as it is your turn.")
            )
        case delivery_preferences.DIGEST:
            return (
                say("Your daily digest tells the result.")
                if is_over
                else say("Your daily digest tells you when it is your turn.")
            )
        case _:
            return "" if is_over else say("You chose to get no mail when it is your turn; the table’s page shows it.")


def _subject(answered: Answered, people: People) -> str:
    """Return the subject: what began, as later mails about it have that name, else the answered subject with "Re:".

    A question that is asked again has the subject of the mail that asked it, whatever the subject of the answer.

    Some mail programs group mails into threads by their subject alone.
    """
    say, done = people.language.say, answered.outcome
    begun = [line.what for line in done.lines if line.what in (OPENED, JOINED, SOLO, REMATCH)]
    if begun and answered.open is not None:
        return say("Nova Luna: a table for %(seats)s", seats=answered.open.seats)
    if begun and answered.turn is not None:
        is_match = isinstance(answered.turn.state, Match)
        return say("Nova Luna with %(others)s", others=people.others()) if is_match else say("Nova Luna: your solo")
    if answered.invited is not None:
        return f"Re: {invitation.heading_of(answered.invited, people.language)}"
    if answered.pending:
        return f"Re: {codes.heading_of(answered.pending, people.language)}"
    bare = _MARKED.sub("", done.header.subject if done.header else "").strip()
    return f"Re: {bare}" if can_be_seen(bare) else say("Your mail to Nova Luna by post")


def _heading(answered: Answered, people: People) -> str:
    """Return the state of things in one sentence."""
    say, turn = people.language.say, answered.turn
    if answered.open is not None:
        free = answered.open.seats - answered.open.taken
        return people.language.count("The table waits for %(n)s player.", "The table waits for %(n)s players.", free)
    if turn is None:
        return say("Your mail was read.")
    if turn.state.result is not None:
        return outcome(turn.state.result, people)
    assert turn.state.turn is not None, "the game is going on"
    if turn.state.turn != turn.seat:
        return say("%(name)s is next.", name=people.called(turn.state.turn))
    if any(line.seq for line in answered.outcome.lines) and isinstance(turn.state, Match):
        return say("It is your turn again.")
    return say("It is your turn.")


def _history(answered: Answered, people: People) -> list[Happened]:
    """Return everything that happened at the table, in order."""
    zone = answered.to.reader.zone
    told = ((at, happening(made.step, people, made.by, made.covered_by, zone=zone)) for at, made in answered.history)
    return [Happened(at, sentence) for at, sentence in told if sentence]


def _ended(answered: Answered, turn: Turn | None, people: People, record: str) -> dict[str, Any] | None:
    """Return the sentences about the end of the game, and about how anybody can verify it."""
    if turn is None or turn.state.result is None or answered.draw is None:
        return None
    return {
        "places": places(turn.state.result, people) if isinstance(turn.state, Match) else (),
        "commitment": answered.draw[0],
        "server_seed": answered.draw[1],
        "record": record,
    }
