"""The text notation of 10,000 games, with comments and variations, and 100,000 mutated texts."""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from engine import record
from engine.notation import Refusal, errors, from_record, read, record_line, text
from engine.notation.model import Variation
from tests.support.notated import annotated, random_record
from tests.unit.engine.notation.sources import VECTORS
from tests.unit.engine.notation.test_text_round_trip import mutated

pytestmark = pytest.mark.drill


@pytest.mark.slow
def test_ten_thousand_games_are_printed_and_read_again(amount: Callable[..., int]) -> None:
    seen: Counter[str] = Counter()
    for number in range(amount(10_000, 300)):
        rng = Random(number)
        whole = random_record(rng)
        line = record.line(whole)
        plain = from_record(whole)
        assert record_line(read(text(plain).encode())) == line, number
        game = annotated(rng, plain, rng.choice((0.02, 0.1)))
        again = read(text(game).encode())
        assert again == game and record_line(again) == line, number
        short = text(game, times=False)
        assert text(read(short.encode())) == short, number
        seen[whole["result"]["reason"] if whole["result"] else "running"] += 1
        seen["variations"] += sum(isinstance(note, Variation) for entry in game.entries for note in entry.notes)
        seen["host"] += any(entry.by == "host" for entry in game.entries)
    print(dict(seen))
    assert min(seen[kind] for kind in ("discs", "tiles", "left", "ended", "running", "variations", "host")) > 0


def test_mutated_texts_are_read_or_refused(amount: Callable[..., int]) -> None:
    sources = [str(vector["input"]) for vector in VECTORS.values() if "canonical" in vector]
    codes: Counter[str] = Counter()
    for number in range(amount(100_000, 3_000)):
        rng = Random(number)
        data = mutated(rng, rng.choice(sources))
        try:
            game = read(data)
        except Refusal as refusal:
            codes[refusal.code] += 1
            assert 0 <= refusal.line <= data.count(b"\n") + 1, number
        else:
            codes["read"] += 1
            printed = text(game)
            assert text(read(printed.encode())) == printed, number
    print(dict(codes))
    assert set(codes) <= {*errors.CODES, "read"} and len(codes) > 15
