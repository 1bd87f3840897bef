"""Errors in a move, a set-up or a record; their codes are stable, because clients and logs rely on them."""

from __future__ import annotations

from engine.phrases import Phrase, phrase


class EngineError(Exception):
    """The base class of all errors of the engine.

    Attributes:
        code: a stable code.
        detail: an English sentence that says what is wrong.
        phrase: the same sentence, ready to be translated.
    """

    def __init__(self, code: str, detail: str | Phrase) -> None:
        self.phrase = detail if isinstance(detail, Phrase) else Phrase(detail)
        self.detail = str(self.phrase)
        super().__init__(self.detail)
        self.code = code


def with_ruling(error: EngineError) -> Phrase:
    """Return the sentence of an error, followed by the number of its ruling if it has one."""
    rule = getattr(error, "rule", None)
    return phrase("%(detail)s (ruling %(rule)s)", detail=error.phrase, rule=rule) if rule else error.phrase


class SetupError(EngineError):
    """A game cannot be set up like this; `rule` is the ruling's number."""

    def __init__(self, code: str, detail: str | Phrase, rule: str) -> None:
        super().__init__(code, detail)
        self.rule = rule


class MoveError(EngineError):
    """A move was refused; nothing has changed."""


class MalformedMove(MoveError):
    """The values are not a move at all, so they are neither legal nor illegal. Code `malformed_move`."""

    def __init__(self, detail: str | Phrase) -> None:
        super().__init__("malformed_move", detail)


class IllegalMove(MoveError):
    """A well-formed move that the rules do not allow now; `rule` is the ruling's number, as in `"2.3"`."""

    def __init__(self, code: str, detail: str | Phrase, rule: str) -> None:
        super().__init__(code, detail)
        self.rule = rule


class GameOver(IllegalMove):
    """The game has ended; no move can follow. Code `game_over`."""

    def __init__(self, rule: str) -> None:
        super().__init__("game_over", "The game is over; no move can follow.", rule)


class TilesNotShown(EngineError):
    """A refill needs tiles that this state does not know: it was made from the shown tiles of a running game."""

    def __init__(self, needed: int, known: int) -> None:
        super().__init__(
            "tiles_not_shown",
            phrase(
                "The refill needs %(needed)s tiles of the draw order; %(known)s are known.", needed=needed, known=known
            ),
        )


class UnknownRules(EngineError):
    """A game is played by a version of the rules that is not known here. Code `unknown_rules`."""

    def __init__(self, version: object, known: tuple[str, ...]) -> None:
        super().__init__(
            "unknown_rules",
            phrase(
                "There is no version %(version)s of the rules here; there is %(known)s.",
                version=f"{version!s:.40}",
                known=", ".join(known),
            ),
        )


RECORD_CODES = (
    "spelling",
    "record",
    "header",
    "draw",
    "players",
    "entry",
    "chain",
    "time",
    "rules",
    "clock",
    "origin",
    "result",
)
"""The codes of a record's faults (docs/FORMATS.md, "Refusals")."""


class RecordError(EngineError):
    """A record is not valid; its code is one of `RECORD_CODES`.

    Attributes:
        where: the entry (0: header, draw and tiles), `"result"`, `"players"`, `"spelling"` (the bytes of the line) or
            `"record"` (its outermost form).
        why: what is wrong.
    """

    def __init__(self, where: int | str, why: str | Phrase, code: str | None = None) -> None:
        """Name what is wrong, and where; without a code it is the form of the header, or of the entry."""
        code = code or (where if isinstance(where, str) else "entry" if where else "header")
        place = f"entry {where}: {code}" if isinstance(where, int) else where
        super().__init__(code, phrase("%(name)s: %(what)s", name=place, what=why))
        self.where = where
        self.why = str(why)

    @property
    def entry(self) -> int | None:
        """The number of the first bad entry; None if the fault is in no entry."""
        return self.where if isinstance(self.where, int) else None
