"""The words of the commands about time, in four languages, in lower case and without accents."""

from __future__ import annotations

import re
from functools import cache

from service.reading.command_words import phrases


@cache
def listed(text: str) -> frozenset[str]:
    """Return the phrases of one of the lists of this module."""
    return phrases(text)


def either(text: str) -> str:
    """Return the pattern of any phrase of a list, the longest first."""
    return f"(?:{'|'.join(re.escape(phrase) for phrase in sorted(listed(text), key=len, reverse=True))})"


AWAY_ALONE = (
    "away; i'm away; i am away; absent; absente; je suis absent; je suis absente; ausente; abwesend; verreist; "
    "on holiday; on holidays; on vacation; holiday; vacation; i'm on holiday; i am on holiday; i'm on vacation; "
    "i am on vacation; pause; pause game; pause the game; pause my games; pause my clock; take a break; "
    "i'm taking a break; i need a break; en vacances; vacances; je suis en vacances; en pause; je fais une pause; "
    "faire une pause; pause partie; je pars en vacances; me voy de vacaciones; salgo de vacaciones; "
    "ich fahre in den urlaub; ich fahre in urlaub; ich gehe in urlaub; ich mache urlaub; ich bin in urlaub; "
    "ich verreise; ich fahre weg; i'm going on holiday; i'm going on vacation; "
    "de vacaciones; vacaciones; estoy de vacaciones; pausa; hacer una pausa; "
    "pausar; pausar la partida; im urlaub; urlaub; ich bin im urlaub; bin im urlaub; pausieren; pause machen; "
    "ich mache pause; mache pause"
)
"""Words for being away that are asked back when they stand alone."""

AWAY = (
    f"{AWAY_ALONE}; "
    "i'll be on holiday; i'll be on vacation; i will be on holiday; i will be on vacation; i'm off; je pars; me voy; "
    "in urlaub; in den urlaub; je vais en vacances; "
    "i'll be away; i will be away; absence; je serai absent; je serai absente; je serai en vacances; en conge; "
    "en conges; je suis en conge; je suis en conges; je serai en conge; je serai en conges; "
    "estoy ausente; estare ausente; ausencia; estoy fuera; estare fuera; estare de vacaciones; fuera; "
    "weg; abwesenheit; ich bin weg; bin weg; ich bin abwesend; bin abwesend; ich bin verreist; bin verreist; "
    "nicht da; ich bin nicht da; travelling; traveling; i'm travelling; i'm traveling; i am travelling; "
    "i am traveling; gone; i'm gone; ill; i'm ill; i am ill; sick; i'm sick; i am sick; unavailable; "
    "i'm unavailable; i am unavailable; not available; can't play; i can't play; i cannot play; cannot play; "
    "malade; je suis malade; en voyage; je suis en voyage; indisponible; je suis indisponible; "
    "je ne peux pas jouer; enfermo; enferma; estoy enfermo; estoy enferma; de viaje; estoy de viaje; "
    "no disponible; no puedo jugar; krank; ich bin krank; bin krank; unterwegs; ich bin unterwegs; bin unterwegs; "
    "auf reisen; ich bin auf reisen; verhindert; ich bin verhindert; ich kann nicht spielen; kann nicht spielen"
)
"""Words for being away, with a time behind them."""

SUBJECT = "bin ich; i'm; i am; i will be; i'll be; je suis; je serai; estoy; estare"
"""What may stand between a time and a word for being away: `until 5 December I'm away`."""

SUBJECT_BEFORE = "ich bin; bin; ich fahre; fahre; ich gehe"
"""What may stand in front of a time, with a word for being away behind it: `Ich bin bis 5. Dezember weg`."""

