"""Recognize sentences that add nothing to what stands before them: apologies, thanks, good wishes and closing words."""

from __future__ import annotations

import re

from service.reading.command_words import POLITE, phrases
from service.reading.footers import is_closing
from service.reading.tokens import simple

_LONGEST = 200
_SENTENCE_END = re.compile(r"[.!,;]+(?:\s+|$)|\s+-+\s+")
_PHRASES = phrases(
    "sorry; so sorry; i'm sorry; very sorry; my apologies; apologies; sorry about that; sorry for the delay; "
    "have fun; good luck; good game; enjoy; enjoy the game; enjoy yourselves; happy playing; play well; "
    "see you then; see you after that; until then; till then; talk to you then; thanks for your patience; "
    "thanks for understanding; thanks for your understanding; thank you for your patience; "
    "thank you for understanding; thank you for your understanding; it was fun; it was a pleasure; "
    "tut mir leid; es tut mir leid; entschuldigung; entschuldigt; viel spass; viel gluck; viel glueck; viel erfolg; "
    "bis dahin; bis danach; danke fur euer verstandnis; danke fuer euer verstaendnis; danke fur dein verstandnis; "
    "danke fur eure geduld; danke fur deine geduld; danke fur die geduld; danke fur das verstandnis; "
    "vielen dank fur euer verstandnis; schones spiel; spielt schon; war schon; es war schon; hat spass gemacht; "
    "desole; desolee; je suis desole; je suis desolee; pardon; bonne partie; bonne chance; bon jeu; bon courage; "
    "amusez-vous bien; amuse-toi bien; a ce moment-la; d'ici la; merci de votre comprehension; "
    "merci pour votre comprehension; merci de ta comprehension; merci de votre patience; merci pour votre patience; "
    "merci pour ta patience; c'etait sympa; "
    "lo siento; perdon; perdona; perdonad; disculpa; disculpad; suerte; buena suerte; mucha suerte; buena partida; "
    "que os divirtais; que lo paseis bien; divertios; divertanse; hasta entonces; gracias por vuestra paciencia; "
    "gracias por la paciencia; gracias por vuestra comprension; gracias por la comprension; gracias por todo"
) | phrases(POLITE)  # fmt: skip
_TO_ALL = re.compile(
    r" (?:to (?:you )?all|everyone|everybody|all|guys|euch(?: allen| beiden)?(?: noch)?|dir(?: noch)?|noch|zusammen|"
    r"allerseits|allen|a tous|a toutes|a tous et a toutes|tout le monde|les amis|a todos|a todas|chicos|amigos)$"
)


def adds_nothing(text: str) -> bool:
    """Return whether a tidy text consists of such sentences alone; an empty one does."""
    if len(text) > _LONGEST:
        return False
    return is_closing(text) or all(map(_is_one, _SENTENCE_END.split(text)))


def _is_one(sentence: str) -> bool:
    low = simple(sentence).strip(" .,;:!¡")
    return not any(map(str.isalnum, low)) or low in _PHRASES or _TO_ALL.sub("", low) in _PHRASES or is_closing(low)
