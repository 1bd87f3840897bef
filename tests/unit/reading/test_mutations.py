"""A hundred thousand damaged answers: none causes an error or a move that a careful reader would not have played.

There are three kinds. Bytes are damaged anywhere: then each command must stand, as a line of its own that is not
quoted, in what some program shows of the mail (`reference_reader.py`, which shares only the words with the service's
reader). A line of the answer is misspelled: then no move after it is played, and the line itself only if it still says
one thing. And commands are put into the quoted text: those are never taken.
"""

from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from time import process_time

import pytest

from service.reading.commands import Pick, Refill, Resign
from service.reading.incoming_mail import read
from service.reading.reply_parser import ReplyCommands, parse_reply
from tests.unit.reading import desktop, phones, webmail
from tests.unit.reading.corpus import CASES, Case, meant, told
from tests.unit.reading.mutations import damaged, misspelled
from tests.unit.reading.original import Original, original
from tests.unit.reading.reference_reader import bare, says, shown, stands, tells

FULL, QUICK = 100_000, 500

MARKED = (
    webmail.gmail, webmail.gmail_below, webmail.gmail_inline, webmail.proton, webmail.roundcube, webmail.horde,
    webmail.fastmail, webmail.gmx, webmail.orange, phones.iphone, phones.gmail_phone, phones.k9, phones.spark,
    desktop.apple, desktop.thunderbird, desktop.thunderbird_below, desktop.thunderbird_within, desktop.evolution,
    desktop.kmail, desktop.claws, desktop.gnus, desktop.alpine,
)  # fmt: skip
"""Programs that mark what they quote, line by line or with an element."""


@cache
def _raw(place: int) -> bytes:
    return CASES[place].raw


def _understood(raw: bytes) -> ReplyCommands:
    return parse_reply(read(raw, domain="example.org", return_path="ann@example.net"))


def _anywhere(random: Random, count: Counter[str]) -> None:
    """Damage the bytes of an answer anywhere, and check what is understood."""
    place = random.randrange(len(CASES))
    raw = damaged(_raw(place), random)
    answer = _understood(raw)
    if meant(answer) == CASES[place].meaning:
        count["as meant"] += 1
        return  # exactly the lines that were written
    if answer.guess is not None:
        assert not any(isinstance(asked, Pick | Refill | Resign) for asked in answer.commands)
        assert tells(" ".join(shown(raw)), f"{answer.guess.choice or answer.guess.tile or ''}"), (answer, raw)
    count["likely" if answer.guess else "otherwise" if answer.commands else "nothing"] += 1
    if answer.commands:
        seen = shown(raw)
        assert all(stands(asked, seen) for asked in answer.commands), (CASES[place], answer, raw)


def _in_a_line(random: Random, count: Counter[str]) -> None:
    """Misspell a line of an answer that consists of commands, and check what is understood."""
    case = random.choice(PLAIN)
    at = random.randrange(len(case.lines))
    line = misspelled(case.lines[at], random)
    lines = [*case.lines[:at], line, *case.lines[at + 1 :]]
    answer = _understood(case.program(lines, original(case.language)))
    _holds_in_a_line(case, at, line, answer)
    count["misspelled, taken" if len(answer.commands) > at else "misspelled, left"] += 1


def _holds_in_a_line(case: Case, at: int, line: str, answer: ReplyCommands) -> None:
    """Check that what comes before the misspelled line is taken, and the line's own move only if the line says it."""
    if line.lstrip().startswith((">", "›", "»", "|")) or not any(map(str.isalnum, line)):
        return  # then it is no line of the answer any more
    asked = list(answer.commands)
    for written in case.meaning[:at]:
        if asked:
            taken = told(asked.pop(0))
            assert taken == written or (written.startswith("say") and taken.startswith(written)), (case, line, answer)
    if not asked or case.meaning[at].startswith(("say", "note")):
        return
    first = asked.pop(0)
    if isinstance(first, Pick):
        assert says(line, first), (case, line, answer)
    elif isinstance(first, Refill | Resign):
        assert stands(first, {bare(line)}) or told(first) == case.meaning[at], (case, line, answer)


def _in_a_quote(random: Random, count: Counter[str]) -> None:
    """Put a command into the quoted text, and check that it is not taken."""
    program = random.choice(MARKED)
    code = random.choice(("en", "fr", "es", "de"))
    bait = random.choice(("9 Z", "tile 68 at Z", "resign", "aufgeben", "abandonner", "stop"))
    lines = original(code).lines
    at = random.randrange(2, len(lines))
    text = "\n".join([*lines[:at], bait, *lines[at:]])
    html = original(code).html.replace("</section>", f"<p>{bait}</p></section>", 1)
    assert bait in html
    answer = random.choice((["2 F"], ["2 F", "1 B"], ["Hello Ben!"], ["2 F", "", "Ann"]))
    raw = program(answer, Original(original(code).tongue, original(code).subject, text + "\n", html))
    expected = ("2 F", "1 B") if "1 B" in answer else ("2 F",) if "2 F" in answer else ()
    assert meant(_understood(raw)) == expected, (program, code, bait, at)
    count["bait"] += 1


PLAIN = [
    case for case in CASES
    if len(case.lines) == len(case.meaning) and not any(told.startswith(("near", "new")) for told in case.meaning)
]  # fmt: skip
"""Answers in which every line is a command."""


def _run(number: int, seed: int) -> Counter[str]:
    random, count = Random(seed), Counter[str]()
    kinds: tuple[Callable[[Random, Counter[str]], None], ...] = (
        _anywhere,
        _anywhere,
        _anywhere,
        _in_a_line,
        _in_a_quote,
    )
    for turn in range(number):
        kinds[turn % len(kinds)](random, count)
    return count


@pytest.mark.slow
def test_damaged_answers() -> None:
    count = _run(QUICK, 5)
    assert count["as meant"] > QUICK / 5 and count["misspelled, taken"] and count["misspelled, left"]


@pytest.mark.drill
@pytest.mark.long
def test_a_hundred_thousand_damaged_answers(capsys: pytest.CaptureFixture[str]) -> None:
    count = _run(FULL, 17)
    raws = [_raw(place) for place in range(len(CASES))]
    began = process_time()
    for raw in raws:
        _understood(raw)
    spent = process_time() - began
    size = sum(map(len, raws)) / len(raws) / 1024
    print(
        f"{FULL} damaged answers: {dict(count)}; {len(raws) / spent:.0f} mails of {size:.0f} KiB a second of CPU time"
    )
    assert count.total() == FULL
