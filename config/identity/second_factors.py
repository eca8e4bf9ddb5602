"""How a second factor is set up and proved at sign-in: codes of an app, passkeys, recovery codes.

Between the right password and the second factor no one is signed in: a new session has the user
whom it waits for, and nothing else. It is replaced at the sign-in.

Source: RFC 6238 (codes); Web Authentication Level 2 (passkeys); NIST SP 800-63B (2017), section
5.1.4.2: a code counts once.
"""

from __future__ import annotations

import json
import logging
import secrets
import time
from base64 import b32encode, b64decode, b64encode
from urllib.parse import urlsplit

import segno
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.constant_time import bytes_eq
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.conf import settings
from django.contrib import auth
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from fido2.server import Fido2Server
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from config.identity.forms import PASSWORD_BACKEND
from filing.models import SecondFactor
from filing.people import second_factors, sign_ins
from filing.people.second_factors import find_factors, is_factor_required
from filing.storable_text import decode_json
from filing.stored_secrets import UnreadableSecret, decrypt_secret, encrypt_secret

log = logging.getLogger(__name__)

ISSUER = "HMDA filing"  # as apps and browsers show it
PERIOD = 30  # seconds that a code is shown
DIGITS = 6
KEY_BYTES = 20
PENDING_SECONDS = 15 * 60
_PENDING = "pending_sign_in"  # in the session, with the next two
_APP_KEY = "app_key"
_CEREMONY = "passkey_ceremony"


def needs_second_step(user: User) -> bool:
    """Tell whether the right password alone does not sign a user in."""
    return is_factor_required(user) or find_factors(user).exists()


def begin_pending_sign_in(request: HttpRequest, user: User) -> None:
    """Begin a session that waits for the second factor of a user whose password was right."""
    request.session.flush()
    request.session[_PENDING] = {
        "user": user.pk,
        "hash": user.get_session_auth_hash(),
        "at": time.time(),
    }
    request.session.set_expiry(PENDING_SECONDS)
    sign_ins.begin_sign_in(request.session, user)


def find_pending_user(session: SessionBase) -> User | None:
    """Return the user for whose second factor a session waits; none after 15 minutes."""
    pending = session.get(_PENDING)
    if pending is None or time.time() - pending["at"] > PENDING_SECONDS:
        return None
    users = User.objects.select_related("account").filter(pk=pending["user"], is_active=True)
    user = users.first()
    if user is None or not constant_time_compare(pending["hash"], user.get_session_auth_hash()):
        return None
    return user if sign_ins.is_sign_in_current(session, user) else None


def finish_sign_in(request: HttpRequest, user: User, *, with_factor: bool) -> None:
    """Sign a user in who has proved all that is needed."""
    for name in (_PENDING, _APP_KEY, _CEREMONY):
        request.session.pop(name, None)
    auth.login(request, user, backend=PASSWORD_BACKEND)
    sign_ins.record_authentication(request.session)
    request.session[second_factors.PROVED_KEY] = with_factor


def continue_sign_in(session: SessionBase, user: User) -> None:
    """Let a session go on whose user has changed their second factors, which ended all others."""
    sign_ins.begin_sign_in(session, user)
    session[second_factors.PROVED_KEY] = find_factors(user).exists()
    session.pop(sign_ins.BEARER_KEY, None)


def offer_app_key(session: SessionBase) -> str:
    """Return the key of an app that is being set up, the same until it is confirmed."""
    if _APP_KEY not in session:
        session[_APP_KEY] = encrypt_secret(secrets.token_hex(KEY_BYTES))
    return decrypt_secret(session[_APP_KEY])


def app_address(key: str, user: User) -> str:
    """Return what the QR code says to an app."""
    return _totp(key).get_provisioning_uri(user.username, f"{ISSUER} ({_host()})")


def draw_qr_code(text: str) -> str:
    """Return a QR code as the address of an image."""
    return segno.make(text, error="m").svg_data_uri(scale=5, border=4, light="white")


def written_key(key: str) -> str:
    """Return a key as people type it."""
    text = b32encode(bytes.fromhex(key)).decode()
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def confirm_app(session: SessionBase, user: User, code: str) -> list[str] | None:
    """Add the offered app, if its code is right; return the recovery codes that come with it."""
    key = offer_app_key(session)
    period = _matching_period(key, code)
    if period is None:
        return None
    codes = second_factors.add_factor(user, "app", secret=encrypt_secret(key), counter=period)
    session.pop(_APP_KEY, None)
    return codes


