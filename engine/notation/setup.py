"""Settle from the tags of a text how its game began: their values, the draw, and what is missing."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple, NoReturn

from engine import rules
from engine.draw import commitment, is_entropy
from engine.notation.entry_lines import parse_by
from engine.notation.errors import Refusal
from engine.notation.model import SEATS, Setup
from engine.notation.source import Source
from engine.notation.times import read_time
from engine.tiles import COUNT
from engine.wheel import SPACES

FORMAT = "nova-luna-text/1"

_WHOLE = re.compile(r"[0-9]{1,16}")
_HASH = re.compile(r"[0-9a-f]{64}")
_LETTERS = re.compile(r"[A-D](?>(?:[ \t]*+,?[ \t]*+[A-D])*)", re.IGNORECASE | re.ASCII)
_TILES = re.compile(r"[0-9]{1,16}(?>(?:(?:[ \t]*+,[ \t]*+|[ \t]++)[0-9]{1,16})*)")


class Beginning(NamedTuple):
    """The start of a game, and who acts in it unless an entry says otherwise.

    Attributes:
        setup: how it begins.
        by: by seat: who places its tiles and refills, where no entry says so; None for the player.
    """

    setup: Setup
    by: tuple[str | None, ...]


def settle(source: Source) -> Beginning:
    """Check the tags of a text and return the beginning of its game.

    Raises:
        Refusal: a value is wrong, the seed does not fit the rest, or a tag is missing.
    """
    return _Tags(source).settle()


class _Tags:
    """The tags of one text."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._tags = source.tags

    def settle(self) -> Beginning:
        """Check the tags of a text and return the beginning of its game."""
        tags = self._tags
        self._hold(tags.get("Format", FORMAT) == FORMAT, "Format", f"This is {FORMAT}, and no other format is known.")
        version = tags.get("Rules", rules.FIRST)
        known = ", ".join(rules.VERSIONS)
        self._hold(version in rules.VERSIONS, "Rules", f"There is no such version of the rules here; there is {known}.")
        played = rules.of(version)
        stack = self._stack()
        seats = self._number("Seats", 1, len(SEATS)) or (len(stack) if stack else 1)
        self._check_seats(seats, stack)
        solo = seats == 1
        most = played.solo_discs if solo else played.goal_discs[-1]
        discs = self._number("Discs", most if solo else played.goal_discs[0], most) or most
        for name in ("Game", "Subject"):
            self._hold(tags.get(name) != "", name, "An id has at least one character.")
        by = tuple(self._by(f"By{letter}") for letter in SEATS[:seats])
        created, started = self._time("Created"), self._time("Started")
        for name in ("Commitment", "Seed", "Head"):
            hashed = name not in tags or _HASH.fullmatch(tags[name]) is not None
            self._hold(hashed, name, f"{name} is 64 hex digits in lower case.")
        entropy = tuple(tags.get(f"Entropy{letter}", "") for letter in SEATS[:seats])
        for letter, text in zip(SEATS, entropy, strict=False):
            self._hold(
                is_entropy(text), f"Entropy{letter}", "A player gives at most 64 characters of U+0020 to U+007E."
            )
        setup = Setup(
            game=tags.get("Game"),
            seats=seats,
            discs=discs,
            names=tuple(tags.get(letter) for letter in SEATS[:seats]),
            created=created,
            started=started,
            subject=tags.get("Subject", tags.get("Game")),
            commitment=tags.get("Commitment"),
            entropy=entropy,
            seed=bytes.fromhex(tags["Seed"]) if "Seed" in tags else None,
            stack=stack or ((0,) if solo else ()),
            tiles=self._tiles(),
            own={name: tags[name] for name in sorted(tags) if name.startswith("X")},
            rules=version,
        )
        return Beginning(self._drawn(setup), by)

    def _drawn(self, setup: Setup) -> Setup:
        """Return the set-up with all that follows from its seed."""
        if setup.seed is not None:
            committed = commitment(setup.seed)
            if setup.commitment not in (None, committed):
                self._refuse("Commitment", "The commitment was not made to this seed.", "bad_draw")
            draw = setup.draw()
            if draw is None:
                self._miss("Game or Subject, which the seed needs")
            tiles, stack = draw.tiles, draw.stack
            if setup.tiles != tiles[: len(setup.tiles)]:
                self._refuse("Tiles", "The seed does not give these tiles.", "bad_draw")
            if "Stack" in self._tags and setup.stack != stack:
                self._refuse("Stack", "The seed does not give this starting pile.", "bad_draw")
            return replace(setup, commitment=committed, tiles=tiles, stack=stack)
        if not setup.stack:
            self._miss("Stack")
        if not setup.tiles:
            self._miss("Tiles or Seed")
        return setup

    def _stack(self) -> tuple[int, ...] | None:
        text = self._tags.get("Stack")
        if text is None:
            return None
        self._hold(_LETTERS.fullmatch(text.strip(" \t")) is not None, "Stack", "The starting pile is written as B A C.")
        return tuple(SEATS.index(letter) for letter in text.upper() if letter in SEATS)

    def _check_seats(self, seats: int, stack: tuple[int, ...] | None) -> None:
        """Check the starting pile, and that no tag names a seat that the game does not have."""
        fits = stack is None or sorted(stack) == list(range(seats))
        self._hold(fits, "Stack", "The starting pile has each seat once.")
        for letter in SEATS[seats:]:
            for name in (letter, f"By{letter}", f"Entropy{letter}"):
                self._hold(name not in self._tags, name, f"This game has no seat {letter}.")

    def _tiles(self) -> tuple[int, ...]:
        text = self._tags.get("Tiles")
        if text is None:
            return ()
        listed = _TILES.fullmatch(text.strip(" \t")) is not None
        tiles = tuple(int(number) for number in text.replace(",", " ").split()) if listed else ()
        right = len(tiles) >= SPACES - 1 and len(set(tiles)) == len(tiles) and set(tiles) <= set(range(1, COUNT + 1))
        self._hold(right, "Tiles", f"Tiles names at least {SPACES - 1} tiles, each of 1 to {COUNT} at most once.")
        return tiles

    def _number(self, name: str, least: int, most: int) -> int | None:
        text = self._tags.get(name)
        if text is None:
            return None
        number = int(text) if _WHOLE.fullmatch(text) else -1
        given = f"{least} to {most}" if least < most else str(least)
        self._hold(least <= number <= most, name, f"{name} is {given} here.")
        return number

    def _by(self, name: str) -> str | None:
        text = self._tags.get(name)
        if text is None:
            return None
        told, by = parse_by(text)
        self._hold(told and by != "host", name, "A seat is played by a bot, as in bot:greedy, or by the player.")
        return by

    def _time(self, name: str) -> str | None:
        text = self._tags.get(name)
        if text is None:
            return None
        time = read_time(text)
        if time is None:
            self._refuse(name, "A time is written as 2026-11-27T20:56:00.123Z, and its date exists.", "bad_time")
        return time

    def _hold(self, fact: bool, name: str, why: str) -> None:
        if not fact:
            self._refuse(name, why, "bad_value")

    def _refuse(self, name: str, why: str, code: str) -> NoReturn:
        raise Refusal(self._source.tag_lines[name], code, why)

    def _miss(self, what: str) -> NoReturn:
        raise Refusal(self._source.first_line, "missing_tag", f"A tag is missing: {what}.")
