"""A mail of each kind, in any language, from facts as the service would read them, without a database."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import timedelta
from functools import cache, partial

from engine.draw import Draw
from engine.game import Match
from engine.moves import RESIGN, Mark, Place
from engine.phrases import Phrase
from engine.solo import Solo
from engine.story import LoggedMove, Story, tell
from engine.table import Step
from service.language.clock_words import ClockShown
from service.language.languages import ENGLISH, Language, Reader
from service.language.people import People
from service.mail import about, answer, closed, codes, digest, end, invitation, messages_mail, reminder, scenes, turn
from service.mail import step as step_mail
from service.mail.example import example
from service.mail.message import Content
from service.pictures import raster
from service.pictures.plots.story import draw_story
from service.pictures.table import draw
from service.queries.checkpoint_notice import Commitment, Notice
from service.queries.closed_context import Closed
from service.queries.code_context import AddressChanged, PendingCommand, ValidCode
from service.queries.digest_context import Digest, Wait
from service.queries.end_context import Audit, End
from service.queries.invitation_context import Invited
from service.queries.recipients import Recipient
from service.queries.reply_context import Answered, OpenTable
from service.queries.step_context import StepTold
from service.queries.talk import NewMessages, Notes, TableMessage
from service.queries.talk_context import Talked
from service.queries.turn_context import Made
from service.store.mail_outcome import ASKED, OPENED, PLAYED, REFUSED, UNCLEAR, WHATS, Line, OriginalHeader, Outcome
from tests.support.mail import facts

SECRET = "x8Gk2M1qWzVv3r8ZgkT0aBcDeFgHiJkLmNoPqRsTuVw"
CODE = "ABCDE-FGHJK"
ZONES = {"en": "Europe/London", "fr": "Europe/Paris", "es": "America/Bogota", "de": "Europe/Berlin"}
HEADER = OriginalHeader("ann@work.example", "Let us play", "<a.b@work.example>", ("<c.d@work.example>",))
HEARD = NewMessages(
    7,
    0,
    (
        TableMessage(4, 0, "Ann", facts.AT - timedelta(hours=5), "Well played. I had my eye on that one!"),
        TableMessage(5, 1, "Ben", facts.AT - timedelta(hours=2), "2 F"),
        TableMessage(6, None, None, facts.AT - timedelta(hours=1), "<b>" + "x" * 120 + "</b> & בהצלחה"),
    ),
    3,
)
NOTES = Notes(("Two more red ones at the lower end, then tile 12 is done.", "resign"), 1)
ABSENCE = {"begins": "2026-11-28T08:56:00.000Z", "ends": "2026-12-06T00:00:00.000Z", "moved": "yes", "ended": "yes"}


@cache
def rendered(drawing: str) -> bytes:
    """Return a picture as the service renders it."""
    return raster.png(drawing, 700)


def far(names: tuple[str | None, ...], rounds: int = 9) -> tuple[Match, list[Step]]:
    """Return a match after a number of rounds, on displays that grow in all directions, with its steps."""
    state = facts.match(len(names))
    steps: list[Step] = []
    while state.result is None and len(steps) < rounds * len(names):
        places = [move for move in state.legal_moves() if isinstance(move, Place)]
        steps.append(
            state.advance(state.turn, places[len(steps) * 5 % len(places)] if places else state.legal_moves()[0])
        )
    return state, steps


def a_turn(to: Recipient, names: tuple[str | None, ...], rounds: int = 9, png: bytes | None = None) -> Content:
    """Compose a turn mail with `png` as its picture; an empty `png` is rendered, and None is no picture."""
    state, steps = far(names, rounds)
    assert state.turn is not None
    told = facts.turn(state, steps[-len(names) :], first=not rounds, names=names)
    told = replace(told, to=to, people=People(names, told.seat, to.reader.language), version=len(steps))
    if rounds:
        told = replace(told, heard=HEARD, notes=NOTES, clock=a_clock(told.seat))
    picture = (
        None if png is None else scenes.captioned(png or rendered(draw(scenes.of_turn(told))), scenes.of_turn(told))
    )
    return turn.compose(told, facts.BASE, facts.PAGE, facts.STOP, picture, reply_to=facts.REPLY_TO)


def an_end(to: Recipient, names: tuple[str | None, ...], png: bytes | None = None) -> Content:
    """Compose the mail at the end of a game that all players but one have left."""
    told = _ended(to, names)
    picture = None if png is None else scenes.captioned(png or rendered(draw(scenes.of_end(told))), scenes.of_end(told))
    plotted = scenes.plots_of_end(told)
    plots = None
    if png is not None and plotted is not None:
        plots = scenes.captioned_plots((png and png + b"plots") or rendered(draw_story(plotted)), plotted)
    return end.compose(told, facts.PAGE, facts.RECORD, facts.STOP, picture, plots=plots, reply_to=facts.REPLY_TO)


def a_story(seats: int, steps: Iterable[Step]) -> Story:
    """Return the story of a finished match by its steps, which were made an hour apart."""
    made = enumerate(steps, start=1)
    logged = [LoggedMove(seq, facts.AT + timedelta(hours=seq), step.seat, step.move) for seq, step in made]
    return tell(facts.match(seats), facts.AT, logged)


NOTICE = Notice(
    "1f00ba42",
    16,
    "ef" * 32,
    Commitment("nova.example/v1/checkpoints/1", 1280, facts.AT, 12),
    is_going_on=True,
)
"""The notice of a game that a checkpoint has up to its entry 12."""


def _ended(to: Recipient, names: tuple[str | None, ...]) -> End:
    state, steps = far(names, 5)
    while state.result is None:
        steps.append(state.advance(state.moon.order[-1], RESIGN))
    last = steps[-1]
    return End(
        to=to,
        table=facts.TABLE,
        people=People(names, 0, to.reader.language),
        seat=0,
        version=16,
        state=state,
        result=state.result,
        last=last,
        commitment="ab" * 32,
        server_seed="cd" * 32,
        story=a_story(len(names), steps),
        heard=HEARD,
        audit=Audit(41),
        notice=NOTICE,
    )


def a_closed(to: Recipient) -> Content:
    """Compose the mail about a table that was closed."""
    return closed.compose(_closed(to), facts.BASE, facts.STOP, "nova-luna@example.org")


def _closed(to: Recipient) -> Closed:
    return Closed(to, facts.TABLE, "expired", 3, facts.AT)


def a_clock(seat: int, stage: str = "in_time", **more: object) -> ClockShown:
    """Return the clock of a game in which this seat is to move."""
    coming = {"in_time": "nudge", "nudge": "grace", "grace": "autopilot", "autopilot": None}[stage]
    given = {
        "seat": seat,
        "stage": stage,
        "stands_still_because": None,
        "stands_still_until": None,
        "runs_out_at": facts.AT + timedelta(days=2, hours=4),
        "next_step": coming,
        "next_at": None if coming is None else facts.AT + timedelta(days=2, hours=4),
        "at": facts.AT,
        "left": timedelta(days=2, hours=4) if stage == "in_time" else timedelta(),
    }
    return ClockShown(**given | more)  # type: ignore[arg-type]


def a_reminder(to: Recipient, names: tuple[str | None, ...], games: int = 2, png: bytes | None = None) -> Content:
    """Compose a mail that reminds of this many games."""
    state, steps = far(names)
    assert state.turn is not None
    told = facts.turn(state, steps[-len(names) :], names=names)
    told = replace(told, to=to, people=People(names, told.seat, to.reader.language), clock=a_clock(state.turn))
    until = facts.AT + timedelta(hours=9)
    still = a_clock(told.seat, stands_still_because="quiet", stands_still_until=until)
    others = (replace(told, clock=still) for _ in range(games - 1))
    scene = scenes.of_turn(told)
    picture = None if png is None else scenes.captioned(png or rendered(draw(scene)), scene)
    return reminder.compose((told, *others), facts.BASE, {facts.TABLE: facts.PAGE}, facts.ANSWERS, facts.STOP, picture)


def a_step(
    to: Recipient, names: tuple[str | None, ...], kind: str, stage: str, *, mine: bool = False, png: bytes | None = None
) -> Content:
    """Compose a mail about a step of the clock, to the player whose time it is or to another one."""
    state, steps = far(names)
    assert state.turn is not None
    seat = state.turn if mine else (state.turn + 1) % len(names)
    people, clock = People(names, seat, to.reader.language), a_clock(state.turn, stage)
    data: dict[str, object] = {"wait": 9}
    if kind == "clock.warning":
        data |= {"not_before": "2026-12-27T20:56:00.000Z"}
    elif stage != "autopilot":
        data |= {"for": "P1D", "next": clock.next_step}
    step = state.clone().advance(state.turn, Mark(kind, data))
    turn = None
    if mine and stage != "autopilot":
        turn = facts.turn(state, steps[-len(names) :], names=names)
        turn = replace(turn, to=to, people=people, clock=clock)
    told = StepTold(to, facts.TABLE, people, seat, 31, "ab" * 4, "ab" * 4, kind, step, clock, turn, not mine)
    picture = None
    if png is not None and turn is not None:
        picture = scenes.captioned(png or rendered(draw(scenes.of_turn(turn))), scenes.of_turn(turn))
    return step_mail.compose(told, facts.BASE, facts.PAGE, facts.STOP, picture, reply_to=facts.REPLY_TO)


def a_talked(to: Recipient, names: tuple[str | None, ...]) -> Content:
    """Compose the mail about messages after the end."""
    return messages_mail.compose(_talked(to, names), facts.PAGE, facts.STOP, answerable=True)


def _talked(to: Recipient, names: tuple[str | None, ...]) -> Talked:
    return Talked(to, facts.TABLE, People(names, 0, to.reader.language), 0, 16, HEARD)


def an_invitation(to: Recipient, names: tuple[str | None, ...], png: bytes | None = None) -> Content:
    """Compose the mail with an invitation by the first of these players, the only one at the table."""
    stop, scene = facts.STOP if to.account else facts.NEVER, example(len(names), to.reader.language)
    picture = None if png is None else scenes.captioned(png or rendered(draw(scene)), scene)
    return invitation.compose(_invited(to, names), SECRET, facts.BASE, stop, facts.GUEST, picture)


def _invited(to: Recipient, names: tuple[str | None, ...]) -> Invited:
    return Invited(
        to=to,
        invitation="InViTe234567",
        table=facts.TABLE,
        inviter=names[0],
        people=People(names, None, to.reader.language),
        sitting=(0,),
        seats=len(names),
        goal_discs=17,
        commitment="ab" * 32,
        expires_at=facts.AT + timedelta(days=14),
    )


def a_digest(to: Recipient, names: tuple[str | None, ...], waits: int = 2, *, news: bool = True) -> Content:
    """Compose a daily digest: games that wait and, with `news`, a finished game, a closed table and invitations."""
    state, steps = far(names)
    told = facts.turn(state, steps[-len(names) :], names=names)
    people = People(names, told.seat, to.reader.language)
    told = replace(told, to=to, people=people, heard=HEARD, clock=a_clock(told.seat))
    found = Digest(
        to=to,
        waits=tuple(Wait(told, facts.AT - timedelta(days=number)) for number in range(waits)),
        ends=(_ended(to, names),) if news else (),
        closed=(_closed(to),) if news else (),
        invitations=(_invited(to, names), _invited(to, (None, *names[1:]))) if news else (),
        talks=(_talked(to, names),) if news else (),
        more=waits // 2,
        told=(),
        stale=(),
    )
    return digest.compose(
        found, facts.BASE, {facts.TABLE: facts.PAGE}, {"InViTe234567": SECRET}, facts.STOP, facts.ANSWERS
    )


def a_code(to: Recipient, purpose: str = "sign-in", *asked: PendingCommand) -> Content:
    """Compose the mail with a code."""
    never = None if to.account else facts.NEVER
    coded = ValidCode(to, "CoDe23456789", purpose, None, facts.AT + timedelta(minutes=15), asked)
    if purpose == "sign-in":
        return codes.compose_sign_in(coded, CODE, facts.BASE, never, facts.ENTER)
    return codes.compose_address_confirm(coded, CODE, facts.BASE, never)


def an_answer(
    to: Recipient,
    names: tuple[str | None, ...],
    rounds: int = 9,
    *,
    solo: bool = False,
    waits: bool = False,
    png: bytes | None = None,
    **more: object,
) -> Content:
    """Compose a reply to somebody's mail, with a line of each kind; with `waits`, to a player who is not to move."""
    state, steps = alone(rounds) if solo else far(names, rounds)
    seat = 0 if state.turn is None else (state.turn + waits) % len(names)
    told = facts.turn(state, steps[-1:], names=names[:1] if solo else names, seat=seat)  # type: ignore[arg-type]
    told = replace(told, to=to, people=People(told.people.names, seat, to.reader.language), version=len(steps))
    played = [number for number, step in enumerate(steps, start=1) if isinstance(step.move, Place)][-3:]  # type: ignore[attr-defined]
    lines = [Line("2 F", PLAYED, seq=number) for number in played]
    lines += [
        Line("1 A", what, table=facts.TABLE, facts=ABSENCE)
        for what in WHATS
        if what not in (PLAYED, REFUSED, UNCLEAR, ASKED)
    ]
    lines.append(Line("9 Z", REFUSED, code="left", why=Phrase("You have left this game.")))
    lines.append(Line("2 B", UNCLEAR, readings=("17@1,-2", "9@0,2")))
    lines = lines[2:3] if waits else lines
    given = {
        "to": to,
        "whom": "sender",
        "outcome": Outcome("AcCoUnt23456", facts.TABLE, tuple(lines), elsewhere=not waits, header=HEADER),
        "steps": {number: Made(steps[number - 1]) for number in played},  # type: ignore[arg-type]
        "turn": told,
        "history": () if waits else tuple((facts.AT, Made(step)) for step in steps),  # type: ignore[arg-type]
        "draw": None if state.result is None else ("ab" * 32, "cd" * 32),
        "open": None,
    }
    answered = Answered(**given | more)  # type: ignore[arg-type]
    scene = scenes.of_turn(told)
    picture = None if png is None else scenes.captioned(png or rendered(draw(scene)), scene)
    return answer.compose(
        answered,
        facts.BASE,
        facts.PAGE if answered.turn else None,
        facts.STOP,
        {},
        picture,
        reply_to=facts.REPLY_TO,
        record=facts.RECORD,
    )


