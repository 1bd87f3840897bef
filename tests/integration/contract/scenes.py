"""Situations in which each operation of the document can be called with its example and succeeds.

A scene gives the caller, the values in the path, and what has to replace a secret in the example that cannot be known
beforehand (a code, an invitation). The game and the solo session get the same draw that the examples were made from, so
that their moves are legal.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import create_engine, text

from engine.draw import Draw
from engine.moves import Mark
from service.access import secrets
from service.api.context import context_of, now
from service.api.exploration_view import EXPLORATION
from service.api.game_examples import GAME, SOLO
from service.api.import_view import IMPORTED
from service.commands import entries
from service.config import Settings
from service.ids import new_id
from service.local.cluster import SERVICE, USER
from service.queries.table import load
from service.store.base import engine_url
from service.store.unit import transaction
from tests.support.checkpointed import checkpoint_of
from tests.support.web import KEYS, Person, codes_for


@dataclass
class Scene:
    """The way to call an operation."""

    caller: Person | None = None
    path: dict[str, Any] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)


@dataclass
class World:
    """An application, and people who can sign up."""

    app: Flask
    client: FlaskClient
    sign_up: Callable[..., Person]

    def made(self, person: Person, path: str, body: Any = None) -> Any:
        answer = self.client.post(path, json=body, headers=person.headers)
        assert answer.status_code in (200, 201), answer.text
        return answer.get_json()

    @property
    def owner_url(self) -> str:
        """The URL of the database for the owner of its tables."""
        settings: Settings = self.app.extensions["novaluna"].settings
        return settings.database_url.replace(f"//{SERVICE}@", f"//{USER}@")

    def run(self, statement: str, **values: Any) -> None:
        """Run a statement as the owner of the tables, for what the service may not do."""
        engine = create_engine(engine_url(self.owner_url))
        with engine.begin() as connection:
            connection.execute(text(statement), values)
        engine.dispose()

    def lay_draw_of(self, example: str, table: str) -> None:
        """Give an open table the id and the draw of an example; a table that had the id gets another one."""
        seed = hashlib.sha256(example.encode()).digest()
        commitment = bytes.fromhex(Draw(seed, example, ("",)).commitment)
        self.run("UPDATE tables SET id = :new WHERE id = :example", new=new_id(), example=example)
        self.run(
            "UPDATE draw_secrets SET server_seed = :seed FROM tables WHERE game = key AND id = :table",
            seed=seed,
            table=table,
        )
        self.run(
            "UPDATE tables SET id = :example, commitment = :commitment WHERE id = :table",
            example=example,
            commitment=commitment,
            table=table,
        )
        # Outside of tests a table's id and draw never change, so processes cache them by its id.
        context_of(self.app).tables.clear()

    # people

    def ann(self) -> Person:
        return self.sign_up("Ann", "ann@example.org")

    def ben(self) -> Person:
        return self.sign_up("Ben", "ben@example.org")

    # tables

    def open_table(self, ann: Person, **table: Any) -> str:
        made = self.made(ann, "/v1/games", {"seats": 2, **table})
        self.lay_draw_of(GAME.view["id"], made["id"])
        return str(GAME.view["id"])

    def running_game(self) -> Scene:
        """Return the scene of the example's game after the example's moves, with the caller to move."""
        people = [self.ann(), self.ben()]
        table = self.open_table(people[0])
        self.made(people[1], f"/v1/games/{table}/players", {})
        view = self._play(f"/v1/games/{table}", people, GAME.record["log"])
        return Scene(people[view["turn"]["seat"]], {"game_id": table})

    def game_with_moves(self) -> Scene:
        """Return the scene of the running game, with the number of its last move."""
        scene = self.running_game()
        return replace(scene, path={**scene.path, "seq": len(GAME.record["log"])})

    def solo_with_moves(self) -> Scene:
        """Return the scene of the running solo session, with the number of its last move."""
        scene = self.running_solo()
        return replace(scene, path={**scene.path, "seq": len(SOLO.record["log"])})

    def game_with_goals(self) -> Scene:
        """Return the scene of the running game, with the seat that moved last."""
        scene = self.running_game()
        return replace(scene, path={**scene.path, "seat": GAME.record["log"][-1]["seat"]})

    def solo_with_goals(self) -> Scene:
        """Return the scene of the running solo session, with its seat."""
        scene = self.running_solo()
        return replace(scene, path={**scene.path, "seat": 0})

    def clocked_game(self) -> Scene:
        """Start a game with a clock; the caller is not to move."""
        table, mover, people = self._clocked()
        return Scene(people[1 - mover], {"game_id": table})

    def game_on_autopilot(self) -> Scene:
        """Start a game in which a bot plays for the caller, who is to move."""
        table, mover, people = self._clocked()
        with self.app.app_context(), transaction() as session:
            loaded = load(session, table)
            assert loaded is not None
            entries.add(session, loaded, mover, Mark("clock.autopilot", {"wait": 0}), now())
        return Scene(people[mover], {"game_id": table})

    def _clocked(self) -> tuple[str, int, list[Person]]:
        """Start a game with a clock; return its id, the seat to move, and the players."""
        people = [self.ann(), self.ben()]
        table = self.open_table(people[0], clock="days-3")
        view = self.made(people[1], f"/v1/games/{table}/players", {})
        return table, view["turn"]["seat"], people

    def game_with_note(self) -> Scene:
        return self._with_note(self.running_game(), "/v1/games/{game_id}/notes")

    def solo_with_note(self) -> Scene:
        return self._with_note(self.running_solo(), "/v1/solo-sessions/{session_id}/notes")

    def _with_note(self, scene: Scene, path: str) -> Scene:
        assert scene.caller is not None
        made = self.made(scene.caller, path.format(**scene.path), {"text": "a note"})
        return Scene(scene.caller, {**scene.path, "note_id": made["id"]})

    def open_solo(self) -> Scene:
        ann = self.ann()
        made = self.made(ann, "/v1/solo-sessions", {})
        self.lay_draw_of(SOLO.view["id"], made["id"])
        return Scene(ann, {"session_id": SOLO.view["id"]})

    def running_solo(self) -> Scene:
        """Return the scene of the example's solo session after the example's moves."""
        scene = self.open_solo()
        assert scene.caller is not None
        path = f"/v1/solo-sessions/{scene.path['session_id']}"
        self.made(scene.caller, f"{path}/start", {})
        self._play(path, [scene.caller], SOLO.record["log"])
        return scene

    def _play(self, path: str, people: list[Person], entries: list[Any]) -> Any:
        for version, entry in enumerate(entries):
            self.made(people[entry["seat"]], f"{path}/moves", {**entry["move"], "expected_version": version})
        return self.client.get(path, headers=people[0].headers).get_json()

    def invitation(self) -> tuple[Person, str, str]:
        """Return Ann, her private table, and the id of an invitation to Ben."""
        ann = self.ann()
        table = self.open_table(ann, seats=3, visibility="private")
        made = self.made(ann, f"/v1/games/{table}/invitations", {"email": "ben@example.org"})
        return ann, table, made["id"]


# sign-ins, tokens, me


def _nobody(world: World) -> Scene:
    return Scene()


def _first_rules(world: World) -> Scene:
    return Scene(path={"version": "1"})


def _ann(world: World) -> Scene:
    return Scene(world.ann())


def _with_code(world: World) -> Scene:
    world.client.post("/v1/sign-ins", json={"email": "ann@example.org"})
    return Scene(known={"code": codes_for(world.app, "ann@example.org")[0]})


def _with_token(world: World) -> Scene:
    ann = world.ann()
    token, *_ = world.client.get("/v1/tokens", headers=ann.headers).get_json()["items"]
    return Scene(ann, {"token_id": token["id"]})


def _with_change_code(world: World) -> Scene:
    ann = world.ann()
    world.client.patch("/v1/me", json={"email": "new@example.org"}, headers=ann.headers)
    return Scene(ann, known={"code": codes_for(world.app, "new@example.org", "email-change")[0]})


# tables


def _at_open_table(world: World) -> Scene:
    ann = world.ann()
    return Scene(ann, {"game_id": world.open_table(ann, seats=3)})


def _coming(world: World) -> Scene:
    return Scene(world.ben(), {"game_id": world.open_table(world.ann())})


def _with_second_player(world: World) -> Scene:
    ann = world.ann()
    table = world.open_table(ann, seats=3)
    world.made(world.ben(), f"/v1/games/{table}/players", {})
    return Scene(ann, {"game_id": table, "seat": 1})


def _inviting(world: World) -> Scene:
    ann = world.ann()
    return Scene(ann, {"game_id": world.open_table(ann, seats=3, visibility="private")})


def _invited(world: World) -> Scene:
    ann, table, invitation = world.invitation()
    return Scene(ann, {"game_id": table, "invitation_id": invitation})


def _declining(world: World) -> Scene:
    _, table, invitation = world.invitation()
    return Scene(None, {"game_id": table}, {"invitation": secrets.secret(KEYS, "invitation", invitation)})


def _about_ben(world: World) -> Scene:
    return Scene(world.ann(), {"player_id": world.ben().account})


def _having_blocked_ben(world: World) -> Scene:
    scene = _about_ben(world)
    assert scene.caller is not None
    path = f"/v1/me/blocked/{scene.path['player_id']}"
    assert world.client.put(path, headers=scene.caller.headers).status_code == 204
    return scene


def _linked(world: World) -> tuple[Scene, str]:
    """Return the scene of a table of Ann's with an invitation link, and the text of the link."""
    ann = world.ann()
    table = world.open_table(ann, visibility="private")
    made = world.made(ann, f"/v1/games/{table}/invitation-links", {})
    return Scene(ann, {"game_id": table, "link_id": made["id"]}), made["invitation"]


