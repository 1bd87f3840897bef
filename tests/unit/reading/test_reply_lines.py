"""Which lines of an answer count: the first command and those right after it, and what is told of the rest."""

import pytest

from engine.moves import Place
from service.reading.commands import Pick
from service.reading.grammar import command
from service.reading.incoming_mail import read
from service.reading.reply_lines import MOST
from service.reading.reply_parser import ReplyCommands, parse_reply
from service.reading.resolve import Unresolved, resolve
from tests.unit.reading.corpus import meant, told
from tests.unit.reading.eml import mail, plain


def answer(text: str) -> ReplyCommands:
    return parse_reply(read(mail(plain(text))))


@pytest.mark.parametrize(
    ("text", "meaning", "unread"),
    [
        ("2 F", ("2 F",), ()),
        ("Hi Ben,\nnice move!\n2 F\nBye", ("near 2 F",), ()),
        ("Hi Ben!\n\n2 F\nBye", ("2 F",), ()),
        ("Hi Ben,\nnice move!\nI take 2 on F\nBye", ("2 F",), ()),
        ("2 F\n\n1 B\n\n\n3 C", ("2 F", "1 B", "3 C"), ()),
        ("2 F\nand then\n1 B", ("2 F",), ("1 B",)),
        ("2 F\n> quoted\n1 B", ("2 F",), ("1 B",)),
        ("2 F\n3 X9\n1 B", ("2 F", "near 3 X9"), ("1 B",)),
        ("2 F?\n1 B", ("near 2 F?",), ("1 B",)),
        ("2 §\n\n1 B", ("near 2 §",), ("1 B",)),
        ("xF\n1 B", ("near xF",), ("1 B",)),
        ("refll\n1 B", ("near refll",), ("1 B",)),
        ("Hey\n1 B", ("1 B",), ()),
        ("Hi\n1 B", ("1 B",), ()),
        ("Jo,\n1 B", ("near 1 B",), ()),
        ("I think 2 F is best, or 3 G.\n3 G", ("near 3 G",), ()),
        ("I think 2 F is best.", ("near I think 2 F is best.",), ()),
        ("refill\n2 F", ("refill", "2 F"), ()),
        ("say hello\nyou two\n2 F", ("say hello\nyou two", "near 2 F"), ()),
        ("say hello\nTom\n3B", ("say hello\nTom", "near 3B"), ()),
        ("say hello\nyou two\ntile 17 on F", ("say hello\nyou two", "tile 17 F"), ()),
        ("say hello\n2 F", ("say hello", "near 2 F"), ()),
        ("say hello\n\n2 F", ("say hello", "near 2 F"), ()),
        ("note hello\n3B", ("note hello", "near 3B"), ()),
        ("2 F\nsay hello\n3B", ("2 F", "say hello", "near 3B"), ()),
        ("say hello\ntile 17 on F", ("say hello", "tile 17 F"), ()),
        ("say hello\nrefill\n2 F", ("say hello", "refill", "2 F"), ()),
        ("say hello\nstatus\n2 F", ("say hello", "status", "2 F"), ()),
        ("say hello\n\nyou two\n2 F", ("say hello",), ("2 F",)),
        ("say hello\n2 F?", ("say hello", "near 2 F?"), ()),
        ("2 F\nsay hello\nCheers,\nAnn", ("2 F", "say hello"), ()),
        ("new 3 players, a@b.org,\nc@d.org", ("new 3 a@b.org c@d.org",), ()),
        ("new 4 players\na@b.org\nc@d.org\n\nSee you", ("new 4 a@b.org c@d.org",), ()),
        ("help\nhistory\nstop", ("help", "history", "stop"), ()),
        ("2 F\nThanks", ("2 F",), ()),
        ("Move 12:\n2 F", ("2 F",), ()),
        ("So:\n2 F", ("2 F",), ()),
        ("28.11.\n2 F", ("near 2 F",), ()),
        ("2 F\n\nPS: 3 G would have been nice", ("2 F",), ()),
        ("2 F\nor maybe 3 G", ("near or maybe 3 G",), ()),
        ("2 F\n\n3 G?", ("2 F", "near 3 G?"), ()),
        ("2 F\u2028Thanks", ("2 F",), ()),
        ("»2 F«", ("2 F",), ()),
        ("» 5 G\n2 F", ("2 F",), ()),
        ("2 F\nB", ("2 F",), ()),
        ("17@1,-2\n3@0,1", ("tile 17 (1, -2)", "tile 3 (0, 1)"), ()),
        ("2 F\n\nsay:\n\nHello all", ("2 F", "near say:"), ()),
        ("2 F\n\nsay\nHello all", ("2 F", "near say"), ()),
        ("2 F\n\nnote:\n\nthe red one", ("2 F", "near note:"), ()),
        ("2 F\n\nI say: well done", ("2 F",), ()),
        ("", (), ()),
    ],
)
def test_which_lines_count(text: str, meaning: tuple[str, ...], unread: tuple[str, ...]) -> None:
    understood = answer(text)
    assert meant(understood) == meaning and understood.unread == unread


def test_there_is_an_end() -> None:
    assert len(answer("2 F\n" * 500).commands) == MOST
    assert len(answer("2 F\nwell\n" + "2 F\n" * 5_000).unread) == MOST
    said = answer("say " + "long and longer \n" * 5_000)
    assert len(said.commands) == 1 and len(told(said.commands[0])) < 9_000


def pick(line: str) -> Pick:
    asked = command(line)
    assert isinstance(asked, Pick)
    return asked


CELLS = {"A": (0, -1), "B": (1, 0), "F": (-1, 1)}


@pytest.mark.parametrize(
    ("line", "choices", "meaning"),
    [
        ("2 F", (17, 5, 40), Place(5, -1, 1)),
        ("2 F", (2, 5, 40), Place(5, -1, 1)),
        ("2 F", (5, 3, 2), Place(3, -1, 1)),
        ("2 F", (17,), Unresolved("choice")),
        ("2 F", (2,), Unresolved("choice")),
        ("3 F", (1, 3, 2), Place(2, -1, 1)),
        ("1 at 0,1", (3, 1, 2), Place(3, 0, 1)),
        ("1@0,1", (3, 1, 2), Place(1, 0, 1)),
        ("4 F", (17, 5, 4), Place(4, -1, 1)),
        ("17 F", (17, 5, 40), Place(17, -1, 1)),
        ("18 F", (17, 5, 40), Place(18, -1, 1)),
        ("choice 2 at F", (2, 5, 40), Place(5, -1, 1)),
        ("choice 4 at F", (2, 5, 40), Unresolved("choice")),
        ("tile 2 at F", (2, 5, 40), Place(2, -1, 1)),
        ("tile 9 at F", (2, 5, 40), Place(9, -1, 1)),
        ("2@7,-8", (2, 5, 40), Place(2, 7, -8)),
        ("1 at (7, -8)", (17, 5, 40), Place(17, 7, -8)),
        ("1 Z", (17, 5, 40), Unresolved("cell")),
        ("1 AA", (17, 5, 40), Unresolved("cell")),
    ],
)
def test_what_a_pick_means_at_the_table(line: str, choices: tuple[int, ...], meaning: Place | Unresolved) -> None:
    assert resolve(pick(line), choices, CELLS) == meaning