def alone(rounds: int) -> tuple[Solo, list[object]]:
    """Return a solo after a number of moves, with its steps."""
    state = Solo(Draw(bytes(32), "mail", ("",)).tiles)
    steps: list[object] = []
    while state.result is None and len(steps) < rounds:
        moves = state.legal_moves()
        steps.append(state.advance(0, moves[len(steps) * 5 % len(moves)]))
    return state, steps


def a_change(to: Recipient) -> Content:
    """Compose the mail to an address that was changed."""
    changed = AddressChanged(to, "CoDe23456789")
    return codes.compose_address_changed(changed, facts.BASE, facts.NEVER, "help@example.org")


def every_kind(
    language: Language = ENGLISH, names: tuple[str | None, ...] = facts.NAMES, png: bytes | None = None
) -> dict[str, Callable[[], Content]]:
    """Return functions that compose each kind of mail for the first of these players, with `png` as the picture.

    An empty `png` is rendered, and None is no picture.
    """
    reader = Reader(language, ZONES[language.code])
    player = Recipient("ann@example.org", names[0], "AcCoUnt23456", reader)
    stranger = Recipient("guest@example.org", None, None, reader)
    return {
        "turn": lambda: a_turn(player, names, png=png),
        "turn-first": lambda: a_turn(player, names, 0, png=png),
        "end": lambda: an_end(player, names, png=png),
        "closed": lambda: a_closed(player),
        "talked": lambda: a_talked(player, names),
        "reminder": lambda: a_reminder(player, names, png=png),
        "reminder-one": lambda: a_reminder(player, names, 1),
        "step-nudge": lambda: a_step(player, names, "clock.nudge", "nudge"),
        "step-nudge-own": lambda: a_step(player, names, "clock.nudge", "nudge", mine=True, png=png),
        "step-grace-own": lambda: a_step(player, names, "clock.grace", "grace", mine=True),
        "step-autopilot": lambda: a_step(player, names, "clock.autopilot", "autopilot"),
        "step-autopilot-own": lambda: a_step(player, names, "clock.autopilot", "autopilot", mine=True),
        "step-warning": lambda: a_step(player, names, "clock.warning", "in_time"),
        "invitation": lambda: an_invitation(player, names, png),
        "invitation-stranger": lambda: an_invitation(stranger, names, png),
        "digest": lambda: a_digest(player, names),
        "digest-news": lambda: a_digest(player, names, 0),
        "sign-in": lambda: a_code(stranger),
        "sign-in-known": lambda: a_code(player),
        "sign-in-asked": lambda: a_code(stranger, "sign-in", PendingCommand("new", 3, 2)),
        "sign-in-open": lambda: a_code(stranger, "sign-in", PendingCommand("new", 2)),
        "sign-in-solo": lambda: a_code(stranger, "sign-in", PendingCommand("solo")),
        "sign-in-seat": lambda: a_code(player, "sign-in", PendingCommand("join")),
        "sign-in-several": lambda: a_code(stranger, "sign-in", PendingCommand("solo"), PendingCommand("new")),
        "about": lambda: about.compose(language, facts.BASE, "nova-luna@example.org", facts.NEVER),
        "answer": lambda: an_answer(player, names, png=png),
        "answer-solo": lambda: an_answer(player, names, 5, solo=True, png=png),
        "answer-solo-over": lambda: an_answer(player, names, 99, solo=True, png=png),
        "answer-short": lambda: an_answer(player, names, waits=True),
        "answer-asking": lambda: an_answer(player, names, outcome=Outcome("A", "G", (Line("resign", ASKED),))),
        "answer-open": lambda: an_answer(
            player,
            names,
            outcome=Outcome("A", None, (Line("new 3", OPENED, table=facts.TABLE),), elsewhere=True, header=HEADER),
            turn=None,
            open=OpenTable(facts.TABLE, 3, 1, "ab" * 32),
            whom="account",
            history=(),
        ),
        **{
            f"answer-{kind}": partial(an_answer, player, names, outcome=Outcome("A", "G", nothing=kind))
            for kind in ("text", "empty", "picture", "encrypted", "calendar", "attachment", "subject")
        },
        "address-confirm": lambda: a_code(stranger, "email-change"),
        "address-changed": lambda: a_change(player),
    }