def _with_link(world: World) -> Scene:
    return _linked(world)[0]


def _opening_link(world: World) -> Scene:
    return Scene(query={"link": _linked(world)[1]})


def _having_been_invited(world: World) -> Scene:
    world.invitation()
    return Scene(world.ben())


def _having_played_solo(world: World) -> Scene:
    scene = world.running_solo()
    assert scene.caller is not None
    world.made(scene.caller, f"/v1/solo-sessions/{scene.path['session_id']}/moves", {"type": "resign"})
    return scene


def _having_imported(world: World) -> Scene:
    ann = world.ann()
    made = world.client.post("/v1/imports", json=IMPORTED.record, headers=ann.headers)
    assert made.status_code in (200, 201), made.text
    return Scene(ann, {"import_id": made.get_json()["id"]})


def _having_imported_moves(world: World) -> Scene:
    scene = _having_imported(world)
    return Scene(scene.caller, {**scene.path, "seq": "3"})


def _having_imported_goals(world: World) -> Scene:
    scene = _having_imported(world)
    return Scene(scene.caller, {**scene.path, "seat": "0"})


def _to_explore(world: World) -> Scene:
    scene = _having_played(world)
    return Scene(world.ann(), scene.path)


def _having_explored(world: World) -> Scene:
    """Return the scene of an exploration of the example's game, from its start."""
    scene = _to_explore(world)
    assert scene.caller is not None
    made = world.made(scene.caller, f"/v1/games/{scene.path['game_id']}/explorations", {"seq": 0})
    return Scene(scene.caller, {"exploration_id": made["id"]})


