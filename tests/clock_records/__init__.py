"""Records of games with clocks: valid ones of each kind, and tampered ones with the entry that an audit must refuse.

`python -m tests.clock_records` plays them and writes `clock-record-vectors.jsonl` and `tampered-clock-records.jsonl` to
`tests/data/`. Audits elsewhere may use both files: a verifier must accept each line of the first, and refuse the
`record` of each line of the second at its `entry`.
"""
