"""Write the golden playthroughs that are missing: `python -m tests.golden`."""

from engine.rules import VERSIONS
from tests.golden.playthrough import GAMES, file_of, lines, record_of, source

for version in VERSIONS:
    for name in GAMES:
        if not record_of(version, name).exists():
            record_of(version, name).parent.mkdir(exist_ok=True)
            line = source(version, name)
            record_of(version, name).write_bytes(line)
            file_of(version, name).write_text("".join(lines(line)), encoding="utf-8")
