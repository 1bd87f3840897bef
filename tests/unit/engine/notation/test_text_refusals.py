"""What is refused, with the line and the code."""

import json
from typing import Any

import pytest

from engine.notation import Refusal, from_record, read, text
from tests.unit.engine.notation.sources import (
    ALONE,
    COMPLETE,
    DATA,
    EMPTY,
    ENDED,
    KITCHEN,
    RUNNING,
    SEEDED,
    SHARED,
    SOLO,
    VARIED,
    changed,
    refused,
)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"\xff\n" + ALONE.encode(), (1, "bad_utf8")),
        (ALONE.encode() + b"# \xc3\x28", (18, "bad_utf8")),
        ("#" + "x" * (1 << 20) + ALONE, (0, "too_long")),
        (ALONE + "#" + "x" * 65_536, (18, "too_long")),
        (ALONE.replace("refill", "re\rfill"), (15, "bad_character")),
        (ALONE + "# \x85", (18, "bad_character")),
        (ALONE + "# \x7f", (18, "bad_character")),
        (ALONE + "# mark x data \x7f", (18, "bad_character")),
        (ALONE.replace("refill", "mark x\x85"), (15, "bad_character")),
        (ALONE.replace("refill", 'mark x\x85 data "a"'), (15, "bad_character")),
        (ALONE.replace("refill", 'mark x data "\x00"'), (15, "bad_character")),
        ("", (0, "no_result")),
        (" \n#\n\n", (2, "no_result")),
        (ALONE + '[Format "nova-luna-text/1"]', (18, "after_result")),
        (ALONE + "*", (18, "after_result")),
        ("*", (1, "missing_tag")),
        (EMPTY + "(\n", (2, "bad_variation")),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_a_faulty_line_is_refused(source: str | bytes, expected: tuple[int, str]) -> None:
    assert refused(source) == expected


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ('[Game "a" "b"]', "bad_tag"),
        ("[Game]", "bad_tag"),
        ('[Game "a\\n"]', "bad_tag"),
        ('[Game "a] # b', "bad_tag"),
        ('[Game "a"] # b', "bad_tag"),
        ('[A "\\u{d800}"]', "bad_tag"),
        ('[A "\\u{110000}"]', "bad_tag"),
        ('[Xé "a"]', "bad_tag"),
        ('[E "a"]', "unknown_tag"),
        ('[xSite "a"]', "unknown_tag"),
        ('[Format "nova-luna-text/2"]', "bad_value"),
        ('[Rules "2"]', "bad_value"),
        ('[Game ""]', "bad_value"),
        ('[Subject ""]', "bad_value"),
        ('[C "Zoë"]', "bad_value"),
        ('[EntropyC ""]', "bad_value"),
        ('[EntropyA "é"]', "bad_value"),
        (f'[EntropyA "{"x" * 65}"]', "bad_value"),
        ('[ByA "host"]', "bad_value"),
        ('[ByC "bot:x"]', "bad_value"),
        ('[ByA "bot:"]', "bad_value"),
        (f'[Commitment "{"A" * 64}"]', "bad_value"),
        (f'[Seed "{"a" * 63}"]', "bad_value"),
        ('[Head ""]', "bad_value"),
        (f'[Head "{"0" * 64}"]', "bad_head"),
        ('[Created "2026-01-01"]', "bad_time"),
        ('[Started "2026-02-30T00:00:00Z"]', "bad_time"),
    ],
)  # fmt: skip
def test_a_faulty_tag_is_refused(tag: str, code: str) -> None:
    assert refused(f"{tag}\n{ALONE}") == (1, code)


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("3. 5@0,0", "bad_number"),
        ("12345678901234567. 5@0,0", "bad_move"),
        ("9007199254740992. 5@0,0", "bad_move"),
        ("2. C 5@0,0", "wrong_seat"),
        ("A 5@0,0", "wrong_seat"),
        ("- 5@0,0", "wrong_seat"),
        ("A refill", "wrong_seat"),
        ("A 5 above 22", "wrong_seat"),
        ("D resign", "wrong_seat"),
        ("A end", "wrong_seat"),
        ("A mark x by host", "wrong_seat"),
        ("- mark x", "wrong_seat"),
        ("- timeout", "wrong_seat"),
        ("5@0,0 by host", "bad_by"),
        ("resign by host", "bad_by"),
        ("timeout by bot:x", "bad_by"),
        ("end by bot:x", "bad_by"),
        ("5@0,0 by anybody", "bad_by"),
        ("5@0,0 by", "bad_by"),
        ("5@0,0 by # nobody", "bad_by"),
        (f"5@0,0 by bot:{'x' * 61}", "bad_by"),
        ("5@0,0 at noon", "bad_time"),
        ("5@0,0 at", "bad_time"),
        ("5@0,0 at 2026-01-01T00:00:60Z", "bad_time"),
        ("5@0,0 at 2026-01-01T24:00:00Z", "bad_time"),
        ("5@0,0 at 2026-01-01T00:00:00.1Z", "bad_time"),
        ("5@0,0 at 2026-01-01T00:00:00+00:00", "bad_time"),
        ("5@0,0 at 0000-01-01T00:00:00Z", "bad_time"),
        ("5@0,0 at 2026-1-1 00:00:00Z", "bad_time"),
        ("5@0,0 data 1", "bad_move"),
        ("5@0,0!!!", "bad_move"),
        ("5@0,0 +5.1 !", "bad_move"),
        ("5@0,0#no comment", "bad_move"),
        ("5@0,0 by player by player", "bad_move"),
        ("5@0,0 +", "bad_move"),
        ("5@0,0 +5.4", "bad_move"),
        ("5@0,0 +69.1", "bad_move"),
        ("5@0,0 +5.1,", "bad_move"),
        ("5@0,0 >0", "bad_move"),
        ("5@0,0 +5.1", "bad_info"),
        ("5@0,0 >9", "bad_info"),
        ("resign >50", "bad_info"),
        ("resign +5.1", "bad_info"),
        ("5@0,9007199254740992", "bad_move"),
        ("5@0,9007199254740991", "illegal"),
        ("5@0,12345678901234567", "bad_move"),
        ("5@(0,0", "bad_move"),
        ("5@0,0)", "bad_move"),
        ("5@0", "bad_move"),
        ("0@0,0", "bad_move"),
        ("5 above 69", "bad_move"),
        ("5 above 22", "illegal"),
        ("5 left 22", "bad_move"),
        ("re\u017fign", "bad_move"),
        ("5@0,\u0660", "bad_move"),
        ("A", "bad_move"),
        ("2.", "bad_move"),
        (f"mark {'x' * 65}", "bad_move"),
        ("mark é", "bad_move"),
        ("mark", "bad_move"),
        ("mark x !", "bad_move"),
        ("mark x +5.1", "bad_move"),
        ("mark x data", "bad_move"),
        ("mark x data null", "bad_move"),
        ("mark x data 1.0", "bad_move"),
        ("mark x data NaN", "bad_move"),
        ('mark x data {"a":1,"a":1}', "bad_move"),
        ('mark x data {"é":1}', "bad_move"),
        ('mark x data "\\ud800"', "bad_move"),
        ("mark x data 9007199254740992", "bad_move"),
        ("mark x data " + "9" * 5000, "bad_move"),
        ("mark x data " + "[" * 9 + "]" * 9, "bad_move"),
        ("mark x data " + "[" * 30_000, "bad_move"),
        ("mark x data 1 # no comment", "bad_move"),
        ("mark clock.keep by bot:x", "bad_by"),
        ('mark host.end data {"reason":"x"}', "bad_by"),
        ("mark clock.other", "bad_move"),
        (")", "bad_variation"),
        ("(\n)", "bad_variation"),
    ],
    ids=lambda value: value[:40],
)  # fmt: skip
def test_a_faulty_entry_is_refused(entry: str, code: str) -> None:
    line = 6 + entry.count("\n")
    assert refused(changed(ALONE, "\n5@0,0\n", f"\n{entry}\n")) == (line, code)


