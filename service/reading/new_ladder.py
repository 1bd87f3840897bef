"""Read what happens in a new game when time is up, and what stops its clock, in four languages.

nudge 1 day  grace 2 days  no grace  then out  then a bot  then wait  no quiet times  no absences
"""

from __future__ import annotations

import re

from service.reading.clock_vocabulary import QUIET_OFF, either
from service.reading.written_terms import WrittenLadder
from service.reading.written_times import DURATION, read_duration

_NUDGE = "nudge; warning; rappel; relance; aviso; recordatorio; erinnerung; mahnung"
_GRACE = (
    "grace; grace of; grace period; grace period of; grace de; delai de grace; delai de grace de; sursis; sursis de;"
    "gracia; gracia de; plazo de gracia; plazo de gracia de; prorroga; prorroga de; nachfrist; nachfrist von"
)
_NO_GRACE = (
    "no grace; no grace period; without grace; without a grace period;"
    "sans sursis; sans delai de grace; pas de delai de grace;"
    "sin gracia; sin plazo de gracia; sin prorroga; keine nachfrist; ohne nachfrist"
)
_THEN = "then; in the end; finally; puis; ensuite; a la fin; luego; despues; al final; dann; danach; am ende"
_OUT = "out; out of the game; hors jeu; dehors; fuera; fuera de la partida; raus; ausgeschieden"
_WAIT = "wait; waiting; attendre; attente; esperar; espera; warten; abwarten"
_BOT = (
    "autopilot; bot; a bot; the bot; pilote automatique; robot; un robot; piloto automatico; un bot; autopilot;"
    "ein bot; einen bot"
)
_QUIET = f"{QUIET_OFF}; without quiet times; sans heures calmes; sin horas de descanso; ohne ruhezeiten"
_ABSENCES = (
    "no absences; without absences; sans absences; pas d'absences; sin ausencias; keine abwesenheiten;"
    "ohne abwesenheiten"
)
_PART = re.compile(
    rf"(?<![\w@])(?:{either(_NUDGE)} (?P<nudge>{DURATION})|(?P<no_grace>{either(_NO_GRACE)})(?!\w)"
    rf"|{either(_GRACE)} (?P<grace>{DURATION})|(?P<quiet>{either(_QUIET)})(?!\w)"
    rf"|(?P<absences>{either(_ABSENCES)})(?!\w)"
    rf"|{either(_THEN)} (?:(?P<out>{either(_OUT)})|(?P<wait>{either(_WAIT)})|(?P<autopilot>{either(_BOT)}))(?!\w))"
)
_NO_NUDGE = re.compile(rf"(?<!\w)(?:no|without|sans|pas de|sin|keine|ohne) (?:a |any )?{either(_NUDGE)}(?!\w)")
_LAST = ("out", "wait", "autopilot")


def has_no_nudge(low: str) -> bool:
    """Return whether a text says that there is no nudge, which every ladder has (6.1)."""
    return _NO_NUDGE.search(low) is not None


def cut_ladder(low: str) -> tuple[str, WrittenLadder | None]:
    """Return a text without what it says of the time after the time, and that; None if it says nothing or too much.

    The text is in lower case and without accents.
    """
    found: dict[str, str] = {}
    for part in _PART.finditer(low):
        name, text = next((name, text) for name, text in part.groupdict().items() if text)
        key = "then" if name in _LAST else name.removeprefix("no_")
        if key in found:
            return low, None
        found[key] = name if name in (*_LAST, "no_grace") else text
    if not found:
        return low, None
    grace = "p0d" if found.get("grace") == "no_grace" else found.get("grace")
    nudge = found.get("nudge")
    return _PART.sub(" ", low), WrittenLadder(
        None if nudge is None else read_duration(nudge),
        None if grace is None else read_duration(grace),
        found.get("then"),
        "quiet" not in found,
        "absences" not in found,
    )