def _having_explored_moves(world: World) -> Scene:
    scene = _having_explored(world)
    assert scene.caller is not None
    world.made(scene.caller, f"/v1/explorations/{scene.path['exploration_id']}/moves", EXPLORATION.move)
    return Scene(scene.caller, {**scene.path, "seq": 1})


def _having_explored_to_the_end(world: World) -> Scene:
    scene = _having_explored(world)
    assert scene.caller is not None
    moves = f"/v1/explorations/{scene.path['exploration_id']}/moves"
    world.made(scene.caller, moves, {"type": "resign", "expected_version": 0})
    return scene


def _having_explored_goals(world: World) -> Scene:
    scene = _having_explored(world)
    return Scene(scene.caller, {**scene.path, "seat": "0"})


def _having_played(world: World) -> Scene:
    scene = world.running_game()
    assert scene.caller is not None
    world.made(scene.caller, f"/v1/games/{scene.path['game_id']}/moves", {"type": "resign"})
    return scene


def _checkpointed(world: World) -> Scene:
    """Make two checkpoints, and return a scene with the first one, and with the first tile."""
    for _ in range(2):
        checkpoint_of(world.app)
    newer, older = world.client.get("/v1/checkpoints/1/checkpoints?limit=2").get_json()["items"]
    path = {"log": 1, "size": older["size"], "level": 0, "number": "000"}
    return Scene(None, path, query={"from": str(older["size"]), "to": str(newer["size"])})


