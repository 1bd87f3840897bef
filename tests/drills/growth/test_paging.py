"""A page far down a list reads no more of the database than the first, and each item is on one page, once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from service.queries.tables import STATUSES
from tests.drills.growth.site import Site

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("growth")]

_LISTS = ["games?", "games?mine=true", "games?status=finished", "games?status=finished&mine=true", "solo-sessions?"]


@pytest.mark.slow
@pytest.mark.parametrize("query", _LISTS)
def test_a_page_far_down_costs_what_the_first_one_does(site: Site, query: str) -> None:
    far = site.cursor(f"/v1/{query.partition('?')[0]}", site.copied.games // 5)
    first, deep = (
        sum(plan.buffers for plan in site.plans(partial(site.ask, site.regular, "GET", f"/v1/{asked}")))
        for asked in (f"{query}&limit=20", f"{query}&limit=20&cursor={far}")
    )
    assert deep <= 1.5 * first + 50
    assert deep <= 1_500


def _pages(site: Site, query: str) -> Iterator[str]:
    cursor = ""
    while True:
        found = site.ask(site.reader, "GET", f"/v1/games?limit=7&{query}{cursor}")
        yield from (item["id"] for item in found["items"])
        if found["next"] is None:
            return
        cursor = f"&cursor={found['next']}"


@pytest.mark.slow
@pytest.mark.parametrize("status", STATUSES)
def test_the_pages_of_a_list_have_each_table_once(site: Site, status: str) -> None:
    mine = "SELECT id FROM tables JOIN seats ON game = key WHERE account = %s AND tables.kind = 'match'"
    account = site.reader.account
    by_progress = {
        "open": "closed_at IS NULL AND NOT EXISTS (SELECT FROM setups WHERE setups.game = key)",
        "closed": "closed_at IS NOT NULL",
        "running": "EXISTS (SELECT FROM progress WHERE progress.game = key AND progress.status = 'running')",
        "finished": "EXISTS (SELECT FROM progress WHERE progress.game = key AND progress.status = 'finished')",
    }
    expected = [id for (id,) in site.sql(f"{mine} AND {by_progress[status]} ORDER BY key DESC", account)]
    assert list(_pages(site, f"mine=true&status={status}")) == expected
