"""The plans of what the host looks up: accounts by a part of a name, and games that do not go on."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.queries import administration
from tests.drills.growth.plans import Plan
from tests.drills.growth.site import Site

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("growth")]


def plans(site: Site, *, stuck_after: timedelta | None = None, wanted: str = "") -> list[Plan]:
    def ask() -> None:
        with site.context.session() as session:
            if stuck_after is not None:
                assert administration.stuck_games(session, site.context.clock() - stuck_after)
            else:
                assert administration.find_accounts(session, wanted)

    return [plan for plan in site.plans(ask) if "LIMIT" in plan.statement]


@pytest.mark.slow
def test_stuck_games_are_found_among_the_running_ones_by_index(site: Site) -> None:
    (plan,) = plans(site, stuck_after=timedelta(days=-1000))
    assert plan.scanned_whole == []
    [[running]] = site.sql("SELECT count(*) FROM progress WHERE status = 'running'")
    assert plan.rows <= 2 * running  # those that are in both indexes count twice
    indexes = {node.get("Index Name") for node in plan.nodes()}
    assert {"progress_clock_due", "progress_turn"} <= indexes


@pytest.mark.slow
def test_accounts_are_scanned_once_and_their_seats_found_by_index(site: Site) -> None:
    for wanted in ("player1", site.reader.account):
        (plan,) = plans(site, wanted=wanted)
        assert plan.scanned_whole in ([], ["accounts"])
        for node in plan.nodes():
            if node.get("Relation Name") in ("tokens", "seats"):
                assert "Index" in node["Node Type"] or node["Node Type"] == "Bitmap Heap Scan"
                assert node["Actual Loops"] <= administration.MOST
