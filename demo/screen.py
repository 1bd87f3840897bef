"""Output to the terminal: steps, mails, moves and the moon track, wrapped to its width."""

import json
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from demo.people import Person
from demo.postbox import Mail

_SPACES = 24
_CELL = 3
_WIDEST = 100
_NARROWEST = 60
# How many lines of a mail are shown: of the first of its kind, and of later ones.
_FIRST, _LATER = 9, 3
_COLORS = ("95", "96", "93", "92")


class Screen:
    """An output stream, in color if it is a terminal and NO_COLOR is not set."""

    def __init__(self, out: TextIO, environ: Mapping[str, str]) -> None:
        self._out = out
        self._colored = out.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
        width = shutil.get_terminal_size((80, 24)).columns if out.isatty() else 80
        self._width = min(_WIDEST, max(_NARROWEST, width - 1))
        self._steps = 0
        self._kinds: set[str] = set()

    def title(self, text: str) -> None:
        """Write the first line of the demonstration."""
        self._line(self._paint(text, "1"))

    def step(self, text: str) -> None:
        """Write the heading of the next step."""
        self._steps += 1
        self._line("")
        self._line(self._paint(f"{self._steps}  {text}", "1;36"))

    def say(self, text: str) -> None:
        """Write a paragraph, wrapped."""
        for line in textwrap.wrap(text, self._width - 3, break_long_words=False, break_on_hyphens=False):
            self._line("   " + line)

    def to_copy(self, text: str, note: str) -> None:
        """Write a line to be copied, unwrapped however long it is, under a note."""
        self._line("")
        self._line(self._paint(f"   # {note}", "2"))
        self._line(text)

    def request(self, person: Person, method: str, path: str, body: Any, status: int) -> None:
        """Write a request that was sent, and the status of its response."""
        told = _cut(f"{person.name}: {method} {path} {json.dumps(body)}", self._width - 7)
        self._line(f"   {told} {self._paint(str(status), '32')}")

    def mail(self, mail: Mail) -> None:
        """Write a mail's recipient, subject and first lines; fewer lines if one of its kind was shown before."""
        kind = mail.subject.partition(":")[0]
        lines = [line for line in mail.text.splitlines() if line.strip()]
        shown = lines[: _LATER if kind in self._kinds else _FIRST]
        self._kinds.add(kind)
        self._line("")
        self._line(self._paint(f"   ✉  To {mail.to}: {mail.subject}", "1;33"))
        for line in shown:
            self._line(self._paint("   │ ", "33") + _cut(line, self._width - 5))
        if len(lines) > len(shown):
            self._line(self._paint(f"   ╵ … {len(lines) - len(shown)} lines more", "33"))

    def move(self, person: Person, last: Mapping[str, Any]) -> None:
        """Write an accepted move, from the view's ``last_move``."""
        told = [f"{last['seq']:>4}. {person.name} {_move(last['move'])}"]
        if last["covered"]:
            told.append(_counted(len(last["covered"]), "goal") + " covered")
        if last["moved"]:
            told.append(f"moon track {last['moved']['from']} to {last['moved']['to']}")
        if last["refilled_by_itself"]:
            told.append("the empty selection track was refilled")
        self._line("   " + "; ".join(told))

    def moon_track(self, view: Mapping[str, Any], people: Sequence[Person]) -> None:
        """Write the moon track with its stacks, and below it each player's position and goal discs left."""
        spaces: dict[int, list[int]] = {}
        for stack in view["moon_track"]["stacks"]:
            spaces.setdefault(stack["space"], []).extend(stack["seats"])
        self._line("")
        for height in reversed(range(max(map(len, spaces.values()), default=1))):
            cells = [self._disc(spaces.get(space, []), height, people) for space in range(_SPACES)]
            self._line(("   ☾  " if height == 0 else "      ") + "".join(cells).rstrip())
        scale = "".join(str(space).ljust(_CELL * 3) for space in range(0, _SPACES, 3))
        self._line(self._paint("      " + scale.rstrip(), "2"))
        standing = [
            f"{people[player['seat']].name} {'away' if player['position'] is None else player['position']},"
            f" {_counted(player['discs_left'], 'disc')} left"
            for player in view["players"]
        ]
        self._line("      " + " · ".join(standing))

    def failed(self, text: str) -> None:
        """Write the error."""
        self._line("")
        self._line(self._paint(f"Failed: {text}", "1;31"))

    def _disc(self, seats: Sequence[int], height: int, people: Sequence[Person]) -> str:
        if height < len(seats):
            seat = seats[height]
            return self._paint(people[seat].letter, "1;" + _COLORS[seat]) + " " * (_CELL - 1)
        return ("·" if height == 0 else " ").ljust(_CELL)

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colored else text

    def _line(self, text: str) -> None:
        self._out.write(text + "\n")
        self._out.flush()


def _move(move: Mapping[str, Any]) -> str:
    if move["type"] == "place":
        return f"places tile {move['tile']} at ({move['x']}, {move['y']})"
    return "refills the selection track" if move["type"] == "refill" else "leaves the game"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" + ("" if number == 1 else "s")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
