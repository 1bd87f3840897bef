"""Play Nova Luna in a terminal: your running games on the left, the table in the middle, what may be done on the right.

Start it with the address of a service and an access token (`pip install textual httpx` first):

    NOVALUNA_URL=https://nova.example NOVALUNA_TOKEN=… python terminal.py

Up and down choose a game, Enter opens it. At the table, 1 to 3 choose a tile and the arrow keys a cell; Enter shows
what the move would do, and Enter again makes it. The table follows by itself what the others do.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from typing import Any, ClassVar

import httpx
from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, ScrollableContainer, Vertical
from textual.geometry import Region
from textual.widgets import Footer, Header, OptionList, Static
from textual.widgets.option_list import Option

Cell = tuple[int, int]
Json = dict[str, Any]

COLORS = {
    "blue": ("b", "bold white on #2456a8", "on #13223f", "bold #8fbcff"),
    "yellow": ("y", "bold black on #e3b93c", "on #3a300f", "bold #f5d260"),
    "red": ("r", "bold white on #b0372f", "on #3f1613", "bold #ff9a8d"),
    "turquoise": ("t", "bold black on #35aaa0", "on #0d3330", "bold #62e6d9"),
}
"""The colors of tiles: the letter in goals, and the styles of a tile's head, of its body and of a goal."""

LETTERS = {letter: goal for letter, _, _, goal in COLORS.values()}
WIDTH, HEIGHT = 9, 5
RETRY_SECONDS = 5.0


def collection(game: Json) -> str:
    """Return the path of the collection that a table is in."""
    return "/v1/solo-sessions" if game["kind"] == "solo" else "/v1/games"


def standing(game: Json) -> str:
    """Return in a few words whose turn it is, or how the game ended."""
    if game["status"] != "running":
        return str(game["status"])
    turn = game["turn"]["seat"] if isinstance(game["turn"], dict) else game["turn"]
    return "your turn" if turn == game["you"] else f"waiting for {name(game, turn)}"


def name(game: Json, seat: int) -> str:
    """Return the name of the player at a seat."""
    return next((player["name"] for player in game["players"] if player["seat"] == seat), None) or f"Seat {seat}"


def goal_line(goal: Json) -> Text:
    """Return a goal: the letters of the colors that it asks for, or a tick and dimmed letters if it is covered."""
    if goal.get("covered"):
        return Text(f"✓ {goal['asks'].upper()}", "dim")
    line = Text("  ")
    for letter in goal["asks"]:
        line.append(letter.upper(), LETTERS[letter])
    return line


def tile_lines(tile: Json, is_proposed: bool = False) -> list[Text]:
    """Return the lines of a tile: its color and cost on top, and its goals below; a proposed one is marked."""
    letter, head, body, _ = COLORS[tile["color"]]
    mark = "▸" if is_proposed else " "
    lines = [Text(f"{mark}{letter.upper()}    {tile['cost']}{'◂' if is_proposed else ' '}", head)]
    for number in range(HEIGHT - 2):
        line = goal_line(tile["goals"][number]) if number < len(tile["goals"]) else Text()
        line.truncate(WIDTH - 1, pad=True)
        line.stylize_before(body)
        lines.append(line)
    return lines


def board(game: Json, seat: int, cells: list[Json], cursor: Cell | None, tile: Json | None) -> tuple[Text, Region]:
    """Return a display with its open cells, the proposed tile under the cursor, and the region of that cell."""
    tiles = {(tile["x"], tile["y"]): tile for tile in game["displays"][seat]["tiles"]} if game["displays"] else {}
    letters = {(cell["x"], cell["y"]): cell["letter"] for cell in cells}
    taken = [*tiles, *letters] or [(0, 0)]
    left, top = min(x for x, _ in taken), min(y for _, y in taken)
    drawn, region = Text(), Region(0, 0, WIDTH, HEIGHT)
    for y in range(top, max(y for _, y in taken) + 1):
        rows = [Text() for _ in range(HEIGHT)]
        for x in range(left, max(x for x, _ in taken) + 1):
            lines = [Text() for _ in range(HEIGHT)]
            if (x, y) in tiles:
                lines[:-1] = tile_lines(tiles[x, y])
            elif (x, y) == cursor and tile:
                lines[:-1] = tile_lines(tile, is_proposed=True)
                region = Region((x - left) * WIDTH, (y - top) * HEIGHT, WIDTH, HEIGHT)
            elif (x, y) in letters:
                lines[1] = Text(f"({letters[x, y]})".center(WIDTH - 1), "dim")
            for row, line in zip(rows, lines, strict=True):
                row.append_text(line).append(" " * (WIDTH - line.cell_len))
        drawn.append_text(Text("\n").join(rows) + "\n")
    return drawn, region


