"""Quiet times, absences, and what is said about a game's clock: scenes as in `tests.drills.growth.requests`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from bench.seed import Player
from service.commands import clock_steps
from service.store import due_games
from tests.drills.growth.requests import scene
from tests.drills.growth.site import Site

_SHORT = {
    "clock": {"kind": "per_wait", "per_wait": "PT1H"},
    "ladder": {"nudge": "PT1H", "grace": None, "then": "autopilot"},
}
_STEPS_AFTER = (1, 2)
"""The hours after which the nudge and the autopilot are due."""


@scene("quiet-times.get_quiet_times")
@scene("quiet-times.set_quiet_times")
def set_quiet_times(site: Site) -> Iterator[None]:
    yield
    night = {"days": ["mon", "tue"], "from": "22:00", "to": "07:00"}
    site.ask(site.reader, "PUT", "/v1/me/quiet-times", {"zone": "Europe/Berlin", "quiet": [night]})
    site.ask(site.reader, "GET", "/v1/me/quiet-times")


@scene("absences.list_absences")
@scene("absences.announce_absence")
@scene("absences.come_back")
def go_away_and_come_back(site: Site) -> Iterator[None]:
    begins = (site.context.clock() + timedelta(days=3)).date()
    yield
    given = {"from": begins.isoformat(), "until": (begins + timedelta(days=2)).isoformat()}
    site.ask(site.reader, "POST", "/v1/me/absences", given)
    site.ask(site.reader, "GET", "/v1/me/absences")
    site.ask(site.reader, "POST", "/v1/me/back", {})


@scene("clocks.offer_time")
@scene("clocks.keep_game")
def offer_time(site: Site) -> Iterator[None]:
    game, others = started(site)
    waiting = next(player for player in others if not is_to_move(site, player, game))
    yield
    site.ask(waiting, "POST", f"/v1/games/{game}/time", {"duration": "P1D"})
    site.ask(waiting, "POST", f"/v1/games/{game}/keep", {})


@scene("solo-sessions.keep_solo_session")
def keep_solo(site: Site) -> Iterator[None]:
    player = site.stranger()
    solo = site.solo(player)
    yield
    site.ask(player, "POST", f"/v1/solo-sessions/{solo}/keep", {})


@scene("clocks.take_seat_back")
def take_seat_back(site: Site) -> Iterator[None]:
    game, players = started(site)
    mover = next(player for player in players if is_to_move(site, player, game))
    with site.context.sessions.begin() as session:
        found = due_games.by_id(session, game)
        assert found is not None
        for hours in _STEPS_AFTER:
            clock_steps.settle(session, found, site.context.clock() + timedelta(hours=hours))
    yield
    site.ask(mover, "POST", f"/v1/games/{game}/back", {})


@scene("games.get_game", "with a clock")
def get_game_with_clock(site: Site) -> Iterator[None]:
    game, players = started(site)
    yield
    site.ask(players[0], "GET", f"/v1/games/{game}")


@scene("games.list_games", "reader by time")
def list_by_time(site: Site) -> Iterator[None]:
    yield
    for asked in ("mine=true", "my_turn=true"):
        page = site.ask(site.reader, "GET", f"/v1/games?sort=runs_out_at&limit=5&{asked}")
        if page["next"]:
            site.ask(site.reader, "GET", f"/v1/games?sort=runs_out_at&limit=5&{asked}&cursor={page['next']}")


def started(site: Site) -> tuple[str, list[Player]]:
    """Start a game for two with a short clock, and return its id and its players."""
    maker, guest = site.stranger(), site.stranger()
    made = site.ask(maker, "POST", "/v1/games", {"seats": 2, "discs": "full", "visibility": "public", **_SHORT})
    site.ask(guest, "POST", f"/v1/games/{made['id']}/players", {})
    return str(made["id"]), [maker, guest]


def is_to_move(site: Site, player: Player, game: str) -> bool:
    found = site.ask(player, "GET", f"/v1/games/{game}")
    return bool(found["you"] == found["turn"]["seat"])
