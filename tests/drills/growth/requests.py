"""Each route of the service, requested at least once; what a scene does before its `yield` is not examined.

A scene's name is that of the endpoint and, after `__`, of the case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from service.access.links import never_mail_link, record_link, unsubscribe_link
from service.api.import_view import IMPORTED
from tests.drills.growth.site import Site
from tests.support.http_games import first_legal

Scene = Callable[[Site], Iterator[None]]
SCENES: dict[str, Scene] = {}


def scene(endpoint: str, particular: str = "") -> Callable[[Scene], Scene]:
    def keep(made: Scene) -> Scene:
        SCENES[f"{endpoint}__{particular}" if particular else endpoint] = made
        return made

    return keep


@scene("games.get_game", "finished")
def get_finished_game(site: Site) -> Iterator[None]:
    yield
    site.ask(site.reader, "GET", f"/v1/games/{site.public(site.copied.finished)}")


@scene("games.get_game", "running")
def get_running_game(site: Site) -> Iterator[None]:
    game = site.my_turn()
    yield
    site.ask(site.reader, "GET", f"/v1/games/{game}")


@scene("boards.get_board_svg")
@scene("boards.get_board_png")
def get_board(site: Site) -> Iterator[None]:
    game = site.my_turn()
    yield
    for kind in ("svg", "png"):
        site.ask(site.reader, "GET", f"/v1/games/{game}/board.{kind}")


@scene("stories.get_story")
@scene("stories.get_story_plots")
def get_story(site: Site) -> Iterator[None]:
    game = site.public(site.copied.finished)
    yield
    for below in ("story", "story.svg"):
        site.ask(site.reader, "GET", f"/v1/games/{game}/{below}")


@scene("spreadsheets.get_moves_csv")
def get_moves_csv(site: Site) -> Iterator[None]:
    game = site.my_turn()
    yield
    site.ask(site.reader, "GET", f"/v1/games/{game}/moves.csv")


@scene("imports.import_game")
@scene("imports.list_imports")
@scene("imports.get_import")
@scene("imports.change_import")
@scene("imports.delete_import")
@scene("imports.get_imported_record")
@scene("imported-moves.list_imported_moves")
@scene("imported-moves.get_imported_move")
@scene("imported-moves.list_imported_legal_moves")
@scene("imported-moves.get_imported_board")
@scene("imported-moves.get_imported_board_png")
@scene("imported-views.get_imported_story")
@scene("imported-views.get_imported_story_plots")
@scene("imported-views.get_imported_moves_csv")
@scene("imported-views.list_imported_goals")
@scene("imported_page.show_import")
@scene("imported_page.show_imported_text")
def import_game(site: Site) -> Iterator[None]:
    player = site.stranger()
    yield
    made = f"/v1/imports/{site.ask(player, 'POST', '/v1/imports', IMPORTED.record)['id']}"
    site.ask(player, "GET", "/v1/imports")
    site.ask(player, "PATCH", made, {"shared": True})
    for below in ("", "/record", "/board.svg", "/board.png", "/story", "/story.svg", "/moves.csv", "/seats/0/goals"):
        site.ask(player, "GET", made + below)
    for below in ("/moves", "/moves/1", "/legal-moves"):
        site.ask(player, "GET", made + below)
    for below in ("", "/text"):
        site.ask(None, "GET", made.removeprefix("/v1") + below)
    site.ask(player, "DELETE", made)


@scene("explorations.explore_game")
@scene("explorations.explore_solo")
@scene("explorations.list_explorations")
@scene("explorations.export_explorations")
@scene("explorations.get_exploration")
@scene("explorations.delete_exploration")
@scene("explorations.list_exploration_legal_moves")
@scene("explorations.get_exploration_record")
@scene("explored-moves.make_exploration_move")
@scene("explored-moves.list_exploration_moves")
@scene("explored-moves.take_back_exploration_move")
@scene("explored-views.get_exploration_move")
@scene("explored-views.get_exploration_moves_csv")
@scene("explored-views.get_exploration_story")
@scene("explored-views.get_exploration_story_plots")
@scene("explored-moves.get_exploration_board_svg")
@scene("explored-moves.get_exploration_board_png")
@scene("explored-moves.list_exploration_goals")
def explore_game(site: Site) -> Iterator[None]:
    player = site.stranger()
    solo = f"/v1/solo-sessions/{site.ask(player, 'POST', '/v1/solo-sessions')['id']}"
    site.ask(player, "POST", f"{solo}/start")
    yield
    made = f"/v1/explorations/{site.ask(player, 'POST', f'{solo}/explorations')['id']}"
    for path in ("/v1/explorations", "/v1/me/explorations.ndjson"):
        site.ask(player, "GET", path)
    site.ask(player, "POST", f"{made}/moves", first_legal(site.ask(player, "GET", f"{made}/legal-moves")))
    for below in ("", "/record", "/moves", "/moves/1", "/moves.csv", "/board.svg", "/board.png", "/seats/0/goals"):
        site.ask(player, "GET", made + below)
    site.ask(player, "POST", f"{made}/moves", {"type": "resign"})
    for below in ("/story", "/story.svg"):
        site.ask(player, "GET", made + below)
    site.ask(player, "DELETE", f"{made}/moves/1")
    site.ask(player, "DELETE", made)


@scene("games.create_game")
def create_game(site: Site) -> Iterator[None]:
    yield
    site.table(site.stranger())


@scene("games.close_game")
def close_game(site: Site) -> Iterator[None]:
    maker = site.stranger()
    table = site.table(maker)
    yield
    site.ask(maker, "DELETE", f"/v1/games/{table}")


@scene("players.join_game")
def join_game(site: Site) -> Iterator[None]:
    table, guest = site.table(site.stranger()), site.stranger()
    yield
    site.ask(guest, "POST", f"/v1/games/{table}/players", {})


@scene("players.join_game", "as the last")
def start_game(site: Site) -> Iterator[None]:
    table, guest = site.table(site.stranger(), seats=2), site.stranger()
    yield
    site.ask(guest, "POST", f"/v1/games/{table}/players", {})


@scene("players.set_entropy")
def set_entropy(site: Site) -> Iterator[None]:
    maker = site.stranger()
    table = site.table(maker)
    yield
    site.ask(maker, "PATCH", f"/v1/games/{table}/players/me", {"entropy": "a text"})


@scene("players.leave_game")
def leave_game(site: Site) -> Iterator[None]:
    table, guest = site.table(site.stranger()), site.stranger()
    site.ask(guest, "POST", f"/v1/games/{table}/players", {})
    yield
    site.ask(guest, "DELETE", f"/v1/games/{table}/players/me")


@scene("players.put_player_out")
def put_player_out(site: Site) -> Iterator[None]:
    maker, guest = site.stranger(), site.stranger()
    table = site.table(maker)
    site.ask(guest, "POST", f"/v1/games/{table}/players", {})
    yield
    site.ask(maker, "DELETE", f"/v1/games/{table}/players/1")


@scene("invitations.list_invitations")
def list_invitations(site: Site) -> Iterator[None]:
    yield
    site.ask(site.reader, "GET", f"/v1/games/{site.copied.newest}/invitations")


@scene("invitations.list_invitations", "deep")
def list_invitations_deep(site: Site) -> Iterator[None]:
    path = f"/v1/games/{site.copied.newest}/invitations"
    found = "SELECT created_at, id FROM invitations WHERE id = 'newest400'"
    cursor = site.cursor(path, *site.sql(found)[0])
    yield
    site.ask(site.reader, "GET", f"{path}?cursor={cursor}")


@scene("invitations.invite")
@scene("invitations.get_invitation")
def invite(site: Site) -> Iterator[None]:
    maker = site.stranger()
    invitations = f"/v1/games/{site.table(maker)}/invitations"
    yield
    made = site.ask(maker, "POST", invitations, {"email": "asked@example.org"})
    site.ask(maker, "GET", f"{invitations}/{made['id']}")


@scene("invitations.invite", "a player")
@scene("received-invitations.list_received_invitations")
def invite_player(site: Site) -> Iterator[None]:
    maker, guest = site.stranger(), site.stranger()
    table = site.table(maker)
    yield
    site.ask(maker, "POST", f"/v1/games/{table}/invitations", {"player": guest.account})
    assert site.ask(guest, "GET", "/v1/me/invitations")["items"]
    site.ask(site.reader, "GET", "/v1/me/invitations")


@scene("invitation-links.make_invitation_link")
@scene("invitation-links.list_invitation_links")
@scene("invitation-links.get_invitation_link")
@scene("invitation-links.get_linked_table")
@scene("invitation-links.revoke_invitation_link")
@scene("invitation_page.show")
@scene("invitation_page.ask")
def link_invitation(site: Site) -> Iterator[None]:
    maker, guest = site.stranger(), site.stranger()
    table = f"/v1/games/{site.table(maker)}"
    yield
    made = site.ask(maker, "POST", f"{table}/invitation-links")
    site.ask(maker, "GET", f"{table}/invitation-links")
    site.ask(maker, "GET", f"{table}/invitation-links/{made['id']}")
    site.ask(None, "GET", f"/v1/invitation-link?link={made['invitation']}")
    site.page("GET", made["url"])
    site.page("POST", made["url"], {"email": site.address()})
    site.ask(guest, "POST", f"{table}/players", {"invitation": made["invitation"]})
    site.ask(maker, "DELETE", f"{table}/invitation-links/{made['id']}")


@scene("invitations.take_invitation_back")
def take_invitation_back(site: Site) -> Iterator[None]:
    maker = site.stranger()
    invitations = f"/v1/games/{site.table(maker)}/invitations"
    made = site.ask(maker, "POST", invitations, {"email": "unasked@example.org"})["id"]
    yield
    site.ask(maker, "DELETE", f"{invitations}/{made}")


@scene("invitations.decline_invitation")
def decline_invitation(site: Site) -> Iterator[None]:
    maker = site.stranger()
    table = site.table(maker)
    made = site.ask(maker, "POST", f"/v1/games/{table}/invitations", {"email": "declining@example.org"})["id"]
    yield
    site.ask(None, "POST", f"/v1/games/{table}/declines", {"invitation": site.secret("invitation", made)})


@scene("people.get_player")
@scene("people.list_games_of_player")
def get_player(site: Site) -> Iterator[None]:
    yield
    for player in (site.reader, site.regular):
        site.ask(site.reader, "GET", f"/v1/players/{player.account}")
        site.ask(None, "GET", f"/v1/players/{player.account}/games")
        site.ask(site.reader, "GET", f"/v1/players/{player.account}/games?status=finished&seats=3&clock=none")


@scene("exports.export_own_games")
@scene("exports.export_games_of_player")
@scene("exports.export_own_moves")
@scene("exports.export_moves_of_player")
def export_games(site: Site) -> Iterator[None]:
    newest = "SELECT id FROM tables JOIN seats ON game = key WHERE account = %s ORDER BY key DESC LIMIT 1 OFFSET 200"
    [[last]] = site.sql(newest, site.regular.account)
    yield
    for path in ("me", f"players/{site.regular.account}"):
        for below in ("games.ndjson", "moves.csv", f"games.ndjson?status=finished&after={last}"):
            caller = {"Authorization": f"Bearer {site.regular.token}"}
            answer = site.client.get(f"/v1/{path}/{below}", headers=caller)
            assert answer.status_code == 200, answer.text
            assert next(answer.iter_encoded())
            answer.close()


@scene("people.list_blocked_players")
@scene("people.block_player")
@scene("people.unblock_player")
def block_player(site: Site) -> Iterator[None]:
    player, other = site.stranger(), f"/v1/me/blocked/{site.regular.account}"
    yield
    site.ask(player, "PUT", other)
    site.ask(player, "GET", "/v1/me/blocked")
    site.ask(player, "GET", "/v1/games?status=open")
    site.ask(player, "DELETE", other)


@scene("rematches.ask_for_rematch")
def ask_for_rematch(site: Site) -> Iterator[None]:
    maker, guest = site.stranger(), site.stranger()
    game = site.table(maker, seats=2)
    site.ask(guest, "POST", f"/v1/games/{game}/players", {})
    site.ask(guest, "POST", f"/v1/games/{game}/moves", {"type": "resign"})
    yield
    site.ask(maker, "POST", f"/v1/games/{game}/rematch", {})


@scene("moves.list_moves")
def list_moves(site: Site) -> Iterator[None]:
    yield
    site.ask(None, "GET", f"/v1/games/{site.public(site.copied.finished)}/moves?limit=100")


@scene("moves.get_move_feed")
def get_move_feed(site: Site) -> Iterator[None]:
    yield
    site.ask(None, "GET", f"/v1/games/{site.public(site.copied.finished)}/moves.atom")


@scene("moves.make_move")
def make_move(site: Site) -> Iterator[None]:
    game = f"/v1/games/{site.my_turn()}"
    move = site.move(site.reader, game)
    yield
    site.ask(site.reader, "POST", f"{game}/moves", move, **{"Idempotency-Key": f"plan-of-{game}"})


@scene("moves.make_move", "the last")
def resign(site: Site) -> Iterator[None]:
    game = site.my_turn()
    yield
    site.ask(site.reader, "POST", f"/v1/games/{game}/moves", {"type": "resign"})


@scene("moves.make_move", "on trial")
def try_move(site: Site) -> Iterator[None]:
    game = f"/v1/games/{site.my_turn()}"
    move = site.move(site.reader, game)
    yield
    site.ask(site.reader, "POST", f"{game}/moves?dry_run=true", move)


@scene("moves.list_legal_moves")
def list_legal_moves(site: Site) -> Iterator[None]:
    game = site.my_turn()
    yield
    site.ask(site.reader, "GET", f"/v1/games/{game}/legal-moves")


@scene("moves.get_move")
def get_move(site: Site) -> Iterator[None]:
    yield
    site.ask(None, "GET", f"/v1/games/{site.public(site.copied.finished)}/moves/9")


@scene("moves.list_goals")
def list_goals(site: Site) -> Iterator[None]:
    yield
    site.ask(None, "GET", f"/v1/games/{site.public(site.copied.finished)}/seats/0/goals")


@scene("moves.get_record")
def get_record(site: Site) -> Iterator[None]:
    yield
    site.ask(None, "GET", f"/v1/games/{site.public(site.copied.finished)}/record")


@scene("solo-sessions.get_solo_move")
def get_solo_move(site: Site) -> Iterator[None]:
    player = site.stranger()
    solo = f"/v1/solo-sessions/{site.solo(player)}"
    site.ask(player, "POST", f"{solo}/moves", site.move(player, solo))
    yield
    site.ask(player, "GET", f"{solo}/moves/1")


def _solo(endpoint: str, method: str, path: str, of: str = "solo-sessions") -> None:
    @scene(f"{of}.{endpoint}")
    def ask(site: Site) -> Iterator[None]:
        player = site.stranger()
        solo = f"/v1/solo-sessions/{site.solo(player)}"
        given = site.move(player, solo) if method == "POST" else None
        yield
        site.ask(player, method, f"{solo}{path}", given)


_solo("get_solo_session", "GET", "")
_solo("list_solo_moves", "GET", "/moves")
_solo("make_solo_move", "POST", "/moves")
_solo("list_solo_legal_moves", "GET", "/legal-moves")
_solo("list_solo_goals", "GET", "/seats/0/goals")
_solo("get_solo_record", "GET", "/record")
_solo("get_solo_board_svg", "GET", "/board.svg", of="boards")
_solo("get_solo_board_png", "GET", "/board.png", of="boards")
_solo("get_solo_moves_csv", "GET", "/moves.csv", of="spreadsheets")


@scene("stories.get_solo_story")
@scene("stories.get_solo_story_plots")
def get_solo_story(site: Site) -> Iterator[None]:
    player = site.stranger()
    solo = f"/v1/solo-sessions/{site.solo(player)}"
    site.ask(player, "POST", f"{solo}/moves", {"type": "resign"})
    yield
    for below in ("story", "story.svg"):
        site.ask(player, "GET", f"{solo}/{below}")


@scene("solo-sessions.create_solo_session")
@scene("solo-sessions.start_solo_session")
def start_solo(site: Site) -> Iterator[None]:
    player = site.stranger()
    yield
    site.solo(player)


@scene("solo-sessions.close_solo_session")
def close_solo(site: Site) -> Iterator[None]:
    player = site.stranger()
    made = site.ask(player, "POST", "/v1/solo-sessions")["id"]
    yield
    site.ask(player, "DELETE", f"/v1/solo-sessions/{made}")


@scene("sign-ins.ask_for_code")
@scene("tokens.create_token")
def sign_in(site: Site) -> Iterator[None]:
    yield
    _sign_in(site)


def _sign_in(site: Site) -> dict[str, str]:
    email = site.address()
    site.ask(None, "POST", "/v1/sign-ins", {"email": email})
    made = site.ask(None, "POST", "/v1/tokens", {"email": email, "code": site.code("sign-in", email)})
    return {"id": made["id"], "token": made["token"], "account": made["account"]["id"]}


@scene("tokens.list_tokens")
def list_tokens(site: Site) -> Iterator[None]:
    yield
    site.ask(site.reader, "GET", "/v1/tokens")


@scene("tokens.list_tokens", "deep")
def list_tokens_deep(site: Site) -> Iterator[None]:
    cursor = site.cursor("/v1/tokens", *site.sql("SELECT created_at, id FROM tokens WHERE id = 'further00200'")[0])
    yield
    site.ask(site.reader, "GET", f"/v1/tokens?cursor={cursor}")


@scene("tokens.revoke_token")
def revoke_token(site: Site) -> Iterator[None]:
    made = _sign_in(site)
    yield
    site.ask(site.player(made), "DELETE", f"/v1/tokens/{made['id']}")


@scene("me.get_me")
def get_me(site: Site) -> Iterator[None]:
    yield
    site.ask(site.reader, "GET", "/v1/me")


@scene("me.change_me")
@scene("me.confirm_email")
def change_me(site: Site) -> Iterator[None]:
    player, email = site.stranger(), site.address()
    yield
    site.ask(player, "PATCH", "/v1/me", {"name": "Another Name", "email": email})
    site.ask(player, "POST", "/v1/me/email", {"code": site.code("email-change", email)})


@scene("notifications.get_notifications")
@scene("notifications.change_notifications")
def change_notifications(site: Site) -> Iterator[None]:
    player = site.stranger()
    yield
    site.ask(player, "PATCH", "/v1/me/notifications", {"turn": "digest", "end": "off"})
    site.ask(player, "GET", "/v1/me/notifications")


@scene("notifications.get_game_notifications")
@scene("notifications.change_game_notifications")
def change_game_notifications(site: Site) -> Iterator[None]:
    game = f"/v1/games/{site.my_turn()}/notifications"
    yield
    site.ask(site.reader, "PATCH", game, {"mail": "digest", "talk": "off"})
    site.ask(site.reader, "PATCH", game, {"talk": "on"})
    site.ask(site.reader, "GET", game)


@scene("deliveries.list_deliveries")
def list_deliveries(site: Site) -> Iterator[None]:
    yield
    for player in (site.reader, site.regular):
        site.ask(player, "GET", "/v1/me/deliveries")


@scene("deliveries.list_deliveries", "deep")
def list_deliveries_deep(site: Site) -> Iterator[None]:
    newest = "SELECT queued_at, key FROM deliveries ORDER BY key LIMIT 1"
    cursor = site.cursor("/v1/me/deliveries", *site.sql(newest)[0])
    yield
    site.ask(site.regular, "GET", f"/v1/me/deliveries?cursor={cursor}")


@scene("unsubscribe_page.ask")
@scene("unsubscribe_page.decide")
def unsubscribe(site: Site) -> Iterator[None]:
    link = unsubscribe_link(site.context.settings, site.reader.account, site.my_turn(), "turn")
    yield
    site.page("GET", link)
    site.page("POST", link)


@scene("calendar.get_calendar")
@scene("calendar.renew_calendar")
@scene("calendar_page.show_calendar")
def read_calendar(site: Site) -> Iterator[None]:
    yield
    site.ask(site.reader, "GET", "/v1/me/calendar")
    site.page("GET", site.ask(site.reader, "POST", "/v1/me/calendar")["url"])


@scene("me.delete_me")
def delete_me(site: Site) -> Iterator[None]:
    player = site.stranger()
    site.ask(player, "PATCH", "/v1/me", {"name": "Soon Gone"})
    site.table(player)
    yield
    site.ask(player, "DELETE", "/v1/me")


@scene("record_page.show_record")
def show_record(site: Site) -> Iterator[None]:
    link = record_link(site.context.settings, site.copied.finished[0])
    yield
    site.page("GET", link)


@scene("game_text.show_text")
def show_text(site: Site) -> Iterator[None]:
    link = record_link(site.context.settings, site.copied.finished[0]).replace("/record?", "/text?")
    yield
    site.page("GET", link)


@scene("never_mail_page.ask")
@scene("never_mail_page.decide")
def never_mail(site: Site) -> Iterator[None]:
    link = never_mail_link(site.context.settings, "nobody@example.org")
    yield
    site.page("GET", link)
    site.page("POST", link)


@scene("health.get_readiness")
@scene("health.get_web_readiness")
def get_readiness(site: Site) -> Iterator[None]:
    yield
    site.client.get("/readyz")
    site.client.get("/readyz/web")
