"""The headers that tell a client its limits (draft-ietf-httpapi-ratelimit-headers-10).

Both are lists of structured fields (RFC 9651), so that one response can tell of several limits.
"""

from service.errors import Policy

POLICY, STATE = "RateLimit-Policy", "RateLimit"


def policy_value(policy: Policy) -> str:
    """Return an item of ``RateLimit-Policy``: the amount that is allowed, and the seconds of its window."""
    return f'"{policy.name}";q={policy.amount};w={policy.seconds}'


def state_value(policy: Policy, left: int, seconds: int) -> str:
    """Return an item of ``RateLimit``: what is left of the amount, and the seconds until the window ends."""
    return f'"{policy.name}";r={left};t={seconds}'


def of_limit(policy: Policy, left: int, seconds: int) -> dict[str, str]:
    """Return both headers for one limit."""
    return {POLICY: policy_value(policy), STATE: state_value(policy, left, seconds)}
