"""A line of the vectors: settings and events in, the expected log, reminders, views and refusals out (section 12).

Three events are added to theirs, what else the host can do (7.3): `give` {seat, for, reason}, `put_out` {seat, reason},
`stop` {reason}.
"""

from typing import Any

from tests.oracle.clocks import views
from tests.oracle.clocks.accounts import Refused
from tests.oracle.clocks.model import Model
from tests.oracle.clocks.reminders import together
from tests.oracle.clocks.state import Settings
from tests.oracle.clocks.times import duration, instant, stamp

Event = dict[str, Any]


def expected(line: dict[str, Any]) -> dict[str, Any]:
    """Return the result that a line's settings and events must have."""
    if "planned" in line:
        return {"mails": together(line["planned"])}
    model = Model(settings(line["settings"]))
    refused, shown = [], {}
    asks = [(instant(each["at"]), number) for number, each in enumerate(line["ask"])]
    events = [(happens(event), event) for event in line["events"]]
    ends = {instant(event["to"]) for event in line["events"] if "to" in event}  # of outages, and of mails in hand
    for at in sorted({at for at, _ in events} | {at for at, _ in asks} | ends):
        model.advance(at, including=False)
        for event in [event for when, event in events if when == at]:
            try:
                happen(model, event)
            except Refused as refusal:
                refused.append(refusal_of(event, refusal))
        model.advance(at, including=True)
        for number in [number for when, number in asks if when == at]:
            shown[number] = {**line["ask"][number], "clock": views.view(model, line["ask"][number]["viewer"])}
    return {
        "views": [shown[number] for number in range(len(line["ask"]))],
        "log": log(model),
        "reminders": reminders(model),
        "refused": refused,
    }


def settings(given: dict[str, Any]) -> Settings:
    """Return a table's settings as the model has them."""
    return Settings(
        [seat == "bot" for seat in given["seats"]], given["clock"], given["ladder"], given.get("quiet", True),
        given.get("absences", True), duration(given.get("abandoned_after", "P90D")),
    )  # fmt: skip


def happens(event: Event) -> int:
    """Return when an event happens, or begins."""
    return instant(event.get("at") or event["from"])


def follows(event: Event) -> list[int | None]:
    """Return the seats that would move next, one after the other, if the seat to move were gone."""
    then = event.get("then")
    return list(then) if isinstance(then, list) else [] if then is None else [then]


def happen(model: Model, event: Event) -> None:
    """Let one event happen."""
    seat = event.get("seat", 0)
    match event["type"]:
        case "start":
            model.start(happens(event), seat, follows(event))
        case "move":
            model.move(seat, event["next"], follows(event), event.get("by"))
        case "leave":
            model.leave(seat, event.get("next"), follows(event))
        case "schedule":
            model.schedule(seat, event["zone"], event["quiet"])
        case "reminders":
            model.accounts[seat].choose(model.now, event["list"])
        case "absence":
            model.absence(seat, instant(event["from"]) if event.get("from") else None, instant(event["until"]))
        case "back":
            model.back(seat)
        case "more":
            model.more(seat, duration(event["for"]))
        case "pause":
            model.pause(instant(event["until"]), event["reason"])
        case "resume":
            model.resume(event["reason"])
        case "give":
            model.give(seat, event["for"], event["reason"])
        case "put_out":
            model.put_out(seat, event["reason"])
        case "stop":
            model.stop(event["reason"])
        case "keep":
            model.keep(seat)
        case "outage":
            model.fail(event["from"], event["to"], event["what"])
        case "mail":
            model.mail(seat, event["from"], event["to"])
        case other:
            raise AssertionError(f"no such event: {other}")


def refusal_of(event: Event, refusal: Refused) -> dict[str, Any]:
    """Return a refusal as the vectors have it."""
    return {"at": event["at"], "type": event["type"], "seat": event["seat"], "why": refusal.why}


def log(model: Model) -> list[dict[str, Any]]:
    """Return the entries as the vectors have them."""
    entries = []
    for entry in model.game.log:
        shown: dict[str, Any] = {"seq": entry.seq, "at": stamp(entry.at), "seat": entry.seat, "kind": entry.kind}
        if entry.by:
            shown["by"] = entry.by
        if entry.data is not None:
            shown["data"] = entry.data
        entries.append(shown)
    return entries


def reminders(model: Model) -> list[dict[str, Any]]:
    """Return the reminders that were sent, as the vectors have them."""
    return [{"at": stamp(sent["at"]), "seat": sent["seat"], "which": sent["which"]} for sent in model.reminders.sent]
