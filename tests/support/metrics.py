"""Read the metrics that a process serves to Prometheus."""

import urllib.request

from tests.support.running import eventually


def told(port: int) -> str:
    """Return the metrics at this port of 127.0.0.1; wait for them, because they are served from a thread."""
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