def is_code_right(user: User, typed: str) -> bool:
    """Tell whether a code of the user's app or a recovery code is right, and use it up."""
    code = "".join(typed.split())
    app = find_factors(user).filter(kind="app").first()
    if app and len(code) == DIGITS:
        try:
            period = _matching_period(decrypt_secret(app.secret), code)
        except UnreadableSecret:
            log.warning("The key of an authenticator app cannot be read: SECRET_KEY has changed.")
            return False
        return period is not None and second_factors.record_use(app, period)
    return second_factors.use_recovery_code(user, typed)


def _matching_period(key: str, code: str) -> int | None:
    """Return the period that a code belongs to: the current one or a neighbor."""
    now = int(time.time()) // PERIOD
    for period in (now, now - 1, now + 1):
        if bytes_eq(_totp(key).generate(period * PERIOD), code.encode()):
            return period
    return None


def _totp(key: str) -> TOTP:
    return TOTP(bytes.fromhex(key), DIGITS, SHA1(), PERIOD)  # noqa: S303 -- as all apps have it


def offer_passkey(session: SessionBase, user: User) -> str:
    """Return, as JSON, what the browser needs to create a passkey."""
    entity = PublicKeyCredentialUserEntity(
        id=str(user.pk).encode(), name=user.username, display_name=user.get_full_name()
    )
    options, session[_CEREMONY] = _server().register_begin(
        entity,
        [credential for _, credential in _passkeys(user)],
        resident_key_requirement=ResidentKeyRequirement.PREFERRED,
        user_verification=UserVerificationRequirement.PREFERRED,
    )
    return json.dumps(dict(options.public_key))


def confirm_passkey(
    session: SessionBase, user: User, answer: str, *, name: str
) -> list[str] | None:
    """Add the passkey that the browser created; return the recovery codes that come with it."""
    try:
        data = _server().register_complete(session.pop(_CEREMONY, None), decode_json(answer))
    except _MALFORMED as error:
        log.info("A passkey was not accepted: %s", error)
        return None
    assert data.credential_data is not None
    secret = b64encode(bytes(data.credential_data)).decode()
    return second_factors.add_factor(
        user, "passkey", name=name, secret=secret, counter=data.counter
    )


def ask_for_passkey(session: SessionBase, user: User) -> str:
    """Return, as JSON, what the browser needs to use a passkey; blank if the user has none."""
    if not (passkeys := _passkeys(user)):
        return ""
    options, session[_CEREMONY] = _server().authenticate_begin(
        [credential for _, credential in passkeys],
        user_verification=UserVerificationRequirement.PREFERRED,
    )
    return json.dumps(dict(options.public_key))


def is_passkey_right(session: SessionBase, user: User, answer: str) -> bool:
    """Tell whether the browser used a passkey of the user for this sign-in."""
    passkeys = _passkeys(user)
    try:
        response = AuthenticationResponse.from_dict(decode_json(answer))
        used = _server().authenticate_complete(
            session.pop(_CEREMONY, None), [credential for _, credential in passkeys], response
        )
    except _MALFORMED as error:
        log.info("A passkey was not accepted: %s", error)
        return False
    factor = next(factor for factor, credential in passkeys if credential == used)
    # A count that was reached before is that of a copy.
    return second_factors.record_use(factor, response.response.authenticator_data.counter)


# What the library raises for what a browser of ours would not send.
_MALFORMED = (ValueError, TypeError, KeyError, AttributeError, UnsupportedAlgorithm)


def _passkeys(user: User) -> list[tuple[SecondFactor, AttestedCredentialData]]:
    return [
        (factor, AttestedCredentialData(b64decode(factor.secret)))
        for factor in find_factors(user).filter(kind="passkey")
    ]


def _server() -> Fido2Server:
    """Return what verifies passkeys of this site, at the address that it has in public."""
    site = PublicKeyCredentialRpEntity(name=ISSUER, id=_host())
    parts = urlsplit(settings.PUBLIC_URL)
    return Fido2Server(
        site, verify_origin=lambda origin: origin == f"{parts.scheme}://{parts.netloc}"
    )


def _host() -> str:
    return urlsplit(settings.PUBLIC_URL).hostname or ""
