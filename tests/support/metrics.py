"""What a process tells to Prometheus."""

import urllib.request

from tests.support.running import eventually


def told(port: int) -> str:
    """What is told at this port of 127.0.0.1; waited for, as the thread that tells begins beside all else."""
    answers: list[str] = []

    def is_told() -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
                answers.append(answer.read().decode())
        except OSError:
            return False
        return True

    eventually(is_told)
    return answers[-1]
