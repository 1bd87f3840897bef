"""The mail at the start of a wait, as text and as HTML."""

import json
import re
from dataclasses import replace

import pytest

from engine.display import cell_of
from engine.game import Match
from engine.moves import RESIGN, Place
from engine.tiles import TILES
from service.language import words
from service.language.cell_letters import lettered
from service.language.languages import CODES, Reader, language
from service.language.people import People
from service.mail import scenes, turn
from service.mail.message import Content
from service.queries.recipients import Recipient
from service.queries.turn_context import Made, Turn
from tests.support.mail import facts, kinds
from tests.support.mail.html_reader import heard, links, tags


def compose(moves: int, **options: object) -> tuple[Content, Turn]:
    state = facts.match()
    told = facts.turn(state, facts.play(state, moves)[-2:], **options)  # type: ignore[arg-type]
    return turn.compose(told, facts.BASE, facts.PAGE, facts.STOP), told


def until(predicate: str) -> Turn:
    """Return a turn at which the state has this fact."""
    state = facts.match()
    while not getattr(state, predicate)():
        facts.play(state, 1)
    return facts.turn(state, [])


def test_the_subject_says_what_and_with_whom() -> None:
    content, told = compose(8)
    assert content.subject == f"Your turn: Nova Luna with {told.people.others()}"


def test_the_first_mail_says_that_the_game_has_begun() -> None:
    content, _ = compose(0, first=True)
    assert "The game has begun" in content.text and "The game has begun" in heard(content.html)
    assert "SINCE" not in content.text
    assert "It is empty. The first tile goes to (0, 0), which is cell A." in content.text
    assert "place it at A (0, 0)." in content.text


def test_a_first_mail_after_others_moved_tells_what_they_did() -> None:
    state = facts.match()
    content = turn.compose(facts.turn(state, facts.play(state, 2), first=True), facts.BASE, facts.PAGE, facts.STOP)
    assert "SINCE THE START" in content.text and "The game has begun" not in content.text


def test_what_happened_is_told_in_order_in_both_parts() -> None:
    content, told = compose(8)
    told_of = re.findall(r"^- (\w+) placed tile (\d+) ", content.text, re.MULTILINE)
    assert told_of == [(facts.NAMES[made.step.seat or 0], str(made.step.tile)) for made in told.happened]
    assert all(f"{name} placed tile {tile} (" in heard(content.html) for name, tile in told_of)


def test_the_choices_have_number_color_cost_and_goals_in_words() -> None:
    content, told = compose(8)
    for number, id in enumerate(told.state.wheel.choices(), start=1):
        tile = TILES[id]
        line = next(line for line in content.text.splitlines() if line.startswith(f"{number}. Tile {id}: "))
        assert f"{tile.color}, time cost {tile.cost}." in line
        assert all(words.goal(goal) in line for goal in tile.goals)
        assert f"Tile {id}: {tile.color}, time cost {tile.cost}." in heard(content.html)
        assert all(words.goal(goal) in heard(content.html) for goal in tile.goals)


@pytest.mark.parametrize("moves", [8, 9, 10, 11, 12, 13, 14, 15, 16])
def test_each_choice_says_whose_turn_follows(moves: int) -> None:
    content, told = compose(moves)
    for id in told.state.wheel.choices():
        after = told.state.clone()
        after.advance(told.seat, Place(id, *after.displays[told.seat].open_cells()[0]))
        line = next(line for line in content.text.splitlines() if f". Tile {id}: " in line)
        assert after.turn is not None
        expected = "it is your turn again" if after.turn == told.seat else f"{facts.NAMES[after.turn]} is next"
        assert line.endswith(f"Then {expected}.")


def test_the_move_that_it_shows_is_legal_and_for_this_version() -> None:
    content, told = compose(8)
    shown = re.search(r"-d '(\{.*\})'$", content.text, re.MULTILINE)
    assert shown is not None
    body = json.loads(shown[1])
    assert body.pop("expected_version") == 7 and body.pop("type") == "place"
    told.state.clone().advance(told.seat, Place(**body))
    assert f"POST {facts.BASE}/v1/games/{facts.TABLE}/moves" in content.text
    assert shown[1] in heard(content.html)


