"""Recognize a player's request for more time for themselves, in four languages: `I need more time`, `Ich brauche …`.

The text is in lower case and without accents, as `service.reading.tokens.simple` returns it.
"""

from __future__ import annotations

import re

_ASKS = re.compile(
    r"(?:(?:can|could|may|might) (?:i|we|you) (?:please |possibly )?(?:have|get|take|give me|give us|grant me)|"
    r"(?:i|we)(?: would|'d) like|(?:i|we)(?:'ll| will)? (?:really |just )?(?:need|want)|please give me|give me|"
    r"(?:kann|konnte|koennte|darf) ich (?:bitte )?|ich (?:brauche|benotige|benoetige|brauch|hatte gerne?|haette gerne?|"
    r"mochte|moechte|will)(?: bitte)?|gib mir(?: bitte)?|gebt mir(?: bitte)?|"
    r"(?:puis-je|pourrais-je|est-ce que je (?:peux|pourrais)|je peux) avoir|"
    r"j'(?:ai|aurais) (?:encore )?besoin (?:de |d')|"
    r"il me (?:faut|faudrait)|je (?:voudrais|veux)|donne-moi|donnez-moi|"
    r"(?:puedo|podria) (?:tener|pedir)|(?:puedes|podeis|podrias) darme|necesito|necesitaria|me hace falta|quisiera|"
    r"quiero|dame|dadme) ?(?=\S)"
)
_A_LITTLE = re.compile(r"(?:some|a bit|a little|etwas|ein bisschen|ein wenig|un peu|un poco) (?=\S)")
_ANOTHER = re.compile(r"(?:another|otro|otra|un autre|une autre) (?=[^\W\d]+$)")
_END = re.compile(r" (?:haben|bekommen|kriegen|please|bitte)$")


def requested(low: str) -> str | None:
    """Return the words after those by which a player asks for something: `two more days`; None without such words."""
    text = low.rstrip(" ?!.")
    found = _ASKS.match(text)
    if found is None:
        return None
    rest = _A_LITTLE.sub("", _END.sub("", text[found.end() :]), count=1)
    return _ANOTHER.sub("one more ", rest)
