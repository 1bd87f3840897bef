"""Run test vectors of clocks (docs/CLOCKS.md, section 12) through the real commands and jobs, on a spare database."""