def test_a_refill_is_offered_when_it_is_possible_and_only_then() -> None:
    told = until("may_refill")
    content = turn.compose(told, facts.BASE, facts.PAGE, facts.STOP)
    assert "Or refill first: " in content.text and '{"type": "refill", "expected_version": 7}' in content.text
    assert "Or refill first: " in heard(content.html)
    content, _ = compose(8)
    assert "No refill now: " in content.text and '"refill"' not in content.text + content.html


def test_with_an_empty_pile_there_is_no_refill_any_more() -> None:
    state = facts.match()
    while state.wheel.pile_size:
        facts.play(state, 1)
    content = turn.compose(facts.turn(state, []), facts.BASE, facts.PAGE, facts.STOP)
    assert "No refill any more: the draw pile is empty." in content.text


def test_the_display_is_drawn_with_every_tile_and_free_cell() -> None:
    content, told = compose(12)
    drawing = content.text.split("YOUR DISPLAY\n")[1].split("\n\n")[0].splitlines()
    columns = {match.end(): int(match[0]) for match in re.finditer(r"-?\d+", drawing[0])}
    seen = {}
    for line in drawing[1:]:
        y = int(line.split()[0])
        for mark in re.finditer(r"[brty]\d+|[A-Z]+", line):
            seen[columns[mark.end()], y] = mark[0]
    display = told.state.displays[told.seat]
    expected = {(x, y): f"{TILES[id].letter}{id}" for id, x, y, _ in display.placed()}
    assert seen == expected | {cell: letter for letter, cell in lettered(display.open_cells())}


def test_open_goals_say_what_they_lack_and_covered_ones_are_not_listed() -> None:
    content, told = compose(14)
    listed = re.findall(r"^- Tile (\d+) at ", content.text.split("YOUR DISPLAY")[1], re.MULTILINE)
    display = told.state.displays[told.seat]
    with_open_goals = {str(id) for id, _, _, covered in display.placed() if len(covered) < len(TILES[id].goals)}
    assert set(listed) == with_open_goals
    assert "lacks" in content.text


def test_everybodys_discs_and_places_stand_in_the_order_of_moving() -> None:
    content, told = compose(9)
    lines = content.text.split("THE TABLE\n")[1].splitlines()[:3]
    assert isinstance(told.state, Match)
    for number, (seat, line) in enumerate(zip(told.state.moon.order, lines, strict=True), start=1):
        you = " (you)" if seat == told.seat else ""
        discs = words.goal_discs(told.state.discs_left[seat])
        assert line.startswith(
            f"{number}. {facts.NAMES[seat]}{you}: {discs} left, at {told.state.moon.position[seat]} on"
        )


def test_a_player_who_left_stands_last() -> None:
    state = facts.match()
    facts.play(state, 6)
    gone = state.moon.order[-1]
    state.advance(gone, RESIGN)
    content = turn.compose(facts.turn(state, []), facts.BASE, facts.PAGE, facts.STOP)
    assert re.search(rf"^3\. {facts.NAMES[gone]}: .* left, has left the game$", content.text, re.MULTILINE)


def test_the_link_to_the_page_is_in_both_parts() -> None:
    content, _ = compose(8)
    assert facts.PAGE in content.text.splitlines()
    assert links(content.html) == [facts.PAGE, facts.STOP]
    assert facts.STOP in content.text.splitlines()


def test_the_link_to_move_on_the_page_stands_above_the_choices() -> None:
    content, _ = compose(8)
    assert content.text.index(facts.PAGE) < content.text.index("YOUR CHOICES")
    assert content.html.index(facts.PAGE) < content.html.index("Your choices")


def test_the_html_part_loads_nothing_and_runs_nothing() -> None:
    content, _ = compose(8)
    assert not tags(content.html) & {"script", "img", "link", "iframe", "form", "object", "embed"}
    assert "url(" not in content.html and "@import" not in content.html
    assert "prefers-color-scheme: dark" in content.html


def test_names_do_no_harm() -> None:
    names = ("<script>alert(1)</script>", "Ben\r\nBcc: x@example.org", "\u202eevil")
    content, _ = compose(8, names=names)
    assert "script" not in tags(content.html)
    assert "&lt;script&gt;" in content.html
    assert "\u202e" not in content.text + content.html + content.subject
    assert "\n" not in content.subject and "\nBcc:" not in content.text
    assert "Ben Bcc: x@example.org" in content.text


