"""Put sentences together in the language of a problem.

Numbers stand in it as JSON has them: they are those that a client sent, or is to send.
"""

from collections.abc import Iterable
from functools import reduce

from engine.saying import Said, said
from service.language.languages import Language


def worded(what: Said, speaking: Language) -> str:
    """A sentence in a language, with facts that can be sentences as well; one that goes on with a semicolon has no full
    stop before it."""
    facts = {}
    for name, fact in what.facts.items():
        if isinstance(fact, Said):
            text = worded(fact, speaking)
            facts[name] = text.removesuffix(".") if f"%({name})s;" in what.message else text
        else:
            facts[name] = str(fact)
    return speaking.say(Said(what.message, facts))


def about(name: str | Said, what: Said) -> Said:
    """What is to be said about something with a name."""
    return said("%(name)s: %(what)s", name=name, what=what)


def together(sentences: Iterable[Said]) -> Said:
    """Some sentences, one at least, as one."""
    return reduce(lambda before, after: said("%(before)s; %(after)s", before=before, after=after), sentences)
