"""The pages that sign a browser in: by the code in a mail, or by the link in it, which only this browser can use.

Whoever signs in first gets a cookie with a secret, and the forms of these pages are signed for it. So nobody can sign
another browser in to an account of their own.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from flask import Blueprint, Response, request, url_for
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access import addresses, names, secrets, tokens
from service.access.invalid_text import InvalidText
from service.access.links import signed_code, signing_in, signing_in_text
from service.api.context import code_limits, now, settings
from service.commands import guests, sign_in
from service.commands.sign_in import WRONG_CODE, SignedIn
from service.errors import Forbidden, Malformed, Refusal
from service.language.languages import Reader, language
from service.pages import browser
from service.pages.cross_site import is_cross_site, refused
from service.pages.done import LEFT_SOLOS, signed_mark
from service.pages.kept_language import kept, with_language
from service.pages.onward import checked
from service.pages.refusals import status_of, unfit, with_retry
from service.pages.rendering import not_found, page, see_other, visitor
from service.pages.repeated_forms import beginning_session, once
from service.store.accounts import SESSION, account_by_email
from service.store.base import db
from service.store.unit import transaction

blp = Blueprint("sign_in_page", __name__)

_HOME = "/tables"
_FORM = "sign-in-form"
_NO_COOKIE = Malformed(
    "no_cookie",
    Phrase(
        "Your browser kept no cookie for this page, which is needed to sign in. Allow cookies here, and open this page"
        " by https; then try again."
    ),
)
_WRONG_LINK = Phrase(
    "This link is used or expired, or was asked for in another browser. Open it in that one, type its code there, or "
    "ask for a new code here."
)
_INCOMPLETE = Phrase("This link is not complete. Ask for a new code.")
_LABEL = re.compile(r"(Firefox|Edg|OPR|Chrome|Safari)/")
_BROWSERS = {"Edg": "Edge", "OPR": "Opera"}


@blp.get("/sign-in")
def ask_address() -> Response:
    """Ask for the address to mail a code to."""
    return _asking(_onward(request.args.get("onward", "")))


@blp.post("/sign-in")
def mail_code() -> Response:
    """Mail a code to the address in the form, and ask for it."""
    onward = _onward(request.form.get("onward", ""))
    if is_cross_site():
        return refused(visitor())
    secret = _own_secret()
    if secret is None:
        return _asking(onward, None if _is_signed_in() else _NO_COOKIE)
    try:
        email = addresses.normalize(request.form.get("email", "").strip())
    except InvalidText as invalid:
        return _asking(onward, unfit(invalid))

    def mail() -> Response:
        try:
            with transaction() as session:
                if code_limits().may_mail_sign_in(session, email):
                    sign_in.send_code(session, email, visitor().language.code, now(), tokens.browser_hash_of(secret))
        except Refusal as refusal:
            return _asking(onward, refusal)
        return see_other(url_for("sign_in_page.ask_code"))

    response = once(mail)
    if response.status_code == 303:
        link = signing_in_text(settings().secret_keys, email, onward)
        response.headers["Location"] = url_for("sign_in_page.ask_code", link=link, language=kept())
        browser.remember(response, secret, onward)
    return response


@blp.get("/sign-in/code")
def ask_code() -> Response:
    """Ask for the code that was mailed."""
    return _asking_code()


@blp.post("/sign-in/code")
def redeem_code() -> Response:
    """Sign in by the code in the form."""
    if is_cross_site():
        return refused(visitor())
    found = signing_in(settings().secret_keys, request.args.get("link", ""))
    if found is None:
        return not_found(_INCOMPLETE, visitor())
    email, onward = found
    if _own_secret() is None:
        return _asking(onward) if _is_signed_in() else _asking_code(_NO_COOKIE)
    limits = code_limits()

    def redeem(secret: str) -> Response:
        try:
            name = _name()
            with transaction() as session:  # commits even if the code is wrong, so that the try counts
                limits.try_code(session)
                made = sign_in.redeem(
                    session,
                    settings().secret_keys,
                    email=email,
                    code=request.form.get("code", ""),
                    name=name,
                    language=visitor().language.code,
                    label=_label(),
                    lifetime=browser.SESSION_LIFETIME,
                    now=now(),
                    kind=SESSION,
                    secret=secret,
                    contact=settings().contact,
                )
                if made is not None:
                    limits.right_code(session)
                    where = _adopt(session, made)
        except InvalidText as invalid:
            return _asking_code(unfit(invalid), "name")
        except Refusal as refusal:
            return _asking_code(refusal)
        return _asking_code(Forbidden("code_invalid", WRONG_CODE), "code") if made is None else see_other(where)

    return _signed_in(*beginning_session(redeem), onward)


@blp.get("/sign-in/link")
def show_link() -> Response:
    """Ask the browser that asked for a code whether to sign in; opening the link in the mail does nothing more."""
    return _asking_to_confirm()


@blp.post("/sign-in/link")
def confirm_link() -> Response:
    """Sign in by the link in a mail."""
    if is_cross_site():
        return refused(visitor())
    code, secret = signed_code(settings().secret_keys, request.args.get("link", "")), _own_secret()
    if code is None or secret is None:
        return _wrong_link(visitor())

    def confirm(session_secret: str) -> Response:
        try:
            name = _name()
            with transaction() as session:
                made = sign_in.confirm(
                    session,
                    settings().secret_keys,
                    id=code,
                    browser=tokens.browser_hash_of(secret),
                    name=name,
                    label=_label(),
                    lifetime=browser.SESSION_LIFETIME,
                    now=now(),
                    secret=session_secret,
                    contact=settings().contact,
                )
                if made is not None:
                    where = _adopt(session, made)
        except InvalidText as invalid:
            return _asking_to_confirm(unfit(invalid), "name")
        except Refusal as refusal:
            return _asking_to_confirm(refusal)
        return _asking_to_confirm() if made is None else see_other(where)

    return _signed_in(*beginning_session(confirm), _onward(browser.signing_in_onward()))


def _asking(onward: str, wrong: Refusal | None = None) -> Response:
    """Return the page that asks for an address, with the secret of this browser in a cookie."""
    reader, secret = visitor(), browser.signing_in_secret() or tokens.new_token()
    response = page(
        "sign_in.html",
        reader,
        status_of(wrong),
        own=_signed(secret),
        onward=onward,
        typed=request.form,
        as_guest=browser.is_guest(),
        wrong=None if wrong is None else reader.language.say(wrong.phrase),
    )
    browser.remember(response, secret, onward)
    return with_retry(response, wrong)


def _asking_code(wrong: Refusal | None = None, field: str = "") -> Response:
    """Return the page that asks for the code, with what was typed; `field` names the field that is wrong, if one is."""
    reader = visitor()
    found = signing_in(settings().secret_keys, request.args.get("link", ""))
    if found is None:
        return not_found(_INCOMPLETE, reader)
    secret = browser.signing_in_secret()
    response = page(
        "sign_in_code.html",
        reader,
        status_of(wrong),
        own="" if secret is None else _signed(secret),
        email=found[0],
        link=request.args["link"],
        typed=request.form,
        field=field,
        longest=names.MAX_LENGTH,
        wrong=None if wrong is None else reader.language.say(wrong.phrase),
    )
    return with_retry(response, wrong)


def _asking_to_confirm(wrong: Refusal | None = None, field: str = "") -> Response:
    reader, keys = visitor(), settings().secret_keys
    code, secret = signed_code(keys, request.args.get("link", "")), browser.signing_in_secret()
    session = db.session()
    hashed = None if secret is None else tokens.browser_hash_of(secret)
    found = None if code is None or hashed is None else sign_in.waiting_code(session, code, hashed, now())
    if found is None or secret is None:
        return _wrong_link(reader)
    if browser.signed_in() is None:
        reader = Reader(language(found.language))
    response = page(
        "sign_in_link.html",
        reader,
        status_of(wrong),
        own=_signed(secret),
        email=found.email,
        is_new=account_by_email(session, found.email) is None,
        typed=request.form,
        field=field,
        longest=names.MAX_LENGTH,
        link=request.args["link"],
        wrong=None if wrong is None else reader.language.say(wrong.phrase),
    )
    return with_retry(response, wrong)


def _wrong_link(reader: Reader) -> Response:
    if _is_signed_in():
        return _asking(_onward(browser.signing_in_onward()))
    say, onward = reader.language.say, with_language(url_for("sign_in_page.ask_address"))
    return page(
        "missing.html", reader, 404, what=say(_WRONG_LINK), onward=onward, onward_name=say("Ask for a new code")
    )


def _adopt(session: Session, made: SignedIn) -> str:
    """Move the solos of the guest that this browser has been to the account that it signs in to.

    Return where the sign-in leads: to the tables, which say so if some solos were left behind.
    """
    former = browser.signed_in()
    if former is None or not former.is_guest:
        return _HOME
    keys, most = settings().secret_keys, settings().limit_solos_per_account
    left = guests.adopt(session, keys, former.account, made.account.id, now(), most)
    return f"{_HOME}?done={quote(signed_mark(keys, LEFT_SOLOS, now(), made.account.id))}" if left else _HOME


def _signed_in(response: Response, secret: str, onward: str) -> Response:
    """Return the response to a form that signs in: if it has, with its session, and on to where that leads."""
    if response.status_code == 303:
        if response.headers["Location"] == _HOME:
            response.headers["Location"] = onward
        browser.begin(response, secret)
    return response


def _signed(secret: str) -> str:
    """Return the text that the forms of a page have for a browser with this secret: a nonce, and its signature."""
    nonce = tokens.new_nonce()
    return f"{nonce}.{secrets.secret(settings().secret_keys, _FORM, f'{secret} {nonce}')}"


def _is_signed_in() -> bool:
    """Return whether the browser is signed in with an address, perhaps since another of its tabs was."""
    return browser.signed_in() is not None and not browser.is_guest()


def _own_secret() -> str | None:
    """Return the secret of the browser if the form in this request was made for it."""
    secret, (nonce, _, given) = browser.signing_in_secret(), request.form.get("own", "").partition(".")
    own = secret is not None and secrets.is_secret(settings().secret_keys, _FORM, f"{secret} {nonce}", given)
    return secret if own else None


def _onward(address: str) -> str:
    return checked(address) or _HOME


def _name() -> str | None:
    """Return the name in the form, which a new account gets; None if it is empty."""
    given = request.form.get("name", "").strip()
    return names.check(given) if given else None


def _label() -> str:
    """Return a name for the browser in the list of sessions."""
    found = _LABEL.search(request.headers.get("User-Agent", ""))
    return "Browser" if found is None else _BROWSERS.get(found[1], found[1])
