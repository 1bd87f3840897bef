"""Garbage is not collected while modules are imported, and as before afterwards."""

import gc

import pytest

from service.garbage import uncollected


def test_collector_is_off_within_and_on_again_after_an_error() -> None:
    with pytest.raises(ImportError), uncollected():
        assert not gc.isenabled()
        raise ImportError
    assert gc.isenabled()


def test_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
