"""Bearer tokens of API requests: who calls, for the API framework and for whoever asks earlier."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from config.identity import callers, keys, verifier
from config.identity.verifier import TokenError
from filing.access import Caller
from filing.audit import refusals
from filing.models import Happening
from filing.people import personal_tokens, users

log = logging.getLogger(__name__)

KEPT, UNASKED = "_proven_bearer", object()  # where a request keeps its caller; that it has none yet


class ProviderUnavailable(exceptions.APIException):
    """No token can be verified now: the identity provider has never answered."""

    status_code = 503
    default_detail = "The identity provider does not answer. Try again in a moment."
    wait = 5  # seconds, in the header Retry-After


class BearerAuthentication(BaseAuthentication):
    """Makes `request.user` the `Caller` of the bearer token, and `request.auth` its claims."""

    def authenticate(self, request: Request) -> tuple[Caller, Mapping[str, Any]] | None:
        """Return the caller and the claims of the token, or nothing where none was sent.

        Raises: AuthenticationFailed for a token that does not prove who calls, ProviderUnavailable.
        """
        try:
            found = proven(request._request)
            # Here, too: whoever only looks at the token must not need the database.
            if found and not users.is_let_in(found[0]):
                raise exceptions.AuthenticationFailed from TokenError("its account is disabled")
            return found
        except exceptions.AuthenticationFailed as refusal:
            # Here and not where the token is read: a flood that the limits refuse writes nothing.
            reason = str(refusal.__cause__)
            log.info("A bearer token was refused: %s", reason)
            refusals.note(Happening.TOKEN_REFUSED, reason=reason)
            raise

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge that goes with a 401."""
        return "Bearer" if _sent(request) is None else 'Bearer error="invalid_token"'


def proven(request: HttpRequest) -> tuple[Caller, Mapping[str, Any]] | None:
    """Return the caller and the claims of the token, or nothing where none was sent.

    A token is verified once for each request, however often one asks: the answer, also a refusal,
    is kept with the request.

    Raises: AuthenticationFailed for a token that does not prove who calls, ProviderUnavailable.
    """
    kept: Any = getattr(request, KEPT, UNASKED)
    if kept is UNASKED:
        try:
            kept = _proven(request)
        except exceptions.APIException as refusal:
            kept = refusal
        setattr(request, KEPT, kept)
    if isinstance(kept, exceptions.APIException):
        raise kept
    return kept


def _proven(request: HttpRequest) -> tuple[Caller, Mapping[str, Any]] | None:
    sent = _sent(request)
    if sent is None:
        return None
    try:
        if sent.startswith(personal_tokens.PREFIX):
            return _bearer_of_personal_token(sent), {}
        claims = verifier.verified(sent)
        return callers.caller_of(claims), claims
    except TokenError as reason:
        raise exceptions.AuthenticationFailed from reason
    except keys.NoKeysError as error:
        raise ProviderUnavailable from error


def _bearer_of_personal_token(text: str) -> Caller:
    caller = personal_tokens.bearer(text)
    if caller is None:
        raise TokenError("it is no personal token in use")
    return caller


def _sent(request: Request | HttpRequest) -> str | None:
    """Return what was sent as a bearer token, fit or not; nothing for another scheme or none."""
    scheme, _, credentials = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return credentials.strip() if scheme.lower() == "bearer" else None
