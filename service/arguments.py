"""The types of arguments of the command line that several commands take."""

import argparse
import os


def utf8(given: str) -> str:
    """Return an argument that is text; names of files need not be."""
    try:
        given.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(given).decode(errors="replace")
        raise argparse.ArgumentTypeError(f"it is not UTF-8: {shown}") from None
    return given


def whole_number(text: str, least: int = 0, most: int = 999_999_999) -> int:
    """Return a whole number between two bounds, which may be reached."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(most)) and least <= int(text) <= most):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
    return int(text)
