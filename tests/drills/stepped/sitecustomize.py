"""Make `time.sleep` work under a libfaketime 0.9.10 that leaves the monotonic clock alone.

Otherwise it fails with EINVAL: Python sleeps until a time on that clock, which the library mistakes for one on the
clock that it has stepped. The interpreter loads this module by itself if the folder is in PYTHONPATH.
"""

import select
import time


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)


time.sleep = _sleep  # type: ignore[assignment]  # which takes what has an index, too
