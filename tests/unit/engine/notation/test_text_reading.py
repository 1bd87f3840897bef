"""What is read beside the canonical form."""

import pytest

from engine import audit
from engine.notation import read, record_line, text
from engine.notation.entry_lines import parse_entry
from tests.unit.engine.notation.sources import (
    ALONE,
    COMPLETE,
    EMPTY,
    ENDED,
    KITCHEN,
    RUNNING,
    SEEDED,
    SHARED,
    SOLO,
    VECTORS,
    changed,
)


@pytest.mark.parametrize(
    "move",
    [
        "1 22@0,0", "1 a 22@0,0", "1.A 22@0,0", "01. 22@0,0", "A\t22 @ (0,0)", "22 (0 0)", "22 0,0", "22 @0 0",
        "022@00,-0", "22@\u22120,0", "22@0,0 !?", "22@0,0!", "22@0,0 by player", "22@0,0 BY PLAYER", "22@0,0  # why?",
        "22@0,0!  by\tplayer # a # b",
    ],
)  # fmt: skip
def test_a_first_move_is_read_in_many_spellings(move: str) -> None:
    printed = text(read(changed(ALONE, "\n22@0,0\n", f"\n{move}\n").encode()))
    assert "\n1. A 22@0,0" in printed and "\n2. B 5@0,0\n" in printed


PLACED = (
    "22@0,-2", "22 @ ( 0 , -2 )", "22 0 -2", "22 0,-2", "22 0 , \u22122", "22 (0 -2)", "22\t(0,-2)", "22 above 12",
    "22 below 12", "22 left of 12", "22  RIGHT\tof 12",
)  # fmt: skip
"""The ways in which a placement of tile 22 is written."""


@pytest.mark.parametrize("place", PLACED)
@pytest.mark.parametrize("behind", ["", "!", " +1.1", " >1,2", " by host", " at 2026-01-24T16:11:11Z", " # 1 2 3"])
def test_each_number_before_each_placement_is_read(place: str, behind: str) -> None:
    alone = parse_entry(1, place + behind, varied=False)
    assert alone.number is None and getattr(alone.move, "tile", None) == 22
    for number in ("8.", "8 .", "8:", "8)", "8", "8\t", "08 "):
        for seat, index in (("", None), ("a ", 0), ("D\t", 3)):
            found = parse_entry(1, f"{number} {seat}{place}{behind}", varied=False)
            assert (found.number, found.seat_given, found.seat) == (8, bool(seat), index)
            assert (found.move, found.sign, found.comment) == (alone.move, alone.sign, alone.comment)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('[Seats "2"]\n', ""),
        ('[Seats "2"]', '[Seats "002"]'),
        ('[Seats "2"]', ' [ seats"2" ] '),
        ('[Stack "B A"]', '[STACK " b,\ta "]'),
        ('[Stack "B A"]', '[Stack "ba"]'),
        ('[Tiles "7 58', '[Tiles " 07, 58'),
        ('[Discs "5"]', '[Discs "5"]\n[Format "nova-luna-text/1"]\n[Rules "1"]'),
        ('[Discs "5"]', "[Discs \"\\u{35}\"]"),
        ("= discs", "=  DISCS  a:0  b:01"),
        ("= discs", "=discs"),
    ],
)  # fmt: skip
def test_a_text_is_read_in_many_spellings(old: str, new: str) -> None:
    assert text(read(changed(ALONE, old, new).encode())) == VECTORS["the moves alone, as one types them"]["canonical"]


def test_comments_go_behind_what_they_are_about() -> None:
    source = changed(ALONE, '[Stack "B A"]\n', '# of the game\n[Stack "B A"]\n')
    source = changed(source, "\n5@0,0\n", "\n5@0,0   # of the move  \n#\tof it, too\n")
    source = changed(source, "= discs\n", "= discs # of the end\n\n# of the end, too")
    printed = text(read(source.encode()))
    assert '"]\n\n# of the game\n1. A' in printed
    assert "\n2. B 5@0,0\n# of the move\n# \tof it, too\n3." in printed
    assert printed.endswith("49.3\n# of the end\n# of the end, too\n= discs A:0 B:1\n")
    assert text(read(printed.encode())) == printed
    assert text(read(f"{EMPTY}*# no move yet".encode())).endswith('11"]\n\n# no move yet\n*\n')


