"""Play a game of two players and a solo to their ends by the generated client, and print what came of them."""

import json
import sys
from typing import Any, TypeVar

import httpx
from nova_luna_client import AuthenticatedClient, Client
from nova_luna_client.api.boards import get_board_png, get_board_svg
from nova_luna_client.api.games import create_game
from nova_luna_client.api.moves import get_record, list_legal_moves, make_move
from nova_luna_client.api.players import join_game
from nova_luna_client.api.solo_sessions import (
    create_solo_session,
    list_solo_legal_moves,
    make_solo_move,
    start_solo_session,
)
from nova_luna_client.models import (
    ClockPreset,
    Game,
    GameRequest,
    JoinRequest,
    LegalMoves,
    Mark,
    Place,
    PlaceMove,
    Problem,
    ProblemCode,
    Record,
    RefillMove,
    ResignMove,
    SoloSessionRequest,
    StartRequest,
)
from nova_luna_client.types import File

T = TypeVar("T")

ADDRESS, *TOKENS = sys.argv[1:]
ANN, BEN = (AuthenticatedClient(base_url=ADDRESS, token=token) for token in TOKENS)


def shown(kind: type[T], answer: object) -> T:
    """Return an answer of the expected type; raise RuntimeError for any other."""
    if isinstance(answer, Problem):
        raise RuntimeError(f"{answer.code}: {answer.detail}")
    if not isinstance(answer, kind):
        raise RuntimeError(f"{answer!r:.200}")
    return answer


def chosen(legal: LegalMoves) -> PlaceMove | RefillMove | ResignMove:
    """Return the first legal move."""
    if legal.tiles and legal.cells:
        tile, cell = legal.tiles[0], legal.cells[0]
        return PlaceMove(
            type_="place", tile=tile, x=cell.x, y=cell.y, letter=cell.letter, expected_version=legal.version
        )
    if legal.refill:
        return RefillMove(type_="refill", expected_version=legal.version)
    return ResignMove(type_="resign")


def match() -> Game:
    """Play a game of two players to its end."""
    game = shown(Game, create_game.sync(client=ANN, body=GameRequest(seats=2, discs=5, clock=ClockPreset.WEEK)))
    game = shown(Game, join_game.sync(game.id, client=BEN, body=JoinRequest(entropy="clover")))
    early = make_move.sync(game.id, client=ANN, body=RefillMove(type_="refill"))
    assert isinstance(early, Problem) and early.code == ProblemCode.VERSION_REQUIRED
    while game.turn:
        mover, other = (ANN, BEN) if game.turn.seat == 0 else (BEN, ANN)
        move = chosen(shown(LegalMoves, list_legal_moves.sync(game.id, client=mover)))
        refused = make_move.sync(game.id, client=other, body=move)
        assert isinstance(refused, Problem) and refused.rule == "2.1" and refused.legal and refused.legal.resign
        game = shown(Game, make_move.sync(game.id, client=mover, body=move))
    return game


def solo() -> Game:
    """Play a solo to its end."""
    game = shown(Game, create_solo_session.sync(client=ANN, body=SoloSessionRequest()))
    game = shown(Game, start_solo_session.sync(game.id, client=ANN, body=StartRequest()))
    while game.turn:
        move = chosen(shown(LegalMoves, list_solo_legal_moves.sync(game.id, client=ANN)))
        game = shown(Game, make_solo_move.sync(game.id, client=ANN, body=move))
    return game


def told(move: Any) -> str:
    """Return a move of the log as short text: `17@1,-2`, or its type."""
    if isinstance(move, Place):
        return f"{move.tile}@{move.x},{move.y}"
    return move.kind if isinstance(move, Mark) else str(move.type_)


def picture() -> bytes:
    """Return a picture as the client reads it; drawing one can take long on a busy machine."""
    pixels = httpx.Response(200, content=b"\x89PNG\r\n", headers={"Content-Type": "image/png"})
    read = get_board_png._build_response(client=ANN, response=pixels).parsed
    return shown(File, read).payload.read()


def main() -> None:
    """Play, and print the outcome as JSON."""
    played, anybody = match(), Client(base_url=ADDRESS)
    record = shown(Record, get_record.sync(played.id, client=anybody))
    assert played.result and played.last_move
    alone = solo()
    assert alone.result and alone.solo
    outcome = {
        "match": {"id": played.id, "reason": played.result.reason, "ranking": played.result.ranking},
        "log": [told(entry.move) for entry in record.log],
        "last": played.last_move.notation,
        "colors": [tile.color for display in played.displays for tile in display.tiles],
        "png": picture()[1:4].decode(),
        "svg": shown(str, get_board_svg.sync(played.id, client=anybody))[:4],
        "solo": {
            "id": alone.id,
            "reason": alone.result.reason,
            "score": alone.result.score or None,
            "phase": alone.solo.phase,
        },
    }
    print(json.dumps(outcome))


main()
