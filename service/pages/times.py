"""The page /settings/times: the time zone of an account, its quiet times and its absences (CLOCKS.md 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import chain
from typing import Any

from flask import Blueprint, Response, request, url_for

from engine.phrases import Phrase
from service.api.context import now
from service.clocks.absences import YEARS, days
from service.clocks.quiet_times import DAYS
from service.clocks.zones import zones
from service.commands import absences, quiet_times
from service.errors import Malformed, Refusal
from service.language.people import People
from service.pages.done import mark
from service.pages.guard import needs_session
from service.pages.rendering import page, see_other
from service.pages.settings import refused_settings
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


@blp.get("/settings/times")
@needs_session
def show_times(me: BrowserSession) -> Response:
    """Show the time zone, the quiet times and the absences to come."""
    session, caller, at = db.session(), KnownAccount(me.account), now()
    quiet = quiet_times_of(session, caller)
    assert quiet is not None, "the account is there"
    ahead = [absence for absence in absences_of(session, caller, at) or () if absence.ends > at]
    running = running_clocks.of_account(session, me.account) if ahead else []
    ignoring = [[game.id for game in running if game.ignores(absence)] for absence in ahead]
    named = people_of(session, {*quiet.not_yet_in, *chain(*ignoring)}, me.account, me.reader.language)
    return page(
        "times.html",
        me.reader,
        zone=quiet.zone,
        zones=sorted(zones()),
        windows=[*quiet.quiet, *[None] * max(1, WINDOWS - len(quiet.quiet))],
        days=_weekdays(me),
        not_yet_in=_where(quiet.not_yet_in, named, me),
        absences=[(absence, _where(games, named, me)) for absence, games in zip(ahead, ignoring, strict=True)],
        clock=[f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 30)],
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
        return refused_settings(refusal, me, _HERE)
    return see_other(url_for(_HERE, done=mark("quiet")))


@blp.post("/settings/times/absences")
@needs_session
def change_absences(me: BrowserSession) -> Response:
    """Announce an absence, or come back from it."""
    try:
        with transaction() as session:
            if request.form.get("do") == "back":
                absences.back(session, me.account, now())
            else:
                last = _day("until")
                if last is None:
                    raise Malformed("unfit", _NO_DAY)
                asked = days(_day("from"), last, me.zone, now())
                absences.announce(session, me.account, asked, now())
    except Refusal as refusal:
        return refused_settings(refusal, me, _HERE)
    return see_other(url_for(_HERE, done=mark("absences"), _anchor="absences"))


def _most_windows() -> int:
    """Return the number of windows in the form."""
    return min(20, sum(name.startswith("from-") for name in request.form))


def _window(number: int) -> dict[str, Any] | None:
    """Return a window of the form as the API has it; None if it is empty."""
    form = request.form
    chosen = [day for day in DAYS if f"{day}-{number}" in form]
    begins, ends = form.get(f"from-{number}", ""), form.get(f"to-{number}", "")
    if not chosen and not begins and not ends:
        return None
    if not chosen or not begins or not ends:
        raise Malformed("unfit", _NO_WINDOW)
    return {"days": chosen, "from": begins, "to": ends}


def _day(name: str) -> date | None:
    """Return the day in a field of the form; None if the field is empty."""
    given = request.form.get(name, "")
    if not given:
        return None
    try:
        day = date.fromisoformat(given)
    except ValueError:
        raise Malformed("unfit", _NO_DAY) from None
    if day.year not in YEARS:
        raise Malformed("unfit", _NO_DAY)
    return day


def _where(games: Iterable[str], named: Mapping[str, People], me: BrowserSession) -> str:
    """Return games, each by the other players at its table."""
    language = me.reader.language
    return language.joined(language.say("with %(others)s", others=named[game].others()) for game in games)


def _weekdays(me: BrowserSession) -> list[tuple[str, str]]:
    """Return the weekdays with their names in the reader's language."""
    named = me.reader.language.locale.days["stand-alone"]["abbreviated"]
    return [(day, str(named[number])) for number, day in enumerate(DAYS)]
