"""Alternate measurements, and the table of results."""

from bench.rounds import Goal, costs, in_turn, speeds, table


def test_both_are_measured_in_turn_and_who_goes_first_changes() -> None:
    calls = []

    def measure(name: str, seconds: float) -> float:
        calls.append(name)
        return seconds

    pairs = in_turn(lambda: measure("ours", 1.0), lambda: measure("other", 2.0), rounds=2, turns=2)
    assert pairs == [(1.0, 2.0), (1.0, 2.0)]
    assert calls == ["ours", "other", "other", "ours", "other", "ours", "ours", "other"]


def test_the_mean_of_a_round_counts() -> None:
    seconds = iter([1.0, 3.0])
    assert in_turn(lambda: next(seconds), lambda: 4.0, rounds=1, turns=2) == [(2.0, 4.0)]


def test_a_table_shows_medians_of_pairwise_ratios_and_their_spread() -> None:
    pairs = [(0.001, 0.002), (0.001, 0.006), (0.002, 0.006)]
    found = [
        speeds("fast", Goal(3), "moves/s", pairs),
        costs("dear", Goal(0.3, at_most=True), pairs),
        speeds("told", None, "moves/s", pairs),
    ]
    assert [" | ".join(finding.row()) for finding in found] == [
        "fast | ≥ 3.00 | 3.00 | 2.00 to 6.00 | reached | 1,000 moves/s | 167 moves/s",
        "dear | ≤ 0.30 | 0.33 | 0.17 to 0.50 | missed | 1000 µs | 6.0 ms",
        "told |  | 3.00 | 2.00 to 6.00 |  | 1,000 moves/s | 167 moves/s",
    ]
    head, *lines = table(found).splitlines()
    assert len(lines) == 3
    assert head.index("median") == lines[0].index("3.00", 10) == lines[1].index("0.33")
