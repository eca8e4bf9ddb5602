"""Machines of others: the mail server and the identity provider."""

from __future__ import annotations

import smtplib
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

import httpx
from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from config.checks import UNSENT_BACKENDS
from config.doctor.findings import Finding, Options, error, fine, left_out, warning
from config.doctor.parts.database import difference_of_clocks
from config.health import dependencies
from config.identity import issuer, keyfiles, keys, provider_calls

_SECONDS = 4


def email(options: Options) -> Iterator[Finding]:
    """Connect to the mail server; send a test message if an address is given."""
    backend = settings.EMAIL_BACKEND.split(".")[-2]
    if backend in UNSENT_BACKENDS:
        yield left_out("EMAIL_URL names no mail server: emails are in a log or a folder.")
        return
    where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    connection = get_connection(timeout=_SECONDS)
    try:
        connection.open()
        yield fine(f"{where} answers and accepts this service.")
        if options.email_to:
            message = EmailMessage(
                "Test message of your HMDA service",
                f"`manage.py doctor` at {settings.PUBLIC_URL} sent this message.\n",
                to=[options.email_to],
                connection=connection,
            )
            message.send()
            yield fine(f"A test message to {options.email_to} was accepted.")
    except (OSError, smtplib.SMTPException) as failure:
        yield error(
            f"{where} does not take emails: {dependencies.first_line(failure)}",
            "Check host, port, user, password and encryption in EMAIL_URL, and the firewall. "
            "Emails wait until then.",
        )
    finally:
        connection.close()


def identity(options: Options) -> Iterator[Finding]:
    """Look at the identity provider: its addresses, its keys, its clock."""
    if settings.EMBEDDED_PROVIDER:
        if keyfiles.every():
            yield fine("The embedded provider has its key.")
        else:
            yield error("The embedded provider has no key.", "Run `manage.py prepare`.")
        return
    address = provider_calls.discovery(settings.OIDC_ISSUER)
    try:
        began = time.time()
        answer = provider_calls.call("GET", address, seconds=_SECONDS).raise_for_status()
        here = (began + time.time()) / 2
        document = provider_calls.json_object(answer)
        issuer.Provider.described(document)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as failure:
        yield error(
            f"The discovery document {address} cannot be used: "
            f"{failure or type(failure).__name__}.",
            "Check OIDC_ISSUER, letter by letter, and that the provider is up. No one can sign in "
            "until then.",
        )
        return
    yield fine(f"{settings.OIDC_ISSUER} describes its addresses.")
    yield from _keys(str(settings.OIDC_JWKS_URL or document.get("jwks_uri") or ""))
    if date := answer.headers.get("Date"):
        yield from difference_of_clocks(
            parsedate_to_datetime(date).timestamp() + 0.5 - here, "the identity provider"
        )


def _keys(address: str) -> Iterator[Finding]:
    try:
        answer = provider_calls.call("GET", address, seconds=_SECONDS).raise_for_status()
        found = keys.published(provider_calls.json_object(answer))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as failure:
        yield error(
            f"The keys at {address or 'no address'} cannot be used: {failure}.",
            "Check OIDC_JWKS_URL and the provider. Tokens are refused a day after the last "
            "successful fetch.",
        )
        return
    if len(found) > 20:
        yield warning(f"The provider publishes {len(found)} keys.", "Let it remove old ones.")
    else:
        yield fine(f"Keys to verify tokens: {len(found)}.")
