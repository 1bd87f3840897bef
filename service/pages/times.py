"""The page /settings/times: the time zone of an account, its quiet times and its absences (CLOCKS.md 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from itertools import chain
from typing import Any, NamedTuple

from flask import Blueprint, Response, request, url_for

from engine.phrases import Phrase
from service.api.context import now
from service.clocks.absences import YEARS, Absence, days
from service.clocks.quiet_times import DAYS
from service.clocks.zones import zones
from service.commands import absences, quiet_times
from service.errors import Malformed, Refusal, Wrong
from service.language.people import People
from service.pages.done import mark
from service.pages.guard import needs_session
from service.pages.refusals import UNFIT_CHANGE, form_page
from service.pages.rendering import see_other
from service.queries import running_clocks
from service.queries.browser_sessions import BrowserSession
from service.queries.named_tables import people_of
from service.queries.quiet_times import absences_of, quiet_times_of
from service.store.base import db
from service.store.callers import KnownAccount
from service.store.unit import transaction

blp = Blueprint("times_page", __name__)

WINDOWS = 3
"""The number of windows of quiet times that the form has; more that were set elsewhere are kept and shown."""

_HERE = "times_page.show_times"
_NO_DAY = Phrase("Write a day as 2026-12-05.")
_NO_WINDOW = Phrase("Quiet times need a day of the week, a beginning and an end; leave all three empty for none.")


class _Ahead(NamedTuple):
    """An absence that is not over.

    Attributes:
        absence: the absence.
        ignoring: the games in which it does not count; empty for none.
        begins: when it begins, as the form that calls it off has it; None if it has begun.
    """

    absence: Absence
    ignoring: str
    begins: str | None


@blp.get("/settings/times")
@needs_session
def show_times(me: BrowserSession) -> Response:
    """Show the time zone, the quiet times and the absences to come."""
    return _page(me)


def _page(me: BrowserSession, form: str = "", wrong: Refusal | None = None) -> Response:
    """Return the page; `wrong` says what was wrong with a form, which keeps what was typed and chosen."""
    session, caller, at = db.session(), KnownAccount(me.account), now()
    quiet = quiet_times_of(session, caller)
    assert quiet is not None, "the account is there"
    ahead = [absence for absence in absences_of(session, caller, at) or () if absence.ends > at]
    running = running_clocks.of_account(session, me.account) if ahead else []
    ignoring = [[game.id for game in running if game.ignores(absence)] for absence in ahead]
    named = people_of(session, {*quiet.not_yet_in, *chain(*ignoring)}, me.account, me.reader.language)
    typed = form == "quiet"
    windows = [_typed_window(number) for number in range(_most_windows())] if typed else quiet.quiet
    absences = [
        _Ahead(absence, _where(games, named, me), absence.begins.isoformat() if absence.begins > at else None)
        for absence, games in zip(ahead, ignoring, strict=True)
    ]
    return form_page(
        "times.html",
        me.reader,
        form,
        wrong,
        field=wrong.wrong[0].field if isinstance(wrong, Malformed) and wrong.wrong else "",
        zone=request.form.get("zone", "") if typed else quiet.zone,
        zones=sorted(zones()),
        windows=[*windows, *[None] * (0 if typed else max(1, WINDOWS - len(quiet.quiet)))],
        days=_weekdays(me),
        not_yet_in=_where(quiet.not_yet_in, named, me),
        absences=absences,
        is_away=any(each.begins is None for each in absences),
    )


@blp.post("/settings/times/quiet")
@needs_session
def change_quiet(me: BrowserSession) -> Response:
    """Change the time zone and the quiet times."""
    try:
        windows = [window for number in range(_most_windows()) if (window := _window(number)) is not None]
        with transaction() as session:
            quiet_times.change(session, me.account, request.form.get("zone", ""), windows, now())
    except Refusal as refusal:
        return _page(me, "quiet", refusal)
    return see_other(url_for(_HERE, done=mark("quiet")))


@blp.post("/settings/times/absences")
@needs_session
def change_absences(me: BrowserSession) -> Response:
    """Announce an absence, call one off that has not begun, or come back."""
    try:
        with transaction() as session:
            if request.form.get("do") == "back":
                absences.back(session, me.account, now())
            elif "take_back" in request.form:
                absences.call_off(session, me.account, _instant("take_back"), now())
            else:
                last = _day("until")
                if last is None:
                    raise Malformed("unfit", _NO_DAY)
                asked = days(_day("from"), last, me.zone, now())
                absences.announce(session, me.account, asked, now())
    except Refusal as refusal:
        return _page(me, "absences", refusal)
    return see_other(url_for(_HERE, done=mark("absences"), _anchor="absences"))


def _most_windows() -> int:
    """Return the number of windows in the form."""
    return min(20, sum(name.startswith("from-") for name in request.form))


def _typed_window(number: int) -> dict[str, Any]:
    """Return a window of the form, complete or not, as the API has one."""
    form = request.form
    chosen = [day for day in DAYS if f"{day}-{number}" in form]
    return {"days": chosen, "from": form.get(f"from-{number}", ""), "to": form.get(f"to-{number}", "")}


def _window(number: int) -> dict[str, Any] | None:
    """Return a window of the form as the API has it; None if it is empty."""
    typed = _typed_window(number)
    if not any(typed.values()):
        return None
    if not all(typed.values()):
        raise Malformed("unfit", _NO_WINDOW)
    return typed


def _day(name: str) -> date | None:
    """Return the day in a field of the form, or the last or first one that is read; None if the field is empty."""
    given = request.form.get(name, "")
    if not given:
        return None
    try:
        day = date.fromisoformat(given)
    except ValueError:
        raise Malformed("unfit", _NO_DAY, wrong=[Wrong("body", name, _NO_DAY)]) from None
    return min(max(day, date(YEARS[0], 1, 1)), date(YEARS[-1], 12, 31))


def _instant(name: str) -> datetime:
    """Return the instant in a field of a button of the form."""
    try:
        return datetime.fromisoformat(request.form.get(name, ""))
    except ValueError:
        raise Malformed("unfit", UNFIT_CHANGE) from None


def _where(games: Iterable[str], named: Mapping[str, People], me: BrowserSession) -> str:
    """Return games, each by the other players at its table."""
    language = me.reader.language
    return language.joined(language.say("with %(others)s", others=named[game].others()) for game in games)


def _weekdays(me: BrowserSession) -> list[tuple[str, str]]:
    """Return the weekdays with their names in the reader's language."""
    named = me.reader.language.locale.days["stand-alone"]["abbreviated"]
    return [(day, str(named[number])) for number, day in enumerate(DAYS)]