UNTIL = (
    "until; till; til; up to; through; thru; until and including; "
    "jusqu'au; jusqu'a; jusque; jusqu'a ce; hasta; hasta el; bis; bis zum; bis einschliesslich; bis einschl."
)
FROM = "from; starting; du; de; a partir du; des; del; desde; desde el; von; vom; ab; ab dem"
ON_DAY = "on; on the; le; el; am"
TO = (
    "to; until; till; til; through; thru; to the; au; a; jusqu'au; jusqu'a; al; hasta; hasta el; bis; bis zum; and; und"
)
FOR = "for; for the next; pour; pendant; durant; por; durante; fur; fuer; die nachsten; die naechsten"
ABOUT_THEN = (
    "next week; this week; all week; the whole week; next month; this month; this weekend; next weekend; "
    "at the weekend; over the weekend; on the weekend; the weekend; "
    "la semaine prochaine; semaine prochaine; cette semaine; toute la semaine; le mois prochain; ce mois-ci; "
    "ce week-end; le week-end; le week-end prochain; "
    "la semana que viene; la proxima semana; la semana proxima; esta semana; toda la semana; el mes que viene; "
    "el proximo mes; este mes; este fin de semana; el fin de semana; el proximo fin de semana; "
    "nachste woche; naechste woche; kommende woche; diese woche; die ganze woche; nachsten monat; naechsten monat; "
    "diesen monat; am wochenende; ubers wochenende; uebers wochenende; dieses wochenende; nachstes wochenende; "
    "naechstes wochenende"
)
"""Words for a time of which it is not certain which day is the last one."""

BECAUSE = "because; since; due to; wegen; weil; parce que; car; a cause; pour cause; porque; debido; por"
"""Words before the reason for an absence, which says nothing of its days."""

INCLUDED = "inclusive; included; incl; inclus; compris; inclusive incluido; incluido; einschliesslich; inkl"

BACK = (
    "back; i'm back; i am back; back again; i'm back again; i am back again; "
    "retour; de retour; je suis de retour; me revoila; je suis revenu; je suis revenue; "
    "de vuelta; estoy de vuelta; ya estoy de vuelta; he vuelto; ya he vuelto; vuelvo; he regresado; "
    "wieder da; ich bin wieder da; bin wieder da; wieder zuruck; wieder zurueck; ich bin zuruck; ich bin zurueck; "
    "bin zuruck; bin zurueck; ich bin wieder zuruck; ich bin wieder zurueck; bin wieder zuruck; bin wieder zurueck"
)
WILL_BE_BACK = (
    "i'll be back; i will be back; je reviens; je serai de retour; je rentre; ich bin wieder da; bin wieder da; "
    "zuruck; zurueck; ich komme zuruck; ich komme zurueck; estare de vuelta; regreso"
)
"""Words for coming back, with a day behind them."""

PERHAPS_BACK = "zuruck; zurueck"
"""Words for being back that may also ask to take a move back."""

KEEP = (
    "keep; keep game; keep the game; keep this game; keep it; keep playing; keep the table; keep the game going; "
    "garder; garde; garder la partie; garder cette partie; continuer; continuer la partie; on continue; "
    "mantener; mantener la partida; conservar; conservar la partida; seguir; seguir jugando; seguimos; "
    "behalten; partie behalten; spiel behalten; weiterspielen; weiter spielen; wir spielen weiter"
)

TIMES_OF_DAY = (
    "at night; nights; by night; during the night; overnight; in the night; in the evening; in the morning; weekends; "
    "on weekends; at weekends; at the weekend; on the weekend; weekend; the weekend; during the week; at work; "
    "la nuit; de nuit; le soir; le matin; le week-end; les week-ends; week-end; week-ends; en semaine; "
    "de noche; por la noche; por las noches; por la manana; fines de semana; los fines de semana; el fin de semana; "
    "nachts; in der nacht; abends; morgens; am wochenende; an wochenenden; wochenende; wochenenden; unter der woche"
)
"""Times that do not say at which hour they begin and end."""

