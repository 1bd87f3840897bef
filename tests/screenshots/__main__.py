"""Take screenshots of every mail and page at 360 and 1280 pixels, light and dark, in four languages, onto sheets.

    .venv/bin/python -m tests.screenshots FOLDER [mails|pages] [NAME]

With NAME, only those whose names begin with it are taken. It needs Chromium as /usr/bin/chromium.
"""

import sys
from pathlib import Path

from service.language.languages import CODES, language
from tests.screenshots import mail_shots, page_shots, sheets
from tests.support.browser import chromium

WIDTHS = {360: 0.68, 1280: 0.39}
"""The widths of the screen, and the scale of the screenshots, so that a sheet has columns of one width."""
SCHEMES = ("light", "dark")


def main() -> None:
    """Write the sheets, one file for each width, scheme and number."""
    folder, what, only = Path(sys.argv[1]), *([*sys.argv[2:], "", ""])[:2]
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for width, scale in WIDTHS.items():
            for scheme in SCHEMES:
                if what in ("", "mails"):
                    for code in CODES:
                        taken = mail_shots.take(browser, language(code), scheme, width, only)
                        _tell(sheets.write(taken, folder, f"mails-{width}-{scheme}-{code}", scale))
        if what in ("", "pages"):
            with page_shots.site() as site:
                for width, scale in WIDTHS.items():
                    for scheme in SCHEMES:
                        for code in CODES:
                            shown = page_shots.take(site, browser, code, scheme, width, only)
                            _tell(sheets.write(shown, folder, f"pages-{width}-{scheme}-{code}", scale))


def _tell(files: list[Path]) -> None:
    for file in files:
        print(file)


if __name__ == "__main__":
    main()
