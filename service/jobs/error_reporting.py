"""Report a failed task without an address, a name or a secret in its log line and its error."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from service import metrics
from service.logs import reason
from service.mail.failures import Held, PermanentFailure, TransientFailure

_MAILS = "mail_"

_log = structlog.get_logger(__name__)


@contextmanager
def report_errors(task: str, **ids: int | str) -> Iterator[None]:
    """Log why a task fails, and the setting that may fix it.

    No exception passes whose text could contain an address or a name, since the worker logs it as well.
    """
    try:
        try:
            yield
        except (TransientFailure, PermanentFailure, Held):
            raise
        except Exception as error:  # noqa: BLE001  (whatever it is, it is tried again, and told without its text)
            frame = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{frame.filename}:{frame.lineno} in {frame.name}"
            raise TransientFailure(f"{reason(error)} at {where}") from None
    except (TransientFailure, PermanentFailure) as failure:
        for_good = isinstance(failure, PermanentFailure)
        mend = {"mend": failure.mend} if isinstance(failure, TransientFailure) and failure.mend else {}
        _log.warning("not done", task=task, why=str(failure), for_good=for_good, **mend, **ids)
        if task.startswith(_MAILS):
            metrics.mail(task, "refused" if for_good else "retried")
        raise
