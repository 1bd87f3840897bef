"""Time zones by name, including those that a machine does not know."""

from zoneinfo import ZoneInfo

import pytest

from service.clocks.zones import zone, zones


def test_a_zone_is_found_by_its_name() -> None:
    assert zone("Europe/Berlin") == ZoneInfo("Europe/Berlin") and "Europe/Berlin" in zones()


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "..", "/etc/passwd", "Europe", "a\0b", "x" * 300, "Factory2"])
def test_a_zone_that_is_not_known_is_told_in_utc(name: str) -> None:
    assert zone(name) == ZoneInfo("UTC") and name not in zones()
