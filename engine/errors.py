"""What can be wrong with a move, a set-up or a record. Codes are stable: clients and logs go by them."""

from __future__ import annotations

from engine.saying import Said, said


class EngineError(Exception):
    """The root of all errors of the engine: `code` is stable, `detail` says in a sentence what is wrong, and `said` is
    the same for those who say it in another language."""

    def __init__(self, code: str, detail: str | Said) -> None:
        self.said = detail if isinstance(detail, Said) else Said(detail)
        self.detail = str(self.said)
        super().__init__(self.detail)
        self.code = code


class SetupError(EngineError):
    """A game can't be set up like this; `rule` is the ruling's number."""

    def __init__(self, code: str, detail: str | Said, rule: str) -> None:
        super().__init__(code, detail)
        self.rule = rule


class MoveError(EngineError):
    """A move was refused; nothing has changed."""


class MalformedMove(MoveError):
    """What was given is no move at all, so there is nothing to be legal or illegal. Code `malformed_move`."""

    def __init__(self, detail: str | Said) -> None:
        super().__init__("malformed_move", detail)


class IllegalMove(MoveError):
    """A well-formed move that the rules don't allow now; `rule` is the ruling's number, as in `"2.3"`."""

    def __init__(self, code: str, detail: str | Said, rule: str) -> None:
        super().__init__(code, detail)
        self.rule = rule


class GameOver(IllegalMove):
    """The game has ended; no move can follow. Code `game_over`."""

    def __init__(self, rule: str) -> None:
        super().__init__("game_over", "The game is over; no move can follow.", rule)


class TilesNotShown(EngineError):
    """A refill needs tiles that this state was not given: it was made from the shown tiles of a running game."""

    def __init__(self, needed: int, known: int) -> None:
        super().__init__(
            "tiles_not_shown",
            said(
                "The refill needs %(needed)s tiles of the draw order; %(known)s are known.", needed=needed, known=known
            ),
        )


class RecordError(EngineError):
    """A record doesn't verify. `where` is the entry (0: header, draw and tiles), `"result"`, `"players"`,
    `"spelling"` (the bytes of the line) or `"record"` (its outermost form); `why` says what is wrong."""

    def __init__(self, where: int | str, why: str) -> None:
        place = f"entry {where}" if isinstance(where, int) else where
        super().__init__("broken_record", f"{place}: {why}")
        self.where = where
        self.why = why
