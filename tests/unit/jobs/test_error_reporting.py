"""What is logged and counted of a task that fails, and what its error says."""

import pytest
from structlog.testing import capture_logs

from service.jobs.error_reporting import report_errors
from service.mail.failures import PermanentFailure, TransientFailure

Counted = list[tuple[object, ...]]


@pytest.mark.parametrize(
    ("failure", "outcome"),
    [(TransientFailure("busy"), "retried"), (PermanentFailure("no"), "refused"), (ValueError("ann"), "retried")],
)
def test_a_failed_mail_is_logged_and_counted(failure: Exception, outcome: str, counted: Counted) -> None:
    with pytest.raises((TransientFailure, PermanentFailure)), capture_logs() as logs, report_errors("mail_end", game=1):
        raise failure
    (line,) = logs
    assert (line["event"], line["task"], line["game"]) == ("not done", "mail_end", 1)
    assert line["for_good"] == (outcome == "refused")
    assert counted == [("mail", "mail_end", outcome)]


def test_a_failed_task_that_sends_nothing_is_not_counted_among_mails(counted: Counted) -> None:
    with pytest.raises(TransientFailure), report_errors("forget_mail"):
        raise TransientFailure("busy")
    assert counted == []


def test_the_setting_that_may_help_is_logged() -> None:
    with pytest.raises(TransientFailure), capture_logs() as logs, report_errors("mail_end"):
        raise TransientFailure("busy", mend="NOVALUNA_SMTP_URL")
    assert logs[0]["mend"] == "NOVALUNA_SMTP_URL"


def test_an_unforeseen_error_says_where_it_arose_and_nothing_of_its_text() -> None:
    with pytest.raises(TransientFailure) as raised, report_errors("mail_end"):
        _read("ann@example.org")
    assert str(raised.value).startswith("ValueError at ") and str(raised.value).endswith(" in _read")


def _read(text: str) -> None:
    raise ValueError(text)
