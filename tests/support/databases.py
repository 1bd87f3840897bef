"""The URLs of test databases for the service's role."""

from service.local.cluster import SERVICE, USER


def as_service(owner_url: str) -> str:
    """Return the URL of a test database for the role that the service uses."""
    return owner_url.replace(f"//{USER}@", f"//{SERVICE}@")
