"""Answers as mail programs write them are understood as they were meant."""

from collections import Counter

import pytest

from service.reading.incoming_mail import read
from service.reading.reply_parser import parse_reply
from tests.unit.reading.corpus import CASES, Case, meant
from tests.unit.reading.eml import SERVICE


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_reply_of_the_corpus_is_parsed_as_it_was_meant(case: Case) -> None:
    letter = read(case.raw, domain="example.org", return_path="ann@example.net")
    assert letter.automatic is None and letter.sender == "ann@example.net"
    assert meant(parse_reply(letter)) == case.meaning


def test_the_corpus_is_as_wide_as_it_should_be() -> None:
    assert len(CASES) >= 80
    languages = Counter(case.language for case in CASES)
    assert set(languages) == {"en", "fr", "es", "de"} and min(languages.values()) >= 15
    assert len({case.program for case in CASES}) >= 30
    assert all(SERVICE.encode() in case.raw for case in CASES)
