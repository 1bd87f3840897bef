"""Outcomes wait in the database for a worker of any release, so what is stored of them stays as it is."""

import json

from engine.phrases import Phrase
from service.store import mail_outcome
from service.store.mail_outcome import Line, OriginalHeader, Outcome, from_json

WHATS = """
    played left_out refused unclear asked said noted muted unmuted stopped help history status games rules settings
    opened invited joined solo declined signed_up language rematch away back quiet more_time kept reminders blocked
    unblocked still_asked
"""
CODES = "likely which_cell which_tile example invitation code"

OUTCOME = Outcome(
    account="AcCt",
    game="G4mE8sWqKzRt",
    lines=(
        Line("12@0,1", "played", seq=3),
        Line("13", "unclear", code="which_cell", why=Phrase("Tile %(tile)s", {"tile": 13}), readings=("13@0,1",)),
        Line("away", "away", table="T4bLe", facts={"until": "2026-11-30"}),
    ),
    header=OriginalHeader("ann@example.org", "Your turn", "<1@example.org>", ("<0@example.org>",)),
    due=("AcCt",),
)
STORED = """
{"account": "AcCt", "game": "G4mE8sWqKzRt", "lines": [
  {"written": "12@0,1", "what": "played", "seq": 3, "code": null, "why": null, "readings": [], "table": null},
  {"written": "13", "what": "unclear", "seq": null, "code": "which_cell", "why": ["Tile %(tile)s", {"tile": 13}],
   "readings": ["13@0,1"], "table": null},
  {"written": "away", "what": "away", "seq": null, "code": null, "why": null, "readings": [], "table": "T4bLe",
   "facts": {"until": "2026-11-30"}}],
 "nothing": null, "elsewhere": false, "put_down": null, "due": ["AcCt"], "address": null, "unproven": false,
 "letter": {"sender": "ann@example.org", "subject": "Your turn", "message_id": "<1@example.org>",
            "references": ["<0@example.org>"]}}
"""


def test_the_words_of_stored_outcomes_stay() -> None:
    assert list(mail_outcome.WHATS) == WHATS.split()
    codes = (mail_outcome.LIKELY, mail_outcome.WHICH_CELL, mail_outcome.WHICH_TILE, mail_outcome.EXAMPLE)
    assert [*codes, mail_outcome.INVITATION, mail_outcome.CODE] == CODES.split()


def test_an_outcome_is_stored_and_read_in_the_same_form() -> None:
    assert json.loads(json.dumps(OUTCOME.to_json())) == json.loads(STORED)
    assert from_json(json.loads(STORED)) == OUTCOME


def test_the_language_of_a_reply_to_a_stranger_is_stored() -> None:
    line = Line("", "still_asked", code="code", facts={"id": "CoDe"})
    outcome = Outcome(lines=(line,), address="cleo@example.org", language="de")
    assert from_json(json.loads(json.dumps(outcome.to_json()))) == outcome


def test_what_is_settled_needs_no_answer_and_what_is_brief_no_table() -> None:
    def told(what: str) -> tuple[bool, bool]:
        outcome = Outcome(lines=(Line("", "played"), Line("", what)))
        return outcome.is_settled, outcome.is_brief

    settled = {what for what in mail_outcome.WHATS if told(what)[0]}
    assert settled == {"played", "said", "noted", "muted", "unmuted", "declined"}
    with_table = {what for what in mail_outcome.WHATS if not told(what)[1]}
    assert with_table == {
        *("help", "history", "status", "games", "rules"),
        *("opened", "invited", "joined", "solo", "signed_up", "rematch"),
    }
