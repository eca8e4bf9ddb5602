"""The endpoint of the caller's own user record: name, and institutions of their email domain."""

from __future__ import annotations

from typing import Any, cast

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from filing import access
from filing.api.openapi import UNAUTHORIZED, refused
from filing.api.value_schemas import LEI_TEXT
from filing.api.views.base import AnyJSON
from filing.errors import Forbidden
from filing.models import Identity
from filing.people import users


@extend_schema_field(LEI_TEXT)
class Lei(serializers.CharField):
    """An LEI; one that the user may not act for is refused by name."""


class UserRecord(serializers.Serializer[Any]):
    """The name of a user, and the LEIs of the institutions that the user acts for."""

    firstName = serializers.CharField(max_length=127, allow_blank=True)
    lastName = serializers.CharField(max_length=127, allow_blank=True)
    leis = serializers.ListField(child=Lei(max_length=20), max_length=1000)


class OwnRecord(APIView):
    """The user record of the owner of the token."""

    parser_classes = [AnyJSON]

    @extend_schema(
        summary="Save your own user record",
        tags=["Users"],
        request=UserRecord,
        description=(
            "Saves your name, and the institutions with your verified email domain that you act "
            "for. You no longer act for those that you leave out. Institutions added by staff or "
            "the identity provider do not change. This takes effect at once, also for your tokens. "
            "Where an administrator of the institution decides who joins, your request waits for "
            "that decision, and the answer leaves the institution out."
        ),
        responses={
            200: UserRecord,
            400: refused(
                "LEIs not allowed for the user's e-mail domain 'bank.example': 529900EXAMPLELEI0002"
            ),
            401: UNAUTHORIZED,
            403: refused("A personal token changes no user record"),
        },
    )
    def put(self, request: Request) -> Response:
        serializer = UserRecord(data=request.data)
        serializer.is_valid(raise_exception=True)
        record = serializer.validated_data
        caller = cast(access.Caller, request.user)
        user = _identity(caller, request).user
        waiting = users.confirm_institutions(user, record["leis"], by=caller)
        users.rename_user(
            user, first_name=record["firstName"], last_name=record["lastName"], by=caller
        )
        granted = [lei for lei in record["leis"] if lei not in waiting]
        return Response(UserRecord({**record, "leis": granted}).data)


def _identity(caller: access.Caller, request: Request) -> Identity:
    """Return the identity of the caller; created at the first call for users of other issuers.

    Raises: Forbidden.
    """
    if caller.only_these_leis:
        raise Forbidden("A personal token changes no user record")
    if identity := users.find_identity(caller):
        return identity
    claims = cast("dict[str, Any]", request.auth)
    return users.create_token_user(caller, email_verified=claims.get("email_verified") is True)