@pytest.mark.parametrize(
    ("source", "old", "new", "line", "code"),
    [
        # Tags
        (ALONE, "[Stack", '[seats "2"]\n[Stack', '[seats "2"]', "repeated_tag"),
        (ALONE, "[Stack", '[X "a"]\n[X "b"]\n[Stack', '[X "b"]', "repeated_tag"),
        (ALONE, "= discs", '[X "a"]\n= discs', '[X "a"]', "tag_after_moves"),
        (ALONE, '"2"', '"5"', "[Seats", "bad_value"),
        (ALONE, '"2"', '"0"', "[Seats", "bad_value"),
        (ALONE, '"2"', '"two"', "[Seats", "bad_value"),
        (ALONE, '"2"', '"3"', "[Stack", "bad_value"),
        (ALONE, '[Seats "2"]\n[Discs "5"]', '[Discs "20"]\n[Seats "1"]', "[Stack", "bad_value"),
        (ALONE, '"5"', '"4"', "[Discs", "bad_value"),
        (ALONE, '"5"', '"21"', "[Discs", "bad_value"),
        (EMPTY, "]\n", ']\n[Discs "20"]\n*', "[Discs", "bad_value"),
        (ALONE, "B A", "B,A,", "[Stack", "bad_value"),
        (ALONE, "B A", "B E", "[Stack", "bad_value"),
        (ALONE, "7 58", "58 58", "[Tiles", "bad_value"),
        (ALONE, "7 58", "7 69", "[Tiles", "bad_value"),
        (ALONE, "7 58", "7,,58", "[Tiles", "bad_value"),
        (EMPTY, ' 11"]', '"]\n*', "[Tiles", "bad_value"),
        (SEEDED, '[Game "vector-8"]\n', "", "1. A", "missing_tag"),
        (COMPLETE, '[Seed "7', '[Seed "8', "[Commitment", "bad_draw"),
        (COMPLETE, '"B A"', '"A B"', "[Stack", "bad_draw"),
        (COMPLETE, '[Game "vector-8"', '[Game "vector-9"', "[Tiles", "bad_draw"),
        # Refills
        (KITCHEN, ", 20\n", "\n", "refill", "tiles_unknown"),
        (KITCHEN, ", 20\n", ", 20, 21\n", "refill", "bad_info"),
        (KITCHEN, ", 20\n", ", 42\n", "refill", "bad_info"),
        (KITCHEN, ", 20\n", ", 17\n", "refill", "bad_info"),
        (RUNNING, '6 33"]', '6 1"]', "11. B refill", "bad_info"),
        # Variations
        (VARIED, "(\n", "(\n(\n", "(\n(", "bad_variation"),
        (VARIED, "  4. A 65@-1,0!\n", "", "  (", "bad_variation"),
        (VARIED, "65@-1,0!", "mark x", "  4. A mark", "bad_variation"),
        (VARIED, "4. A 65@-1,0!", "end", "  end", "bad_variation"),
        (VARIED, "65@-1,0!", "65@-1,0 by player", "  4. A 65@-1", "bad_variation"),
        (VARIED, "65@-1,0!", "65@-1,0 at 2026-01-01T00:00:00Z", "  4. A 65@-1", "bad_variation"),
        (VARIED, "(\n", "( # why\n", "( # why", "bad_move"),
        (VARIED, "4. A 65@-1,0!", "5. A 65@-1,0!", "  5. A 65@-1", "bad_number"),
        (VARIED, "65@-1,0!", "65@-1,0! +65.1", "  4. A 65@-1", "bad_info"),
        (VARIED, "4. A 65@-1,0!", "resign\nrefill", "refill", "illegal"),
        (VARIED, "65@-1,0!\n", "65@-1,0!\n" + "(\n65@-1,0\n" * 7 + "( \n65@-1,0\n", "( ", "bad_variation"),
        (VARIED, "5. B 7", "(\n65@0,1\n5. B 7", "= discs", "bad_variation"),
        # Times
        (ALONE, "5@0,0", "5@0,0 at 2026-01-01 00:00:00Z", "22@0,0", "times_partial"),
        (ALONE, "[Seats", '[Created "2026-01-01T00:00:00Z"]\n[Seats', "22@0,0", "times_partial"),
        (COMPLETE, '[Started "', '[XStarted "', "= discs", "times_partial"),
        (COMPLETE, '[Created "', '[XCreated "', "= discs", "times_partial"),
        (COMPLETE, '[Started "2026-11-27T08:30', '[Started "2026-11-27T07:30', "[Started", "bad_time"),
        (COMPLETE, '[Started "2026-11-27', '[Started "2026-11-29', "1. A", "bad_time"),
        # The whole
        (ALONE, "= discs", "= tiles", "= tiles", "bad_result"),
        (ALONE, "= discs", "= won", "= won", "bad_result"),
        (ALONE, "= discs", "=", "=", "bad_result"),
        (ALONE, "= discs", "= discs A:0", "= discs", "bad_result"),
        (ALONE, "= discs", "= discs B:1 A:0", "= discs", "bad_result"),
        (ALONE, "= discs", "= discs A:0 B:1 C:1", "= discs", "bad_result"),
        (ALONE, "= discs", "* *", "* *", "bad_result"),
        (KITCHEN, "\n*", "\n= left", "= left", "bad_result"),
        (SOLO, "score 132", "score 133", "= discs", "bad_result"),
        (SOLO, " first 60 second 72 score 132", "", "= discs", "bad_result"),
        (ENDED, "A:18 B:16", "B:16 A:18", "= ended", "bad_result"),
        (RUNNING, "[Stack", f'[Seed "{"0" * 64}"]\n[Stack', "[Commitment", "bad_draw"),
        (RUNNING, '6 33"]', '6 33 1"]', "[Tiles", "bad_draw"),
        (SHARED, '52 64"]', '52 64 1"]', "[Tiles", "bad_draw"),
        (SHARED, '[Subject "daily:2026-11-28"]\n', "", "= left", "missing_tag"),
        (SHARED, '[Head "0', '[Head "1', "[Head", "bad_head"),
    ],
    ids=lambda value: value[:30],
)  # fmt: skip
def test_a_changed_text_is_refused(source: str, old: str, new: str, line: str, code: str) -> None:
    text = changed(source, old, new)
    lines = text.splitlines()
    found, given = refused(text)
    assert given == code
    wanted = line.split("\n")[-1]
    assert lines[found - 1].startswith(wanted), lines[found - 1]
    assert (
        found - 1 == max(n for n, each in enumerate(lines) if each.startswith(wanted))
        or "\n" in line
        or wanted in "  ()"
    )


