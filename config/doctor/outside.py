"""Live checks of machines of others: the proxy, the mail server and the identity provider."""

from __future__ import annotations

import smtplib
import socket
import ssl
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.core.checks import CheckMessage, Debug, Error, Info
from django.core.checks import Warning as Concern
from django.core.mail import EmailMessage, get_connection

from config.checks import UNSENT_BACKENDS
from config.doctor.services import compare_clocks
from config.health.dependencies import first_line
from config.health.live_checks import DOCTOR, LIVE_CHECKS, OUTSIDE
from config.identity import issuer, keyfiles, keys

_SECONDS = 4
_CERTIFICATE_DAYS = 21
_MOST_KEYS = 20


@LIVE_CHECKS.register("proxy", DOCTOR, OUTSIDE)
def check_proxy(**options: Any) -> Iterator[CheckMessage]:
    """Call the site's own address, through its proxy and its certificate."""
    if not settings.SECURE:
        yield Info("PUBLIC_URL is not https: there is no proxy to look at.")
        return
    address = f"{settings.PUBLIC_URL}/healthz"
    try:
        answer = issuer.send_provider_request("GET", address, seconds=_SECONDS)
    except (httpx.HTTPError, httpx.InvalidURL) as failure:
        text = f"{address} cannot be reached from here: {failure or type(failure).__name__}."
        hint = "Look at DNS, the proxy, its certificate and the firewall."
        yield Error(text, hint, id="proxy.away")
        return
    if answer.status_code != 200:
        hint = "Let the proxy pass /healthz to the web process."
        yield Error(f"{address} answers {answer.status_code}.", hint, id="proxy.status")
        return
    yield Debug(f"{settings.PUBLIC_URL} answers through its proxy.")
    parts = urlsplit(settings.PUBLIC_URL)
    host, context = parts.hostname or "", ssl.create_default_context()
    with (
        socket.create_connection((host, parts.port or 443), timeout=_SECONDS) as plain,
        context.wrap_socket(plain, server_hostname=host) as connection,
    ):
        certificate = connection.getpeercert() or {}
    ends = ssl.cert_time_to_seconds(str(certificate["notAfter"]))
    days = int((ends - time.time()) // 86_400)
    if days < _CERTIFICATE_DAYS:
        text = f"The certificate of {host} ends in {days} days."
        yield Concern(text, "Renew it.", id="proxy.certificate")
    else:
        yield Debug(f"The certificate of {host} is valid for {days} days.")


@LIVE_CHECKS.register("email", DOCTOR, OUTSIDE)
def check_mail_server(*, email_to: str = "", **options: Any) -> Iterator[CheckMessage]:
    """Connect to the mail server; send a test message if an address is given."""
    if settings.EMAIL_BACKEND.split(".")[-2] in UNSENT_BACKENDS:
        yield Info("EMAIL_URL names no mail server: emails are in a log or a folder.")
        return
    where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    connection = get_connection(timeout=_SECONDS)
    try:
        connection.open()
        yield Debug(f"{where} answers and accepts this service.")
        if email_to:
            text = f"`manage.py doctor` at {settings.PUBLIC_URL} sent this message.\n"
            subject = "Test message of your HMDA service"
            EmailMessage(subject, text, to=[email_to], connection=connection).send()
            yield Debug(f"A test message to {email_to} was accepted.")
    except (OSError, smtplib.SMTPException) as failure:
        yield Error(
            f"{where} does not take emails: {first_line(failure)}",
            "Check host, port, user, password and encryption in EMAIL_URL, and the firewall. "
            "Emails wait until then.",
            id="email.away",
        )
    finally:
        connection.close()


@LIVE_CHECKS.register("identity", DOCTOR, OUTSIDE)
def check_identity_provider(**options: Any) -> Iterator[CheckMessage]:
    """Check the identity provider: its addresses, its keys, its clock."""
    if settings.EMBEDDED_PROVIDER:
        if keyfiles.list_keys():
            yield Debug("The embedded provider has its key.")
        else:
            text = "The embedded provider has no key."
            yield Error(text, "Run `manage.py prepare`.", id="identity.no_key")
        return
    address = issuer.discovery_address(settings.OIDC_ISSUER)
    try:
        began = time.time()
        answer = issuer.send_provider_request("GET", address, seconds=_SECONDS).raise_for_status()
        here = (began + time.time()) / 2
        document = issuer.read_json_object(answer)
        issuer.IssuerAddresses.described(document)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as failure:
        reason = failure or type(failure).__name__
        yield Error(
            f"The discovery document {address} cannot be used: {reason}.",
            "Check OIDC_ISSUER, letter by letter, and that the provider is up. No one can sign in "
            "until then.",
            id="identity.document",
        )
        return
    yield Debug(f"{settings.OIDC_ISSUER} describes its addresses.")
    yield _check_keys(str(settings.OIDC_JWKS_URL or document.get("jwks_uri") or ""))
    if date := answer.headers.get("Date"):
        there = parsedate_to_datetime(date).timestamp() + 0.5
        yield compare_clocks(there - here, "the identity provider")


def _check_keys(address: str) -> CheckMessage:
    try:
        answer = issuer.send_provider_request("GET", address, seconds=_SECONDS).raise_for_status()
        number = len(keys.read_key_set(issuer.read_json_object(answer)))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as failure:
        return Error(
            f"The keys at {address or 'no address'} cannot be used: {failure}.",
            "Check OIDC_JWKS_URL and the provider. Tokens are refused a day after the last "
            "successful fetch.",
            id="identity.keys",
        )
    if number <= _MOST_KEYS:
        return Debug(f"Keys to verify tokens: {number}.")
    text = f"The provider publishes {number} keys."
    return Concern(text, "Let it remove old ones.", id="identity.many_keys")
