"""A game's clock as its players and others are shown it (10.1, 10.3, 11.2)."""

from typing import Any

from tests.oracle.clocks.model import Model
from tests.oracle.clocks.times import HOUR, NEVER, shortest, stamp


def view(model: Model, viewer: int | None) -> dict[str, Any]:
    """Return the clock as a seat, or somebody who is not at the table, is shown it now."""
    game, stretch, now = model.game, model.game.stretch, model.now
    shown: dict[str, Any] = {"kind": model.settings.kind, "seat": None, "running": False, "stands_still_because": None,
                             "stage": None, "left": [None] * len(model.settings.bots), "runs_out_at": None,
                             "next": None, "away": []}  # fmt: skip
    if model.settings.kind == "none" or not stretch:
        return shown
    own = viewer == stretch.seat
    reason = game.reason(now)
    if (reason == "quiet" and not own) or (reason == "absent" and viewer is None):
        reason = None
    shown.update(seat=stretch.seat, stage=stretch.stage, running=reason is None, stands_still_because=reason)
    shown["left"] = [left(model, seat, viewer) for seat in range(len(model.settings.bots))]
    if stretch.seat in game.persons():
        shown["runs_out_at"] = moment(game.runs_out(), own)
    due, step = model.next_of_ladder()
    if step:
        due = max([due, *(ends for _, ends in game.pauses)])
        shown["next"] = {"step": step, "at": moment(due, own)}
    if viewer is not None:
        shown["away"] = away(model)
    return shown


def moment(at: int, own: bool) -> str | None:
    """Return an instant; others than the one to move are shown the next whole hour."""
    if at == NEVER:
        return None
    return stamp(at if own else -(-at // HOUR) * HOUR)


def left(model: Model, seat: int, viewer: int | None) -> str | None:
    """Return the time left to a seat, as the viewer is shown it."""
    game, stretch = model.game, model.game.stretch
    assert stretch
    if seat not in game.persons():
        return None
    if seat != stretch.seat:
        amount = game.allowance(seat)
    elif viewer == seat:
        amount = game.left_at(model.now)
    else:
        amount = stretch.segments[-1].left if stretch.stage == "in_time" else 0
    return shortest(amount if viewer == seat else amount // HOUR * HOUR)


def away(model: Model) -> list[dict[str, Any]]:
    """Return the announced absences that are not over, of all seats that have not left."""
    found = [(seat, absence.begins, absence.ends) for seat, account in enumerate(model.accounts)
             for absence in account.absences if absence.ends > model.now and seat not in model.game.left]  # fmt: skip
    return [{"seat": seat, "from": stamp(begins), "until": stamp(ends)} for seat, begins, ends in sorted(found)]