class Terminal(App[None]):
    """The client: a list of games, the open table, and what may be done there."""

    CSS = """
    #games { width: 34; border: round $primary; }
    #middle { border: round $primary; }
    #side { width: 40; border: round $primary; padding: 0 1; }
    #board { width: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"choose({number - 1})", "Tile", show=number == 1, key_display="1-3")
            for number in (1, 2, 3)
        ),
        Binding("r", "refill", "Refill"),
        Binding("enter", "go", "Try, then make the move", priority=False),
        Binding("v", "other", "Next display"),
        Binding("s", "solo", "New solo"),
        Binding("g", "games", "Games"),
        Binding("q", "quit", "Quit"),
        *(
            Binding(key, f"move({x}, {y})", show=False)
            for key, x, y in (("left", -1, 0), ("right", 1, 0), ("up", 0, -1), ("down", 0, 1))
        ),
    ]

    def __init__(self, url: str, token: str) -> None:
        super().__init__()
        self.title = "Nova Luna by post"
        self._http = httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        self._game: Json | None = None
        self._legal: Json = {"tiles": [], "cells": [], "refill": False}
        self._seat = 0
        self._tile = 0
        self._cursor: Cell | None = None
        self._tried: Json | None = None
        self._preview = self._problem = ""
        self._games: dict[str, Json] = {}
        self._list, self._middle = OptionList(id="games"), ScrollableContainer(id="middle")
        self._board = Static("Choose a game, or press s for a new solo.", id="board")
        self._beside = Static(id="around")

    def compose(self) -> ComposeResult:
        """Lay out the three columns."""
        yield Header(icon="☾")
        with Horizontal():
            yield self._list
            with self._middle:
                yield self._board
            with Vertical(id="side"):
                yield self._beside
        yield Footer()

    async def on_mount(self) -> None:
        """Follow what happens, which begins with a list of the games."""
        self._list.focus()
        self.follow()

    async def ask(self, method: str, path: str, **more: Any) -> Any:
        """Send a request; return the body of its response, or None after showing the problem that came instead."""
        try:
            response = await self._http.request(method, path, **more)
        except httpx.HTTPError as error:
            self.show_problem(f"The service can’t be reached: {error}")
            return None
        if response.is_error:
            is_problem = response.headers.get("Content-Type", "").startswith("application/problem+json")
            self.show_problem(
                response.json()["detail"] if is_problem else f"The service answers {response.status_code}."
            )
            return None
        return response.json()

    def show_problem(self, problem: str) -> None:
        """Show what went wrong beside the table."""
        self._problem = problem
        self.draw()

    @work(exclusive=True, group="follow")
    async def follow(self) -> None:
        """Wait for events of all tables of the player, and read again what has changed.

        The games are listed once the place in the list of events is known, so nothing is missed between the two.
        """
        after = None
        while True:
            try:
                query: dict[str, str] = {"wait": "30", "after": after} if after else {}
                response = await self._http.get("/v1/events", params=query)
                is_gone = response.status_code == httpx.codes.GONE  # what happened since `after` is no longer kept
                if not is_gone:
                    response.raise_for_status()
            except httpx.HTTPError:
                await asyncio.sleep(RETRY_SECONDS)
                continue
            page = response.json()
            is_new = is_gone or after is None
            after = page["after"]
            changed = [] if is_new else [event["game"] for event in page["items"]]
            if is_new or changed:
                await self.list_games()
            if self._game and (is_new or self._game["id"] in changed):
                await self.open(self._game)

    async def running(self, path: str, **query: str) -> list[Json]:
        """Return all running games of a list, page by page."""
        found: list[Json] = []
        query |= {"status": "running", "limit": "100"}
        while page := await self.ask("GET", path, params=query):
            found += page["items"]
            if page["next"] is None:
                break
            query["cursor"] = page["next"]
        return found

    async def list_games(self) -> None:
        """Show the player's running games, those first in which it is their turn."""
        found = [*await self.running("/v1/games", mine="true"), *await self.running("/v1/solo-sessions")]
        self._games = {game["id"]: game for game in sorted(found, key=lambda game: standing(game) != "your turn")}
        chosen = self._list.highlighted
        self._list.clear_options()
        for game in self._games.values():
            names = [name(game, player["seat"]) for player in game["players"]]
            with_whom = "Solo" if game["kind"] == "solo" else ", ".join(names)
            self._list.add_option(Option(Text.assemble(with_whom, "\n", (standing(game), "dim")), id=game["id"]))
        if self._games:
            self._list.highlighted = min(chosen or 0, len(self._games) - 1)

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the game that was chosen from the list."""
        await self.open(self._games[str(event.option.id)])

    async def open(self, game: Json) -> None:
        """Read a table and what is legal there, and show both."""
        path = f"{collection(game)}/{game['id']}"
        read = await self.ask("GET", path)
        if read is None:
            return
        mine = read["status"] == "running" and read["turn"]["seat"] == read["you"]
        legal = await self.ask("GET", f"{path}/legal-moves") if mine else None
        if self._game is None or self._game["id"] != read["id"]:
            self._seat = read["you"] or 0
        self._game, self._legal = read, legal or {"tiles": [], "cells": [], "refill": False}
        self._tile = 0
        self._cursor = next(((cell["x"], cell["y"]) for cell in self._legal["cells"]), None)
        self._tried, self._preview, self._problem = None, "", ""
        self._middle.focus()
        self.draw()

    def draw(self) -> None:
        """Draw the table and what stands beside it."""
        game = self._game
        if game is None:
            self._beside.update(Text(self._problem, "red"))
            return
        own = self._seat == game["you"]
        choices = (game["selection_track"] or {"choices": []})["choices"]
        proposed = choices[self._tile] if self._legal["tiles"] else None
        drawn, region = board(game, self._seat, self._legal["cells"] if own else [], self._cursor, proposed)
        self._board.update(drawn)
        self._middle.border_title = f"{name(game, self._seat)} · {standing(game)}"
        self._middle.scroll_to_region(region, animate=False)
        beside = Text()
        for number, tile in enumerate(choices):
            beside.append(f"{'▸' if tile is proposed else ' '} {number + 1}  ", "bold")
            beside.append_text(Text("\n     ").join(tile_lines(tile))).append("\n\n")
        if self._legal["refill"]:
            beside.append("r  put new tiles on the track\n\n")
        for player in game["players"]:
            turns = game["turn"] and game["turn"]["seat"] == player["seat"]
            where = "" if player["space"] is None else f" · space {player['space']}"
            beside.append(f"{'▸' if turns else ' '} {player['name']}: {player['discs_left']} discs{where}\n")
        if game["last_move"]:
            beside.append(f"\nLast move: {game['last_move']['notation']}\n", "dim")
        if self._preview:
            beside.append(f"\n{self._preview}\n", "green")
        if self._problem:
            beside.append(f"\n{self._problem}\n", "red")
        self._beside.update(beside)

    def action_choose(self, number: int) -> None:
        """Choose one of the tiles that may be taken."""
        if number < len(self._legal["tiles"]):
            self._tile, self._tried, self._preview = number, None, ""
            self.draw()

    def action_move(self, x: int, y: int) -> None:
        """Move the cursor to the next open cell in a direction."""
        if self._cursor is None:
            return
        fromx, fromy = self._cursor
        ahead = [
            (abs(dx * y) + abs(dy * x), dx * x + dy * y, (fromx + dx, fromy + dy))
            for dx, dy in ((cell["x"] - fromx, cell["y"] - fromy) for cell in self._legal["cells"])
            if dx * x + dy * y > 0
        ]
        if ahead:
            self._cursor, self._tried, self._preview = min(ahead)[2], None, ""
            self.draw()

    def action_other(self) -> None:
        """Show the display of the next player."""
        if self._game and self._game["displays"]:
            self._seat = (self._seat + 1) % len(self._game["displays"])
            self.draw()

    async def action_refill(self) -> None:
        """Try to refill the track; done twice, refill it."""
        if self._legal["refill"]:
            await self.play({"type": "refill"})

    async def action_go(self) -> None:
        """Try the chosen tile on the cell under the cursor; done twice, place it there."""
        if self._cursor and self._legal["tiles"]:
            x, y = self._cursor
            await self.play({"type": "place", "tile": self._legal["tiles"][self._tile], "x": x, "y": y})

    async def play(self, move: Json) -> None:
        """Print the effect of a move, or make the move if its effect was printed before."""
        assert self._game is not None
        path = f"{collection(self._game)}/{self._game['id']}/moves"
        move["expected_version"] = self._legal["version"]
        if move != self._tried:
            preview = await self.ask("POST", path, params={"dry_run": "true"}, json=move)
            if preview is not None:
                self._tried, self._problem = move, ""
                goals = len(preview["covered"])
                self._preview = f"Covers {goals} goal{'' if goals == 1 else 's'}. The same key again makes the move."
                self.draw()
            return
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        if await self.ask("POST", path, json=move, headers=headers) is not None:
            await self.open(self._game)
            await self.list_games()

    async def action_solo(self) -> None:
        """Begin a solo session and open it."""
        made = await self.ask("POST", "/v1/solo-sessions", json={})
        started = made and await self.ask("POST", f"/v1/solo-sessions/{made['id']}/start", json={})
        if started:
            await self.list_games()
            await self.open(started)

    def action_games(self) -> None:
        """Go back to the list of games."""
        self._list.focus()


if __name__ == "__main__":
    Terminal(os.environ.get("NOVALUNA_URL", "http://127.0.0.1:8080"), os.environ["NOVALUNA_TOKEN"]).run()
