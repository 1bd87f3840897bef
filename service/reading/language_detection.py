"""Detect which language somebody asks for, and which language a text is written in.

The answer is one of the four languages of the service, or None if it is not certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from service.language.languages import CODES
from service.reading import shown_words
from service.reading.tokens import simple


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHOWN = {"en": "english", "fr": "français", "es": "español", "de": "deutsch"}
"""The request for each language, as our mails tell people to write it."""

_NAMES = {
    **dict.fromkeys(_listed("english anglais ingles englisch inglesa anglaise englische englischen"), "en"),
    **dict.fromkeys(_listed("french francais frances franzosisch franzoesisch francaise francesa"), "fr"),
    **dict.fromkeys(_listed("spanish espagnol espanol castellano castilian spanisch espagnole espanola"), "es"),
    **dict.fromkeys(_listed("german allemand aleman deutsch deutsche deutscher allemande alemana"), "de"),
}
_LABELS = _listed("language languages lang langue sprache idioma lengua locale")
_AROUND = _LABELS | _listed(
    "in auf en to into zu a al please bitte write speak talk mail "
    "mails send answer reply switch change set use me us my the i"
    " would like prefer want d schreib schreibe schreibt schreiben "
    "mir uns antworte sprich sprechen ich mochte moechte will"
    " wechsle wechseln meine mails ecris ecrivez ecrire moi nous "
    "parle parlez je prefere veux voudrais passe passer reponds"
    " repondez mes messages escribe escribeme escribidme escribir "
    "habla hablar responde respondeme prefiero hablo quiero"
    " quisiera cambia cambiar mis correos mi only nur from now on ab jetzt por favor the by post"
)
_WORD = re.compile(r"[^\W\d_]+")
_OTHER = re.compile(r"[^\w\s,.:;='!()-]|[\d_]")
_MOST_WORDS = 8

_OFTEN = {
    "en": (
        "the and is you we are what how who when where with for hello thanks thank game play playing player"
        " players new would like can could my this that of do does want start about your have has there"
        " please sign register me will let alone"
    ),
    "fr": (
        "je nous vous bonjour bonsoir salut merci avec pour une est les des du au aux ce cette qui dans sur pas"
        " mon ma ton ta votre jouer jeu partie joueur joueurs nouvelle nouveau comment quoi quand suis voudrais"
        " puis peux et oui plait jouons rejoindre seul seule amis inviter quel quelle"
        " aidez svp stp inscription inscrire inscris inscrivez veux moi regle commencer compte creer allons volontiers"
    ),
    "es": (
        "el los las y con para por hola buenos buenas gracias quiero quisiera jugar juego partida jugador"
        " jugadores nueva nuevo como cuando donde soy esta este muy pero favor usted amigo quien una del mi unirse"
        " solitario invitar puedo hay esto eso ayudame registro registrarse registrarme registrame porfa cuenta crear"
        " empezar acepto me registrar inscribirme inscribeme"
    ),
    "de": (
        "der das und ich du wir ihr ist ein eine einen mit fur fuer auf nicht wie wer wo wann hallo guten tag"
        " danke bitte spiel spielen spieler neues neue neu mochte moechte kann kannst mein meine zu im den dem"
        " gern gerne ja beitreten allein alleine runde partie freund freunde moin servus gruss grusse"
        " hilf anmelden anmeldung registrieren konto spielregeln mitspielen anfangen beginnen"
        " meld melde mich mir registrier registriere will"
    ),
}
"""The most common words of each language in mails to the service, besides those of the commands."""

_ANYBODYS = {simple(word) for word in shown_words.SHOWN["en"].values()}
_BY_WORD: dict[str, set[str]] = {}
for _code, _words in _OFTEN.items():
    # The words of the commands in English are written by people of any language, as in an answer `yes` or `solo`.
    _shown = {simple(word) for word in shown_words.SHOWN[_code].values()} - _ANYBODYS
    for _word in (*_words.split(), *_shown):
        _BY_WORD.setdefault(_word, set()).add(_code)
_LOOKED_AT = 300


def requested_language(bare: str) -> str | None:
    """Return the code of the language that a line asks for, or None if the line says anything else.

    Examples: `français`, `auf deutsch`, `language: fr`.
    """
    low = simple(bare)
    said = _WORD.findall(low)
    if not 0 < len(said) <= _MOST_WORDS or _OTHER.search(low):
        return None
    named = {_NAMES[word] for word in said if word in _NAMES}
    if not named and said[0] in _LABELS and len(said) in (2, 3) and said[1] in CODES:
        return str(said[1])  # a region may follow: `fr-CA`
    known = all(word in _NAMES or word in _AROUND for word in said)
    return named.pop() if len(named) == 1 and known else None


def language_of_text(lines: Iterable[str | None]) -> str | None:
    """Return the code of the language that a text is written in, judged by common words.

    Returns None if two languages are equally likely.
    """
    seen: set[str] = set()
    for line in islice(lines, _LOOKED_AT):
        if len(seen) >= _LOOKED_AT:
            break
        seen |= set(_WORD.findall(simple((line or "")[:1_000]))[:_LOOKED_AT])
    points = dict.fromkeys(CODES, 0)
    for word in seen:
        for code in _BY_WORD.get(word, ()):
            points[code] += 1
    first, second = sorted(points, key=points.__getitem__, reverse=True)[:2]
    return first if points[first] > points[second] else None
