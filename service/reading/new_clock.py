"""Read the clock of a new game, as people write it beside the number of players.

3 days a move  a week per move  bank 5 days plus 1 day  5 days plus 1 day a move, at most 7 days  no clock
"""

from __future__ import annotations

import re
from datetime import timedelta

from service.reading.clock_vocabulary import either
from service.reading.written_terms import WrittenClock
from service.reading.written_times import DURATION, NO_DURATION, read_duration

_EACH = (
    "a; an; per; for each; for every; each; every; /; par; pour chaque; por; por cada; cada; pro; je;"
    "fur jeden; fuer jeden"
)
_MOVE = "move; moves; turn; turns; coup; tour; jugada; turno; movimiento; zug; spielzug"
_BANK = (
    "bank; time bank; reserve; a bank of; bank of; reserve of; reserve de; une reserve de; banque; banque de;"
    "banco; banco de;"
    "reserva; reserva de; una reserva de; konto; zeitkonto; zeitreserve; bank von; zeitkonto von"
)
_PLUS = "plus; +; mas; with"
_AND = "and; et; und; y"
_MOST = (
    "at most; up to; max; maximum; most; au plus; jusqu'a; como maximo; hasta; hochstens; hoechstens; bis zu; maximal"
)
_NONE = (
    "no clock; without clock; without a clock; no time limit; sans pendule; sans limite de temps; sans horloge; "
    "sin reloj; sin limite de tiempo; ohne uhr; ohne zeitlimit; ohne bedenkzeit; keine uhr"
)
_DAY = timedelta(days=1)
_PER_MOVE = rf"(?: ?{either(_EACH)} ?{either(_MOVE)}(?!\w))"
_CLOCK = re.compile(
    rf"(?<![\w@+.-])(?<!\d,)(?:(?P<none>{either(_NONE)})(?!\w)"
    rf"|(?P<named>{either(_BANK)} )?(?P<bank>{DURATION}) ?(?:{either(_PLUS)}|(?P<and>{either(_AND)})) ?"
    rf"(?P<increment>{DURATION}){_PER_MOVE}?"
    rf"(?:,? ?{either(_MOST)} (?P<cap>{DURATION}))?"
    rf"|{either(_BANK)} (?P<alone>{DURATION})"
    rf"|(?P<wait>{DURATION}){_PER_MOVE})"
)


_LIKE = re.compile(rf"{NO_DURATION}{_PER_MOVE}")


def cut_clock(low: str) -> tuple[str, WrittenClock | None]:
    """Return a text without the clock that it names, and that clock, which is None if the text names none or several.

    The text is in lower case and without accents.
    """
    found = list(_CLOCK.finditer(low))
    if len(found) != 1:
        return low, None
    lengths = ("bank", "increment", "cap", "alone", "wait")
    parts = {name: read_duration(text) for name in lengths if (text := found[0][name])}
    rest = f"{low[: found[0].start()]} {low[found[0].end() :]}"
    bank = parts.get("bank") or parts.get("alone")
    if bank is None:
        return rest, WrittenClock(per_wait=parts.get("wait"))
    increment, cap = parts.get("increment"), parts.get("cap")
    if increment is None:
        return rest, WrittenClock(bank=bank, cap=cap)
    is_one_length = found[0]["and"] and not found[0]["named"] and cap is None and increment < _DAY <= bank
    if is_one_length:  # `1 day and 12 hours a move`
        return rest, WrittenClock(per_wait=bank + increment)
    return rest, WrittenClock(None, bank, increment, cap)


def is_unclear(low: str) -> bool:
    """Return whether a text names times for a move that are no clock, such as `1.5 days a move`, or several."""
    return _LIKE.search(low) is not None and cut_clock(low)[1] is None
