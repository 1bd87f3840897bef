"""Check hosts before anything connects to them, so that a mistyped one is a clear error."""


def check_host(host: str) -> None:
    """Raise ValueError, with a sentence that says what would be right, for a host that can't be looked up at all.

    Python encodes each host with this codec before it asks for its address, and the codec's error is no OSError.
    """
    try:
        host.encode("idna")
    except UnicodeError:
        raise ValueError(
            "its host must be an IP address or a name such as host.example.org, with 1 to 63 characters in each part."
        ) from None