def test_tags_of_ones_own_keep_their_case_and_come_last() -> None:
    source = '[Xb "2"]\n[XB "1"]\n[X "\\u{10ffff}"]\n' + ALONE
    assert '23"]\n[X "\U0010ffff"]\n[XB "1"]\n[Xb "2"]\n\n1.' in text(read(source.encode()))


def test_by_of_a_tag_holds_for_places_and_refills_that_name_none() -> None:
    source = '[ByA "BOT:Greedy"]\n' + changed(ALONE, "\n9@1,0\n", "\n9@1,0 by player\n")
    printed = text(read(source.encode()))
    assert "\n1. A 22@0,0 by bot:Greedy\n" in printed and "\n4. A 9@1,0\n" in printed and "[ByA" not in printed
    assert "by bot:Greedy\n12. A" in printed  # the refill
    left = '[ByA "bot:x"]\n[Stack "BA"]\n[Tiles "1 2 3 4 5 6 7 8 9 10 11"]\nA resign\n= left'
    assert "\n1. A resign\n" in text(read(left.encode())) and "[ByA" not in text(read(left.encode()))


def test_entries_without_a_seat_are_of_whoever_can_make_them() -> None:
    source = '[Stack "BA"]\n[Tiles "1 2 3 4 5 6 7 8 9 10 11"]\nmark a\nmark b by host\nmark c by bot:x\ntimeout\n= left'
    entries = read(source.encode()).entries
    assert [(entry.seat, entry.by) for entry in entries] == [(0, None), (None, "host"), (0, "bot:x"), (0, None)]
    ended = EMPTY + "end\n= ended A:21"
    assert read(ended.encode()).entries[0].seat is None


def test_a_mark_has_any_json_and_ends_its_line() -> None:
    marks = (
        'mark # DATA [ -0, {"b":"\\u00e9 \x7f\x85 # x", "a":true} ]',
        "mark data data 1",
        "mark by by host",
        "mark !",
    )
    source = EMPTY + "\n".join(marks) + "\n*"
    printed = text(read(source.encode()))
    assert (
        '\n1. A mark # data [0,{"a":true,"b":"é \x7f\x85 # x"}]\n2. A mark data data 1\n3. - mark by by host\n'
        in printed
    )
    assert text(read(printed.encode())) == printed


def test_a_record_follows_from_a_text_without_head_and_commitment() -> None:
    lines = [
        line for line in COMPLETE.splitlines() if not line.startswith(("[Head", "[Commitment", "[Stack", "[Tiles"))
    ]
    assert record_line(read("\n".join(lines).encode())) == record_line(read(COMPLETE.encode()))
    without = read("\n".join(line for line in RUNNING.splitlines() if not line.startswith(("[Head", "[Game"))).encode())
    assert without.timed and not without.complete
    with pytest.raises(ValueError, match="a record follows only"):
        record_line(without)


def test_a_seed_needs_no_game_but_a_subject() -> None:
    game = read(changed(SEEDED, '[Game "vector-8"]', '[Subject "vector-8"]').encode())
    assert "[Subject" in text(game) and "[Commitment" in text(game) and not game.complete


@pytest.mark.parametrize(
    "source",
    [
        ALONE + "\r",
        ALONE.replace("\n", "\r\n") + "\r\n",
        ALONE.replace("\n", "\n\n\t \n"),
        "\ufeff" + ALONE,
        ALONE.replace("\n", " \t\r\n"),
    ],
)
def test_white_space_around_lines_does_not_matter(source: str) -> None:
    assert text(read(source.encode())) == text(read(ALONE.encode()))


def test_what_a_refill_puts_out_is_known_from_then_on() -> None:
    game = read(KITCHEN.encode())
    assert game.shown == 20
    assert game.setup.tiles[11:] == (11, 35, 3, 51, 9, 23, 17, 28, 20)
    varied = changed(KITCHEN, "17, 28, 20\n", "17, 28, 20\n(\nrefill\n35@-1,-1\n)\n")
    assert "  10. B refill >11,35,3,51,9,23,17,28,20\n  11. B 35@-1,-1\n" in text(read(varied.encode()))


def test_a_complete_texts_record_passes_the_audit() -> None:
    for source in (COMPLETE, RUNNING, SHARED, SOLO, ENDED):
        audit.check(record_line(read(source.encode())))
