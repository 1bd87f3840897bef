"""The clock of a table: what may be chosen when it is made, how it is refused, and where it is shown."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from service.api.clock_schemas import ClockSchema
from tests.support.http_games import start_solo
from tests.support.web import Person

LADDER = {"nudge": "P1D", "grace": "P2D", "then": "autopilot"}
NO_CLOCK = {"clock": {"kind": "none"}, "ladder": None, "quiet": True, "absences": True}
DAYS_3 = {"clock": {"kind": "per_wait", "per_wait": "P3D"}, "ladder": LADDER, "quiet": True, "absences": True}
BANK = {"kind": "bank", "bank": "P5D", "increment": "P1D", "cap": "P7D"}


def made(client: FlaskClient, maker: Person, **chosen: Any) -> Any:
    answer = client.post("/v1/games", json={"seats": 2, **chosen}, headers=maker.headers)
    assert answer.status_code == 201, answer.text
    return answer.get_json()


@pytest.mark.parametrize(
    ("chosen", "settings"),
    [
        ({}, NO_CLOCK),
        ({"clock": {"kind": "none"}, "ladder": LADDER}, NO_CLOCK),
        ({"clock": "day"}, {**DAYS_3, "clock": {"kind": "per_wait", "per_wait": "P1D"}}),
        ({"clock": "days-3"}, DAYS_3),
        ({"clock": "week"}, {**DAYS_3, "clock": {"kind": "per_wait", "per_wait": "P7D"}}),
        (
            {"clock": {"kind": "per_wait", "per_wait": "PT36H"}},
            {**DAYS_3, "clock": {"kind": "per_wait", "per_wait": "P1DT12H"}},
        ),
        ({"clock": BANK}, {**DAYS_3, "clock": BANK}),
        (
            {"clock": "days-3", "ladder": {"nudge": "PT60M", "then": "out"}, "quiet": False, "absences": False},
            {**DAYS_3, "ladder": {"nudge": "PT1H", "grace": None, "then": "out"}, "quiet": False, "absences": False},
        ),
    ],
)
def test_clocks_2_1_settings_are_shown_before_anybody_joins(
    client: FlaskClient, ann: Person, chosen: dict[str, Any], settings: dict[str, Any]
) -> None:
    table = made(client, ann, **chosen)
    for shown in (table, client.get(f"/v1/games/{table['id']}").get_json()):
        assert shown["clock"] == {
            "kind": settings["clock"]["kind"],
            "seat": None,
            "running": False,
            "stands_still_because": None,
            "stage": None,
            "left": [None, None],
            "runs_out_at": None,
            "next": None,
            "away": [],
            "words": [],
            "settings": settings,
            "abandoned_after": "P90D",
            "as_of": None,
        }
        assert ClockSchema().validate(shown["clock"]) == {}


def test_clocks_9_1_the_time_until_abandonment_can_be_chosen(client: FlaskClient, ann: Person) -> None:
    for given, shown in (("P30D", "P30D"), ("PT1440H", "P60D"), ("P365D", "P365D")):
        assert made(client, ann, abandoned_after=given)["clock"]["abandoned_after"] == shown


@pytest.mark.parametrize(
    ("chosen", "field"),
    [
        ({"clock": "days-4"}, "clock"),
        ({"clock": None}, "clock"),
        ({"clock": 3}, "clock.kind"),
        ({"clock": {}}, "clock.kind"),
        ({"clock": {"kind": "none", "per_wait": "P1D"}}, "clock.per_wait"),
        ({"clock": {"kind": "per_wait"}}, "clock.per_wait"),
        ({"clock": {"kind": "per_wait", "per_wait": "PT59M"}}, "clock.per_wait"),
        ({"clock": {"kind": "per_wait", "per_wait": "P30DT1M"}}, "clock.per_wait"),
        ({"clock": {"kind": "per_wait", "per_wait": "P1W"}}, "clock.per_wait"),
        ({"clock": {"kind": "per_wait", "per_wait": 3}}, "clock.per_wait"),
        ({"clock": {**BANK, "cap": "P4D"}}, "clock.cap"),
        ({"clock": {**BANK, "increment": "-P1D"}}, "clock.increment"),
        ({"clock": {**BANK, "more": "P1D"}}, "clock.more"),
        ({"clock": "day", "ladder": {"nudge": "PT30M", "then": "out"}}, "ladder.nudge"),
        ({"clock": "day", "ladder": {"nudge": "P1D", "grace": "P15D", "then": "out"}}, "ladder.grace"),
        ({"clock": "day", "ladder": {"nudge": "P1D", "then": "lose"}}, "ladder.then"),
        ({"clock": "day", "ladder": {"then": "out"}}, "ladder.nudge"),
        ({"clock": "day", "quiet": "no"}, "quiet"),
        ({"clock": "day", "absences": None}, "absences"),
        ({"abandoned_after": "P29D"}, "abandoned_after"),
        ({"abandoned_after": "P366D"}, "abandoned_after"),
    ],
)
def test_clocks_12_what_no_clock_has_is_refused_by_its_field(
    client: FlaskClient, ann: Person, chosen: dict[str, Any], field: str
) -> None:
    answer = client.post("/v1/games", json={"seats": 2, **chosen}, headers=ann.headers)
    problem = answer.get_json()
    assert (answer.status_code, problem["code"]) == (422, "wrong_fields")
    assert [wrong["field"] for wrong in problem["errors"]] == [field]
    assert client.get("/v1/games?mine=true", headers=ann.headers).get_json()["items"] == []


def test_clocks_2_1_a_solo_has_no_clock(client: FlaskClient, ann: Person) -> None:
    answer = client.post("/v1/solo-sessions", json={"clock": "day"}, headers=ann.headers)
    assert answer.status_code == 422 and answer.get_json()["errors"][0]["field"] == "clock"
    assert start_solo(client, ann).view()["clock"] is None