QUIET = (
    "quiet; quiet times; quiet time; quiet hours; do not disturb; "
    "calme; heures calmes; periode calme; silence; heures de silence; repos; "
    "descanso; horas de descanso; horas tranquilas; silencio; horas de silencio; "
    "ruhe; ruhezeit; ruhezeiten; nachtruhe"
)
QUIET_OFF = (
    "no quiet times; no quiet hours; pas d'heures calmes; plus d'heures calmes; sin horas de descanso; sin descanso; "
    "keine ruhezeit; keine ruhezeiten"
)
FROM_TIME = "from; between; de; entre; des; von; zwischen; ab"
TO_TIME = "to; until; till; and; a; et; jusqu'a; hasta; hasta las; a las; y; y las; bis; und"

MORE = (
    "more time; more; another; give more time; give; give them; give him; give her; more time for them; "
    "plus de temps; plus; encore; donner; donne; donne-lui; donne-leur; temps; "
    "mas tiempo; mas de tiempo; mas; dar mas tiempo; dar; dale; dales; "
    "mehr zeit; mehr; noch; gib mehr zeit; gib; gib ihm; gib ihr; gib ihnen; "
    "gib ihm noch; gib ihr noch; gib ihnen noch; zeit"
)
MORE_ALONE = "more time; give more time; plus de temps; mas tiempo; mas de tiempo; mehr zeit"
BEFORE_MORE = (
    "give; give them; give him; give her; donner; donne; donne-lui; donne-leur; dar; dale; dales; "
    "gib; gib ihm; gib ihr; gib ihnen; noch; encore; add"
)
MORE_WITHIN = "more; mas; weitere; zusatzliche"
MORE_BEHIND = "more; more time; de plus; en plus; mas; de mas; mehr; langer; laenger; longer; supplementaires; extra"

REMINDERS = (
    "reminders; reminder; remind me; remind; my reminders; "
    "rappels; rappel; rappelle-moi; mes rappels; "
    "recordatorios; recordatorio; recuerdame; avisos; "
    "erinnerungen; erinnerung; erinnere mich"
)
NO_REMINDERS = (
    "no reminders; no more reminders; stop reminders; stop reminding me; pas de rappels; plus de rappels; "
    "sin recordatorios; no mas recordatorios; keine erinnerungen; keine erinnerungen mehr"
)
HALF = (
    "half; half time; halftime; half the time; at half; at half time; la moitie; moitie; a la moitie; mi-temps; "
    "a mi-temps; la mitad; mitad; a la mitad; halfte; haelfte; die halfte; halbzeit; zur halbzeit; nach der halfte"
)
BEFORE_END = (
    "before; before the end; left; beforehand; before time runs out; avant; avant la fin; restantes; restants; antes; "
    "antes del final; vorher; davor; vor ablauf; vor schluss"
)
IN_DIGEST = (
    "digest; in digest; in the digest; daily; resume; dans le resume; recapitulatif; en el resumen; resumen; "
    "sammelmail; in der sammelmail; zusammenfassung"
)
ON = "on; oui; yes; si; an; ein; ja; default; marche; activer; activados"
OFF = "off; none; no; not; non; aucun; aucune; desactiver; arret; ninguno; ninguna; nada; aus; keine; nein; kein; nicht"
AND = "and; et; y; e; und; &"

_ENGLISH = "quiet; quiet times; quiet time; quiet hours; do not disturb"
_DAY_FIRST = re.compile(
    r"(?:abs(?!ence )|je |en |vacances|ausen|esto?y |estare |de |vacaciones|fuera|weg|abwesen|ich |bin |verreist|im |"
    r"urlaub|nicht |me |salgo )"
)


def is_english(low: str) -> bool:
    """Return whether a line about quiet times begins with English words, in which 10 may be 22:00."""
    return low.startswith(tuple(listed(_ENGLISH)))


def is_day_first(low: str) -> bool:
    """Return whether a line about an absence is in a language in which `5/12` is always 5 December."""
    return _DAY_FIRST.match(low) is not None
