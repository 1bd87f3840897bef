"""Compose sentences in the language of a problem.

Numbers appear as JSON writes them, because they are numbers that a client sent or has to send.
"""

from collections.abc import Iterable
from functools import reduce

from engine.phrases import Phrase, phrase
from service.language.languages import Language


def worded(what: Phrase, speaking: Language) -> str:
    """Return a sentence in a language; its facts can be sentences too.

    A fact that is followed by a semicolon loses its period.
    """
    facts = {}
    for name, fact in what.facts.items():
        if isinstance(fact, Phrase):
            text = worded(fact, speaking)
            facts[name] = text.removesuffix(".") if f"%({name})s;" in what.message else text
        else:
            facts[name] = str(fact)
    return speaking.say(Phrase(what.message, facts))


def about(name: str | Phrase, what: Phrase) -> Phrase:
    """Return the sentence "name: what"."""
    return phrase("%(name)s: %(what)s", name=name, what=what)


def together(sentences: Iterable[Phrase]) -> Phrase:
    """Join one or more sentences with semicolons."""
    return reduce(lambda before, after: phrase("%(before)s; %(after)s", before=before, after=after), sentences)
