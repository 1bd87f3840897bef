"""Whole numbers on the command line."""

import argparse

import pytest

from service.arguments import whole_number


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("999999999", 999_999_999)])
def test_a_whole_number_within_the_bounds_is_taken(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", " 1", "1_000", "²", "٣", "0", "1000", "9" * 5000])
def test_anything_else_is_refused_with_the_bounds(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"is no whole number from 1 to 999$"):
        whole_number(text, least=1, most=999)
