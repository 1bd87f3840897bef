"""The guide's commands work in their order, pasted into a shell."""

import re
from functools import partial

import pytest

from service.mail.maildir import Maildir, address_of
from service.pages.docs.guide import EXAMPLE_ADDRESS
from tests.drills.service import Service
from tests.support.pasting import ROOT, Shell, blocks, has_mail
from tests.support.running import eventually
from tests.support.shared_service import SHARE_SERVICE

EMAIL = "you@example.org"
CODE = re.compile(r"\b[0-9A-Z]{5}-[0-9A-Z]{5}\b")


pytestmark = SHARE_SERVICE


def commands(chapter: str) -> list[str]:
    """Return the commands of a chapter of the guide."""
    return blocks((ROOT / "docs" / "guide" / f"{chapter}.md").read_text(), "sh")


def code(maildir: Maildir) -> str:
    """Return the code that was mailed."""
    eventually(partial(has_mail, maildir, EMAIL))
    [mail] = (mail for mail in maildir.messages() if address_of(mail) == EMAIL)
    body = mail.get_body(("plain",))
    assert body is not None
    found = CODE.search(body.get_content())
    assert found
    return found[0]


@pytest.mark.slow
def test_a_first_game_and_waiting(service: Service) -> None:
    asking, exchanging, opening, looking, moving, picturing = commands("first-game")
    streaming, waiting = commands("waiting")
    showing, telling, explaining = commands("replaying")
    shell = Shell(service.running.data)
    try:
        shell.paste(asking.replace(EXAMPLE_ADDRESS, service.running.address))
        assert '"name":"You"' in shell.paste(
            exchanging.replace("XXXXX-XXXXX", code(Maildir(service.running.data / "mail")))
        )
        assert '"status":"running"' in shell.paste(opening)
        eventually(lambda: '"turn":{"seat":0' in shell.paste('curl -sS $API/v1/games/$GAME -H "$ME"'))
        assert '"tiles":[' in shell.paste(looking)
        printed = shell.paste(moving)
        assert '"last_move":{' in printed and '"x":0,"y":0' in printed
        assert "<desc" in shell.paste(picturing)
        assert "id: " in shell.paste(f"{streaming.replace('60', '1').strip()} || test $? = 28")
        assert '"items":[' in shell.paste(waiting.replace("wait=30", "wait=1"))
        shown = shell.paste(showing)
        assert '"version":1' in shown and 'lang="fr"' in shown
        assert '"changes":[{"type":"tile_taken"' in shell.paste(telling)
        assert '"seat":0,"goals":[' in shell.paste(explaining)
    finally:
        shell.close()
