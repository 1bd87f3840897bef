"""Sentences that say why a goal is met or not, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from engine.goals import AskedColor, ExplainedGoal, TouchingChain
from engine.phrases import Phrase
from engine.tiles import TILES
from service.language.languages import Language
from service.language.words import goal as goal_in_words
from service.language.words import letters

_SIDES = {
    "above": Phrase("above"),
    "left": Phrase("on the left"),
    "right": Phrase("on the right"),
    "below": Phrase("below"),
}


def name(goal: ExplainedGoal, language: Language) -> str:
    """Return which goal it is: `Goal 2 of tile 34`."""
    return _name(goal.tile, goal.goal, language)


@cache
def _name(tile: int, goal: int, language: Language) -> str:
    return language.say("Goal %(number)s of tile %(tile)s", number=goal + 1, tile=tile)


def summary(goal: ExplainedGoal, language: Language) -> str:
    """Return in one sentence what a goal asks for, and whether it is met or what it lacks."""
    return _summary(goal.asks, goal.covered, tuple(goal.missing.items()), language)


@lru_cache(maxsize=4096)
def _summary(asks: str, covered: bool, missing: tuple[tuple[str, int], ...], language: Language) -> str:
    asked = goal_in_words(asks, language)
    if covered:
        return language.say("It asks for %(asked)s, and is covered.", asked=asked)
    if not missing:
        return language.say("It asks for %(asked)s and is met, but waits for a goal disc.", asked=asked)
    lacks = letters(dict(missing), language)
    return language.say("It asks for %(asked)s, and lacks %(missing)s.", asked=asked, missing=lacks)


def color(goal: ExplainedGoal, asked: AskedColor, language: Language) -> str:
    """Return in sentences which tiles of a color count for a goal, and by which chains they come."""
    return " ".join(_color(goal, asked, language))


def sentences(goal: ExplainedGoal, language: Language) -> Iterator[str]:
    """Yield all sentences about a goal: which it is, how it stands, and what counts of each color."""
    yield f"{name(goal, language)}: {summary(goal, language)}"
    for asked in goal.colors:
        yield color(goal, asked, language)


def by_tiles(counting: Iterable[int], language: Language) -> str:
    """Return the tiles that a goal was covered by: `by tile 5`, `by tiles 5, 6 and 7`."""
    tiles = list(counting)
    return language.count("by tile %(tiles)s", "by tiles %(tiles)s", len(tiles), tiles=_listed(tiles, language))


def _color(goal: ExplainedGoal, asked: AskedColor, language: Language) -> Iterator[str]:
    wanted = letters({asked.letter: asked.needed}, language)
    yield language.count("%(asked)s: %(n)s tile counts.", "%(asked)s: %(n)s tiles count.", asked.counted, asked=wanted)
    for chain in asked.chains:
        yield _chain(chain, language)
    if not asked.chains:
        yield language.say("No chain of this color touches it.")
    if asked.letter == TILES[goal.tile].letter:
        yield language.say("The tile itself does not count.")


def _chain(chain: TouchingChain, language: Language) -> str:
    where = language.listed(language.say(_SIDES[side]) for side in chain.sides)
    if len(chain.tiles) == 1:
        return language.say("Tile %(tile)s touches it %(where)s.", tile=chain.tiles[0], where=where)
    return language.say(
        "The chain of tiles %(tiles)s touches it %(where)s; each tile counts once.",
        tiles=_listed(chain.tiles, language),
        where=where,
    )


def _listed(tiles: Iterable[int], language: Language) -> str:
    return language.listed(map(str, tiles))
