"""A link that signs in works in one browser, until its code is used or expires."""

from sqlalchemy.orm import Session

from service.commands.sign_in import waiting_code
from service.store.accounts import EMAIL_CHANGE, SIGN_IN, Code
from tests.support.clock import NOW
from tests.support.world import later

OWN, OTHER = b"o" * 32, b"x" * 32


def test_a_link_works_until_its_code_is_used_or_expires(session: Session) -> None:
    end = later(minutes=15)
    code = Code(id="C", purpose=SIGN_IN, email="ann@example.org", created_at=NOW, expires_at=end, browser=OWN)
    session.add(code)
    session.flush()
    assert waiting_code(session, "C", OWN, NOW) is code
    assert waiting_code(session, "C", OWN, end) is None
    assert waiting_code(session, "C", OTHER, NOW) is None
    assert waiting_code(session, "D", OWN, NOW) is None
    for changed in ({"used_at": NOW}, {"used_at": None, "purpose": EMAIL_CHANGE}):
        for name, value in changed.items():
            setattr(code, name, value)
        session.flush()
        assert waiting_code(session, "C", OWN, NOW) is None
