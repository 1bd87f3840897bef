"""The engine's goals, as floors: a shared machine's ratios swing, so 70 % of each must be reached."""

from statistics import median

from bench import engine

SLACK = 0.7


def test_no_goal_is_missed_by_far() -> None:
    findings = [finding for finding in engine.measure(rounds=1) if finding.goal is not None]
    assert [finding.name[:2] for finding in findings] == ["E1", "E2", "E3"]
    for finding in findings:
        assert finding.goal is not None
        found, goal = median(finding.ratios), finding.goal.value
        assert found <= goal / SLACK if finding.goal.at_most else found >= goal * SLACK, finding.row()
