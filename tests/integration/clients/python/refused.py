"""Requests that must not pass mypy: with --strict, an ignore on a line without an error is an error of its own."""

from nova_luna_client import AuthenticatedClient
from nova_luna_client.api.games import create_game
from nova_luna_client.api.moves import make_move
from nova_luna_client.models import (
    ClockPreset,
    DiscsPreset,
    GameRequest,
    PerWaitClock,
    PlaceMove,
    RefillMove,
    ResignMove,
)

CLIENT = AuthenticatedClient(base_url="http://localhost", token="")

GameRequest()  # type: ignore[call-arg]  # a table has a number of seats
GameRequest(seats=2, discs="lots")  # type: ignore[arg-type]
GameRequest(discs="lots")  # type: ignore[call-arg, arg-type]
GameRequest(seats=2, clock="hourglass")  # type: ignore[arg-type]
PlaceMove(type_="place")  # type: ignore[call-arg]  # a placement has a tile and a cell
PlaceMove(type_="refill", tile=3, x=0, y=0)  # type: ignore[arg-type]
RefillMove(type_="refill", tile=3)  # type: ignore[call-arg]  # a refill has no tile
create_game.sync(client=CLIENT, body={})  # type: ignore[arg-type]
make_move.sync("3kTmWq8ZbNpR", client=CLIENT, body={})  # type: ignore[arg-type]
make_move.sync("3kTmWq8ZbNpR", client=CLIENT, body={"type": "place"})  # type: ignore[arg-type]
make_move.sync("3kTmWq8ZbNpR", client=CLIENT)  # type: ignore[call-arg]

GameRequest(seats=2)
GameRequest(seats=3, discs=DiscsPreset.FIRST_GAME, clock=PerWaitClock(kind="per_wait", per_wait="P2D"))
GameRequest(seats=4, discs=12, clock=ClockPreset.DAYS_3)
make_move.sync("3kTmWq8ZbNpR", client=CLIENT, body=PlaceMove(type_="place", tile=3, x=0, y=-1))
make_move.sync("3kTmWq8ZbNpR", client=CLIENT, body=RefillMove(type_="refill", expected_version=4))
make_move.sync("3kTmWq8ZbNpR", client=CLIENT, body=ResignMove(type_="resign"))