def _without_query(world: World) -> Scene:
    return replace(_checkpointed(world), query={})


def _proved(scene: Callable[[World], Scene]) -> Callable[[World], Scene]:
    """Return the scene in which a checkpoint has the game or solo session of another scene at its version."""

    def make(world: World) -> Scene:
        made = scene(world)
        checkpoint_of(world.app)
        (kind, id), *_ = made.path.items()
        resource = "games" if kind == "game_id" else "solo-sessions"
        assert made.caller is not None
        view = world.client.get(f"/v1/{resource}/{id}", headers=made.caller.headers).get_json()
        (newest,) = world.client.get("/v1/checkpoints/1/checkpoints?limit=1").get_json()["items"]
        return replace(made, path={**made.path, "version": view["version"]}, query={"from": str(newest["size"])})

    return make


def _without_size(scene: Callable[[World], Scene]) -> Callable[[World], Scene]:
    return lambda world: replace(_proved(scene)(world), query={})


def _ready(world: World) -> Scene:
    world.run("INSERT INTO procrastinate_workers DEFAULT VALUES")
    return Scene()


SCENES: dict[str, Callable[[World], Scene]] = {
    "askForCode": _nobody,
    "createToken": _with_code,
    "listTokens": _ann,
    "revokeToken": _with_token,
    "getMe": _ann,
    "changeMe": _ann,
    "deleteMe": _ann,
    "confirmEmail": _with_change_code,
    "getNotifications": _ann,
    "changeNotifications": _ann,
    "getGameNotifications": World.running_game,
    "changeGameNotifications": World.running_game,
    "getCalendar": _ann,
    "renewCalendar": _ann,
    "listDeliveries": _ann,
    "getQuietTimes": _ann,
    "setQuietTimes": _ann,
    "listAbsences": _ann,
    "announceAbsence": _ann,
    "comeBack": _ann,
    "getPlayer": _about_ben,
    "listGamesOfPlayer": _about_ben,
    "exportOwnGames": World.running_game,
    "exportGamesOfPlayer": _about_ben,
    "exportOwnMoves": World.running_game,
    "exportMovesOfPlayer": _about_ben,
    "listBlockedPlayers": _having_blocked_ben,
    "blockPlayer": _about_ben,
    "unblockPlayer": _having_blocked_ben,
    "offerTime": World.clocked_game,
    "keepGame": World.running_game,
    "keepSoloSession": World.running_solo,
    "takeSeatBack": World.game_on_autopilot,
    "listGames": World.running_game,
    "createGame": _ann,
    "getGame": World.running_game,
    "closeGame": _at_open_table,
    "joinGame": _coming,
    "setEntropy": _at_open_table,
    "leaveGame": _at_open_table,
    "putPlayerOut": _with_second_player,
    "listInvitations": _invited,
    "getInvitation": _invited,
    "invite": _inviting,
    "takeInvitationBack": _invited,
    "listReceivedInvitations": _having_been_invited,
    "listInvitationLinks": _with_link,
    "getInvitationLink": _with_link,
    "makeInvitationLink": _inviting,
    "revokeInvitationLink": _with_link,
    "getLinkedTable": _opening_link,
    "declineInvitation": _declining,
    "askForRematch": _having_played,
    "listMoves": World.running_game,
    "getMove": World.game_with_moves,
    "getMoveFeed": World.running_game,
    "makeMove": World.running_game,
    "listLegalMoves": World.running_game,
    "listGoals": World.game_with_goals,
    "getRecord": World.running_game,
    "listMessages": World.running_game,
    "say": World.running_game,
    "listNotes": World.game_with_note,
    "getNote": World.game_with_note,
    "writeNote": World.running_game,
    "deleteNote": World.game_with_note,
    "listSoloNotes": World.solo_with_note,
    "getSoloNote": World.solo_with_note,
    "writeSoloNote": World.running_solo,
    "deleteSoloNote": World.solo_with_note,
    "listSoloSessions": World.running_solo,
    "createSoloSession": _ann,
    "getSoloSession": World.running_solo,
    "closeSoloSession": World.open_solo,
    "startSoloSession": World.open_solo,
    "listSoloMoves": World.running_solo,
    "getSoloMove": World.solo_with_moves,
    "makeSoloMove": World.running_solo,
    "listSoloLegalMoves": World.running_solo,
    "listSoloGoals": World.solo_with_goals,
    "getSoloRecord": World.running_solo,
    "listEvents": _ann,
    "listGameEvents": World.running_game,
    "listSoloSessionEvents": World.running_solo,
    "getBoardSvg": World.running_game,
    "getBoardPng": World.running_game,
    "getSoloBoardSvg": World.running_solo,
    "getSoloBoardPng": World.running_solo,
    "getStory": _having_played,
    "getStoryPlots": _having_played,
    "getSoloStory": _having_played_solo,
    "getSoloStoryPlots": _having_played_solo,
    "getMovesCsv": World.running_game,
    "getSoloMovesCsv": World.running_solo,
    "listGameCheckpoints": _without_size(World.running_game),
    "getProof": _without_size(World.running_game),
    "getProofBundle": _proved(World.running_game),
    "listSoloCheckpoints": _without_size(World.running_solo),
    "getSoloProof": _without_size(World.running_solo),
    "getSoloProofBundle": _proved(World.running_solo),
    "listCheckpointLogs": _without_query,
    "listCheckpoints": _without_query,
    "getNewestCheckpoint": _without_query,
    "getCheckpoint": _without_query,
    "getTile": _without_query,
    "getEntries": _without_query,
    "getConsistency": _checkpointed,
    "listImports": _having_imported,
    "importGame": _ann,
    "getImport": _having_imported,
    "changeImport": _having_imported,
    "deleteImport": _having_imported,
    "getImportedRecord": _having_imported,
    "getImportedBoard": _having_imported,
    "getImportedBoardPng": _having_imported,
    "listImportedMoves": _having_imported,
    "getImportedMove": _having_imported_moves,
    "listImportedLegalMoves": _having_imported,
    "getImportedStory": _having_imported,
    "getImportedStoryPlots": _having_imported,
    "getImportedMovesCsv": _having_imported,
    "listImportedGoals": _having_imported_goals,
    "exploreGame": _to_explore,
    "exploreSolo": _having_played_solo,
    "listExplorations": _having_explored,
    "exportExplorations": _having_explored,
    "getExploration": _having_explored,
    "deleteExploration": _having_explored,
    "listExplorationLegalMoves": _having_explored,
    "getExplorationRecord": _having_explored,
    "makeExplorationMove": _having_explored,
    "listExplorationMoves": _having_explored,
    "takeBackExplorationMove": _having_explored_moves,
    "getExplorationMove": _having_explored_moves,
    "getExplorationMovesCsv": _having_explored_moves,
    "getExplorationStory": _having_explored_to_the_end,
    "getExplorationStoryPlots": _having_explored_to_the_end,
    "getExplorationBoardSvg": _having_explored_moves,
    "getExplorationBoardPng": _having_explored_moves,
    "listExplorationGoals": _having_explored_goals,
    "listTiles": _nobody,
    "getRules": _nobody,
    "getRulesOfVersion": _first_rules,
    "getHealth": _nobody,
    "getReadiness": _ready,
    "getWebReadiness": _ready,
}
