"""Every reason for the state of a mail is explained under the word by which it is recorded."""

import re
from pathlib import Path

from service.api import deliveries

SERVICE = Path(deliveries.__file__).parents[1]


def test_each_explained_reason_is_one_that_is_recorded() -> None:
    recording = [path for package in ("store", "jobs", "commands") for path in (SERVICE / package).glob("*.py")]
    words = {word for path in recording for word in re.findall(r"""["'](\w+)["']""", path.read_text())}
    assert deliveries._REASONS.keys() - words == set()
