"""Each list of tables, with its filters, at its beginning and far down: scenes as in `tests.drills.growth.requests`."""

from __future__ import annotations

from collections.abc import Iterator

from service.queries.tables import STATUSES
from tests.drills.growth.requests import scene
from tests.drills.growth.site import Site

_DEEP = 0.5
"""The position of the second page that is requested, as a share of all tables."""

_OF_GAMES = (
    ("nobody", "", "first"),
    ("reader", "", "first"),
    ("regular", "", "first"),
    ("regular", "", "deep"),
    ("regular", "mine=true&", "first"),
    ("regular", "mine=true&", "deep"),
)


def _list(endpoint: str, who: str, page: str, query: str) -> None:
    resource = "games" if endpoint == "games.list_games" else "solo-sessions"

    @scene(endpoint, f"{who} {page} {query}".strip())
    def ask(site: Site) -> Iterator[None]:
        path = f"/v1/{resource}"
        cursor = f"&cursor={site.cursor(path, int(site.copied.games * _DEEP))}" if page == "deep" else ""
        player = None if who == "nobody" else getattr(site, who)
        yield
        site.ask(player, "GET", f"{path}?{query}{cursor}")


for _status in ("", *(f"status={status}" for status in STATUSES)):
    for _who, _filter, _page in _OF_GAMES:
        _list("games.list_games", _who, _page, _filter + _status)
    _list("solo-sessions.list_solo_sessions", "regular", "deep", _status)
for _filters in ("seats=3", "goal_discs=7&status=finished", "clock=week", "clock=bank&seats=2", "mine=false"):
    for _page in ("first", "deep"):
        _list("games.list_games", "regular", _page, _filters)
_list("games.list_games", "regular", "first", "free_seats=2&seats=4")
_list("games.list_games", "regular", "deep", "mine=true&seats=2&goal_discs=20")
_list("games.list_games", "reader", "first", "mine=true&sort=runs_out_at&seats=2")
for _page in ("first", "deep"):
    _list("games.list_games", "reader", _page, "my_turn=true")
    _list("solo-sessions.list_solo_sessions", "regular", _page, "my_turn=true")
