"""A photograph of a whole page, however long it is."""

import io

from PIL import Image
from playwright.sync_api import Page


def shot(page: Page) -> Image.Image:
    """All of it, as wide as it would have to be scrolled."""
    return Image.open(io.BytesIO(page.screenshot(full_page=True)))
