"""Write the golden playthroughs again: `python -m tests.golden`."""

from tests.golden.playthrough import FOLDER, GAMES, lines, source

for name in GAMES:
    line = source(name)
    (FOLDER / f"{name}.record.jsonl").write_bytes(line)
    (FOLDER / f"{name}.jsonl").write_text("".join(lines(line)), encoding="utf-8")
