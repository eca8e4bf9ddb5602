"""Bearer tokens of API requests: the caller, for the API framework and for middleware."""

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
from filing.models import AuditEvent
from filing.people import personal_tokens, users

log = logging.getLogger(__name__)

RESULT = "_bearer_verification"  # the attribute with the result for a request
NOT_VERIFIED = object()


class ProviderUnavailable(exceptions.APIException):
    """No token can be verified: the identity provider has not answered yet."""

    status_code = 503
    default_detail = "The identity provider does not answer. Try again in a moment."
    wait = 5  # seconds, in the header Retry-After


class BearerAuthentication(BaseAuthentication):
    """Sets `request.user` to the `Caller` of the bearer token, and `request.auth` to its claims."""

    def authenticate(self, request: Request) -> tuple[Caller, Mapping[str, Any]] | None:
        """Return the caller and the claims of the token, None where none was sent.

        Raises: AuthenticationFailed for a token that proves no caller, ProviderUnavailable.
        """
        try:
            result = verification(request._request)
            # Not in `verification`, which must work without the database.
            if result and not users.is_let_in(result[0]):
                raise exceptions.AuthenticationFailed from TokenError(
                    "its account is disabled, or it was ended with other sign-ins"
                )
            return result
        except exceptions.AuthenticationFailed as refusal:
            # Not in `verification`: requests over the rate limit must not write to the audit log.
            reason = str(refusal.__cause__)
            log.info("A bearer token was refused: %s", reason)
            refusals.note(AuditEvent.TOKEN_REFUSED, reason=reason)
            raise

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge that goes with a 401."""
        return "Bearer" if _token(request) is None else 'Bearer error="invalid_token"'


def verification(request: HttpRequest) -> tuple[Caller, Mapping[str, Any]] | None:
    """Return the caller and the claims of the token, None where none was sent.

    A token is verified once per request: the result, or the refusal, is stored with the request.

    Raises: AuthenticationFailed for a token that proves no caller, ProviderUnavailable.
    """
    result: Any = getattr(request, RESULT, NOT_VERIFIED)
    if result is NOT_VERIFIED:
        try:
            result = _verify(request)
        except exceptions.APIException as refusal:
            result = refusal
        setattr(request, RESULT, result)
    if isinstance(result, exceptions.APIException):
        raise result
    return result


def _verify(request: HttpRequest) -> tuple[Caller, Mapping[str, Any]] | None:
    token = _token(request)
    if token is None:
        return None
    try:
        if token.startswith(personal_tokens.PREFIX):
            return _caller_of_personal_token(token), {}
        claims = verifier.verified(token)
        return callers.caller_of(claims), claims
    except TokenError as reason:
        raise exceptions.AuthenticationFailed from reason
    except keys.NoKeysError as error:
        raise ProviderUnavailable from error


def _caller_of_personal_token(token: str) -> Caller:
    caller = personal_tokens.bearer(token)
    if caller is None:
        raise TokenError("it is not a valid personal token")
    return caller


def _token(request: Request | HttpRequest) -> str | None:
    """Return the bearer token of the request, valid or not; None where there is none."""
    scheme, _, credentials = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return credentials.strip() if scheme.lower() == "bearer" else None