def test_paragraphs_are_not_wrapped_and_no_line_ends_in_white_space() -> None:
    content, _ = compose(8)
    lines = content.text.splitlines()
    assert all(line == line.rstrip() for line in lines)
    assert "\n\n\n" not in content.text


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
def test_a_name_that_ends_with_a_full_stop_ends_a_sentence_with_one(code: str) -> None:
    for compose in kinds.every_kind(language(code), ("Ann B.", "Jo Jr.", "Cleo D.")).values():
        content = compose()
        for told in (content.text, heard(content.html)):
            assert re.search(r"(?:Ann B|Jo Jr|Cleo D)\.", told) or "Ann" not in told
            assert not re.search(r"(?:Ann B|Jo Jr|Cleo D)\.[^\w\s]*\.(?!\.)", told)


def test_after_the_last_tile_nobody_is_said_to_be_next() -> None:
    state = facts.match()
    while state.wheel.pile_size or len(state.wheel.ring) > 1:
        facts.play(state, 1)
    content = turn.compose(facts.turn(state, []), facts.BASE, facts.PAGE, facts.STOP)
    last = f"{state.wheel.choices()[0]}"
    assert re.search(
        rf"^1\. Tile {last}: .*\. It is the last tile: the game ends with it\.$", content.text, re.MULTILINE
    )
    assert "It is the last tile: the game ends with it." in heard(content.html)
    assert not re.search(r"is next|again", content.text + heard(content.html)) and "WHO IS NEXT" not in content.text
    facts.play(state, 1)
    assert state.result is not None


def test_the_last_tile_of_a_solo_is_told_in_its_second_phase_alone() -> None:
    state, _ = kinds.alone(0)
    told = set()
    while state.result is None:
        written = turn.compose(facts.turn(state, []), facts.BASE, facts.PAGE, facts.STOP).text
        state.advance(0, state.legal_moves()[0])
        told.add(("the game ends with it" in written, state.result is not None))
    assert told == {(False, False), (True, True)}


LONG_NAMES = ("Ярослав Мудрый и ещё кое-кто", "山田 太郎 " * 5)


def spread(tiles: int) -> Match:
    """Return a match of two whose mover has a number of tiles, as stairs that leave as many open cells as possible."""
    state = facts.match(2)
    display = state.displays[0]
    free = [number for number in range(1, 69) if number not in state.wheel.choices()]
    for number in free[:tiles]:
        display.place(number, cell_of(*max(display.open_cells(), key=lambda cell: (sum(cell), cell))), 0)
    return state


def test_a_late_mail_is_too_short_for_programs_to_cut_it() -> None:
    reader = Recipient("ann@example.org", LONG_NAMES[0], "AcCoUnt23456", Reader(language("fr")))
    content = kinds.a_turn(reader, LONG_NAMES, 25, png=b"\x89PNG\r\n\x1a\n")
    assert content.text.count("\n- Tuile ") > 20
    assert len(content.html.encode()) < 102_000 * 0.8


@pytest.mark.parametrize("png", [None, b"\x89PNG\r\n\x1a\n"])
def test_the_longest_mail_is_too_short_for_programs_to_cut_it(png: bytes | None) -> None:
    told = facts.turn(spread(48), [], names=LONG_NAMES)
    told = replace(told, people=People(told.people.names, 0, language("fr")), heard=kinds.HEARD, notes=kinds.NOTES)
    reader = Reader(language("fr"))
    told = replace(told, to=Recipient("ann@example.org", LONG_NAMES[1], "AcCoUnt23456", reader))
    picture = None if png is None else scenes.captioned(png, scenes.of_turn(told))
    content = turn.compose(told, facts.BASE, facts.PAGE, facts.STOP, picture, reply_to=facts.REPLY_TO)
    assert len(told.state.displays[0].open_cells()) > 90
    assert len(content.html.encode()) < 102_000


