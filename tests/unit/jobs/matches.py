"""A match of two whose first turn was mailed, seen by the player whose turn it is."""

from __future__ import annotations

from engine.moves import Place
from service.language.cell_letters import Cell, lettered
from service.queries.table import LoadedTable
from tests.support import world
from tests.unit.jobs.writing import Post


class Match:
    """Ann's and Ben's match: `seat` is that of the first to move, and `mail` is the turn mail to that player."""

    names = ("Ann", "Ben")

    def __init__(self, post: Post, goal_discs: int = 20) -> None:
        self._post = post
        self.accounts = tuple(world.account(post.session, name) for name in self.names)
        self.id = world.match(post.session, *self.accounts, goal_discs=goal_discs)
        post.run()
        self.seat = self.table.state.turn or 0
        (self.mail,) = post.got(self.address)

    @property
    def address(self) -> str:
        return f"{self.names[self.seat].lower()}@example.org"

    @property
    def other_address(self) -> str:
        return f"{self.names[1 - self.seat].lower()}@example.org"

    @property
    def player(self) -> str:
        return f"{self.names[self.seat]} <{self.address}>"

    @property
    def table(self) -> LoadedTable:
        return world.loaded(self._post.session, self.id)

    def moves(self) -> list[str]:
        """Return the moves in the log."""
        return [entry.move for entry in self.table.entries]

    def cells(self) -> dict[str, Cell]:
        """Return this player's open cells by their letters."""
        return dict(lettered(self.table.state.displays[self.seat].open_cells()))

    def move(self) -> None:
        """Make a move without mail."""
        world.move(self._post.session, self.id)
        self._post.session.commit()

    def turns_in_a_row(self) -> int:
        """Return the times that the player to move, just mailed, may take the nearest tile; 0 if nobody was mailed."""
        table = self.table
        state, seat, turns = table.state.clone(), table.state.turn, 0
        while table.progress and table.progress.wait_seq == table.version and state.turn == seat is not None:
            tile, cell = state.wheel.choices()[0], state.displays[seat].open_cells()[0]
            state.advance(seat, Place(tile, *cell))
            turns += 1
        return turns

    def change_sides(self) -> None:
        """Change to the player whose turn it is now, with the last mail to that player."""
        self.seat = self.table.state.turn or 0
        self.mail = self._post.got(self.address)[-1]
