"""For processes under libfaketime 0.9.10 that leaves the monotonic clock alone: there `time.sleep` fails with EINVAL.

Python sleeps until a time on that clock, which the library takes for one on the clock that it has stepped. Found and
loaded by the interpreter itself, where this folder is in PYTHONPATH.
"""

import select
import time


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)


time.sleep = _sleep  # type: ignore[assignment]  # which takes what has an index, too
