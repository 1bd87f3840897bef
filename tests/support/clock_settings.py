"""Random tables, quiet times and habits for simulated lives: clocks and ladders of all kinds, many zones."""

from random import Random
from typing import Any

from tests.oracle.clocks.quiet import DAYS
from tests.oracle.clocks.times import DAY, HOUR, MINUTE, QUARTER, shortest

ZONES = (
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca",
    "Asia/Kathmandu", "UTC",
)  # fmt: skip
HOURS = ("00:00", "01:30", "02:00", "02:15", "02:45", "03:00", "06:45", "07:00", "09:00", "13:30", "22:00", "23:45")
REMINDERS = ("half", "PT1H", "PT3H", "PT6H", "PT12H", "P1D", "PT30H", "P2D", "P5D")
PER_WAIT = ("PT1H", "PT5H30M", "P1D", "P1D", "P2D", "P3D", "P7D", "P30D")
BANKS = (
    ("PT1H", "PT0M", "PT1H"), ("P1D", "PT6H", "P2D"), ("P2D", "PT12H", "P2D"), ("P5D", "P1D", "P7D"),
    ("P10D", "PT0M", "P10D"),
)  # fmt: skip
WORDS = ("PT1H", "PT12H", "P1D", "P2D", "P5D", "P14D", "P14D", "P15D", None, None)
FAILURES = (10 * MINUTE, QUARTER, QUARTER + 2, 40 * MINUTE, 5 * HOUR, 2 * DAY, None)


def settings(random: Random) -> dict[str, Any]:
    """Return a table's settings."""
    seats = ["person"] * random.choice((2, 2, 2, 3, 4))
    for seat in range(len(seats)):
        if random.random() < 0.12 and seats.count("person") > 1:
            seats[seat] = "bot"
    kind = random.choices(("per_wait", "bank", "none"), (5, 6, 1))[0]
    clock: dict[str, Any] = {"kind": kind}
    if kind == "per_wait":
        clock["per_wait"] = random.choice(PER_WAIT)
    elif kind == "bank":
        clock |= dict(zip(("bank", "increment", "cap"), random.choice(BANKS), strict=True))
    ladder = {"nudge": random.choice(("PT1H", "PT6H", "P1D", "P3D", "P7D")),
              "grace": random.choice((None, None, "PT1H", "PT12H", "P2D", "P9D")),
              "then": random.choice(("autopilot", "autopilot", "out", "wait"))}  # fmt: skip
    given: dict[str, Any] = {"seats": seats, "clock": clock, "ladder": ladder}
    if random.random() < 0.25:
        given["quiet"] = False
    if random.random() < 0.2:
        given["absences"] = False
    if random.random() < 0.6:
        given["abandoned_after"] = random.choice(("P30D", "P45D", "P120D"))
    return given


def windows(random: Random) -> list[dict[str, Any]]:
    """Return quiet times: mostly nights or weekends, sometimes anything, rarely too much."""
    dice = random.random()
    if dice < 0.15:
        return []
    if dice < 0.55:
        return [{"days": list(DAYS), "from": random.choice(("22:00", "21:15", "23:45", "00:00")),
                 "to": random.choice(("07:00", "06:30", "02:30", "01:00"))}]  # fmt: skip
    if dice < 0.7:
        return [{"days": ["sat", "sun"], "from": "00:00", "to": "00:00"}]
    if dice < 0.73:
        return [{"days": list(DAYS), "from": "06:00", "to": "22:15"}]
    return [
        {"days": random.sample(DAYS, random.randint(1, 4)), "from": random.choice(HOURS), "to": random.choice(HOURS)}
        for _ in range(random.randint(1, 3))
    ]


def reminders(random: Random) -> list[str]:
    """Return the reminders that somebody chooses."""
    return random.sample(REMINDERS, random.randint(0, 5))


def word(random: Random) -> str:
    """Return a duration that somebody wants to give, sometimes more than is allowed."""
    return random.choice(WORDS) or shortest(random.randrange(HOUR, 3 * DAY, MINUTE))


def given(random: Random) -> str:
    """Return a duration that the host gives."""
    return random.choice(WORDS[:7]) or "P1D"


def dawdling(random: Random, habit: str, allowance: int) -> int | None:
    """Return the time that somebody waits with a move, None for ever."""
    dice = random.random()
    if habit == "vanishing" and dice < 0.03:
        return None
    if habit == "prompt" and dice < 0.95:
        return random.randrange(MINUTE, 10 * HOUR)
    if habit == "slow" and dice < 0.3:
        return int(allowance * random.uniform(1, 4)) + random.randrange(10 * DAY)
    if dice < 0.3:
        return random.randrange(1000, 2 * HOUR)
    return int(max(allowance, HOUR) * random.uniform(0.1, 1.1))
