"""Events, near and far: scenes as in `tests.drills.growth.requests`."""

from __future__ import annotations

from collections.abc import Iterator

from tests.drills.growth.requests import scene
from tests.drills.growth.site import Site

_FAR = "SELECT value || '-' || 1 FROM epoch"
_NEAR = "SELECT value || '-' || last - 50 FROM epoch, event_positions"


def _reading(case: str, cursor: str, *, regular: bool) -> None:
    @scene("events.list_events", case)
    def ask(site: Site) -> Iterator[None]:
        ((after,),) = site.sql(cursor)
        yield
        site.ask(site.regular if regular else site.reader, "GET", f"/v1/events?after={after}")


for _case, _cursor, _regular in (
    ("near", _NEAR, False),
    ("far", _FAR, False),
    ("near of one with many tables", _NEAR, True),
    ("far of one with many tables", _FAR, True),
):
    _reading(_case, _cursor, regular=_regular)


@scene("events.list_game_events")
def list_game_events(site: Site) -> Iterator[None]:
    ((after,),) = site.sql(_FAR)
    yield
    site.ask(None, "GET", f"/v1/games/{site.public(site.copied.finished)}/events?after={after}")


@scene("events.list_solo_session_events")
def list_solo_session_events(site: Site) -> Iterator[None]:
    player = site.stranger()
    solo = site.solo(player)
    ((after,),) = site.sql(_FAR)
    yield
    site.ask(player, "GET", f"/v1/solo-sessions/{solo}/events?after={after}")
