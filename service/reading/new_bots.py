"""Read how many of the players of a new game are bots: `1 bot`, `against two bots`, `un ordinateur`."""

from __future__ import annotations

import re

from service.reading import command_words
from service.reading.clock_vocabulary import either

_ONE = "a; an; one; the; un; une; una; uno; le; el; la; ein; eine; einen; einem; einer; den; dem"
_BOT = (
    "bot; bots; robot; robots; greedy bot; greedy bots; computer; computers; computer player; computer players;"
    "ordinateur; ordinateurs; l'ordinateur; ordenador; ordenadores; computadora; maquina; "
    "computern; roboter; robotern; robote; computergegner"
)
_BEFORE = "against; versus; vs; contre; contra; gegen"
_BOTS = re.compile(
    rf"(?<![\w@])(?:{either(_BEFORE)}\.? )?"
    rf"(?:(?P<number>\d{{1,2}}|{'|'.join(command_words.COUNTS)}|{either(_ONE)}) )?{either(_BOT)}(?![\w@])"
)


def cut_bots(low: str) -> tuple[str, int]:
    """Return a text without the bots that it names, and their number: 0 if it names none, or several times.

    The text is in lower case and without accents.
    """
    found = list(_BOTS.finditer(low))
    if len(found) != 1:
        return low, 0
    number = found[0]["number"] or "1"
    bots = int(number) if number.isdecimal() else command_words.COUNTS.get(number, 1)
    return f"{low[: found[0].start()]} {low[found[0].end() :]}", bots