def test_an_item_list_is_written_as_its_language_does() -> None:
    told = {code: kinds.every_kind(language(code))["turn"]().text for code in CODES}
    assert re.search(r"^3\. Tuile .* bleues\u00a0; ", told["fr"], re.MULTILINE)
    assert re.search(r"^1\. Ben \(toi\)\u00a0: ", told["fr"], re.MULTILINE)
    assert re.search(r"^1\. Ben \(you\): ", told["en"], re.MULTILINE)
    assert all("\n\n\n" not in text and " \n" not in text for text in told.values())


def test_french_has_no_break_spaces_where_sentences_are_composed() -> None:
    code = re.compile(r"https?://|curl |[{}\"]|Content-Type|POST |PATCH |[0-9]:[0-9]")
    for kind, compose in kinds.every_kind(language("fr")).items():
        for line in compose().text.splitlines():
            wrong = re.findall(r"[^\u00a0\s][;](?:\s|$)|[^\u00a0\s]:(?:\s|$)|«[^\u00a0]|[^\u00a0]»", line)
            assert not wrong or code.search(line), (kind, line)


def test_no_place_and_no_zone_is_broken_over_two_lines() -> None:
    html = kinds.every_kind(language("es"))["turn"]().html
    assert "A\u00a0(0,\u00a0-1)" in html.replace("&nbsp;", "\u00a0") and "GMT\u20115" in html.replace(
        "&#8209;", "\u2011"
    )
    assert not re.search(r"\(-?\d+, -?\d+\)|[A-Z] \(-?\d|GMT-", html)


@pytest.mark.parametrize("code", CODES)
def test_a_time_is_broken_nowhere_but_after_its_day(code: str) -> None:
    for kind, compose in kinds.every_kind(language(code)).items():
        html = compose().html.replace("&nbsp;", "\u00a0")
        assert not re.search(r"\d [^\d\s]+ (?:de )?2026|\d\d:\d\d [A-Z]", html), kind


@pytest.mark.parametrize("code", CODES)
def test_the_service_has_its_name_in_the_language_of_the_mail(code: str) -> None:
    name = language(code).say("Nova Luna by post")
    for kind, compose in kinds.every_kind(language(code)).items():
        html = compose().html
        assert f"</span>{name}</p>" in html and ("by post" in html) == (code == "en"), kind


def test_what_a_goal_lacks_agrees_with_its_number() -> None:
    text = kinds.every_kind(language("de"))["turn"]().text
    assert "(es fehlen 2 rote)" in text and "(es fehlt 1 rotes)" in text
    text = kinds.every_kind(language("es"))["turn"]().text
    assert "(faltan 2 rojas)" in text and "(falta 1 roja)" in text


def test_every_table_of_tiles_has_a_name() -> None:
    for code in CODES:
        html = kinds.every_kind(language(code))["turn"]().html
        names = {language(code).say("Your display")}
        names |= {language(code).say("The display of %(name)s", name=name) for name in facts.NAMES}
        assert re.findall(r'<table [^>]*class="grid"[^>]*>', html)
        for tag in re.findall(r'<table [^>]*class="grid"[^>]*>|<div [^>]*class="scroll"[^>]*>', html):
            assert re.search(r'aria-label="(.*?)"', tag)[1].replace("&#39;", "'") in names  # type: ignore[index]


def test_the_picture_is_shown_and_told_in_words() -> None:
    content = kinds.every_kind(png=b"\x89PNG\r\n\x1a\n")["turn"]()
    assert content.picture is not None
    assert f'src="cid:{content.picture.cid}"' in content.html
    assert "It is the turn of Ben." in content.picture.alt and content.picture.alt in content.html
    assert content.picture.alt.endswith("All that it shows is told on the table’s page."), "the mail tells less"


def test_goals_that_moves_covered_are_named_with_their_tiles() -> None:
    state = facts.match()
    while not (step := facts.play(state, 1)[-1]).covered:
        pass
    (tile, goal), *_ = step.covered
    counting = step.counting(tile, goal)
    told = replace(facts.turn(state, [step]), happened=(Made(step, "", step.covered_by),))
    content = turn.compose(told, facts.BASE, facts.PAGE, facts.STOP)
    by = "by tiles " if len(counting) > 1 else "by tile "
    for part in (content.text, heard(content.html)):
        sentence = " ".join(part.split())
        assert f"on tile {tile}, {by}{counting[0]}" in sentence
