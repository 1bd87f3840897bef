"""A screenshot of a whole page, however long it is."""

import io

from PIL import Image
from playwright.sync_api import Page


def shot(page: Page) -> Image.Image:
    """Return a picture of the whole page, as wide as its content."""
    return Image.open(io.BytesIO(page.screenshot(full_page=True)))