def test_a_seed_is_not_shown_while_the_game_is_running() -> None:
    cut = COMPLETE.split("\n12. ")[0] + "\n*\n"
    source = changed(cut, '[Head "', '[XHead "')
    assert source.splitlines()[refused(source)[0] - 1].startswith("[Seed") and refused(source)[1] == "bad_draw"


def test_a_fault_of_an_earlier_phase_comes_first() -> None:
    source = changed(COMPLETE, "= discs", "= tiles")
    faults = [
        ("12. A 49@0,-1 +49.1,49.3 at 2026-11-28", "12. A 49@0,-1 +49.1,49.3 at 2026-11-27", "bad_time"),
        ("\n12. A 49", "\n13. A 49", "bad_number"),
        ('[Discs "5"]', '[Discs "4"]', "bad_value"),
        ("= tiles", "=\x01", "bad_character"),
    ]
    assert refused(source)[1] == "bad_result"
    for old, new, code in faults:
        source = changed(source, old, new)
        assert refused(source)[1] == code


def test_an_entry_that_a_clock_cannot_have_made_is_refused() -> None:
    tried = 0
    for line in (DATA / "tampered-clock-records.jsonl").read_text().splitlines():
        tampered: dict[str, Any] = json.loads(line)
        try:
            source = text(from_record(tampered["record"]))
        except Exception:  # noqa: BLE001 - a log that cannot be played has no text
            continue
        source = "\n".join(each for each in source.splitlines() if not each.startswith("[Head "))
        found, code = refused(source)
        assert source.splitlines()[found - 1].startswith(f"{tampered['entry']}. "), tampered["id"]
        assert code in ("illegal", "bad_move", "bad_by", "wrong_seat"), tampered["id"]
        tried += 1
    assert tried > 50


def test_games_with_clocks_are_read() -> None:
    for line in (DATA / "clock-record-vectors.jsonl").read_bytes().splitlines():
        printed = text(from_record(json.loads(line)))
        assert text(read(printed.encode())) == printed


@pytest.mark.parametrize(
    ("old", "new", "detail"),
    [
        ("5@0,0", "5@0,0 +5.1", "The goals that this covers: none."),
        ("17@1,1", "17@1,1 +58.2", "The goals that this covers: 58.2, 17.3."),
        ("5@0,0", "5@0,0 >9", "The tiles that this puts out: none."),
        (
            "5@0,0",
            "39@0,0",
            "Tile 39 is not among those that can be taken, the next ones clockwise from the marker: 5, 38, 15. "
            "(ruling 2.3)",
        ),
    ],
)
def test_a_refusal_says_what_would_be_right(old: str, new: str, detail: str) -> None:
    with pytest.raises(Refusal) as error:
        read(changed(ALONE, old, new).encode())
    assert error.value.detail == detail
