"""What somebody says of themselves: their name and the institutions of their email domain."""

from __future__ import annotations

from typing import Any, cast

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from filing import access
from filing.api.openapi import answered, refused
from filing.api.views.base import AnyJSON
from filing.errors import Forbidden
from filing.models import Identity
from filing.people import users

_EXAMPLE = {"firstName": "Ann", "lastName": "Example", "leis": ["529900EXAMPLELEI0001"]}
_PATH = "/users"


class UserRecord(serializers.Serializer[Any]):
    """A user as they describe themselves. leis: the institutions they act for."""

    firstName = serializers.CharField(max_length=127, allow_blank=True)  # noqa: N815
    lastName = serializers.CharField(max_length=127, allow_blank=True)  # noqa: N815
    leis = serializers.ListField(child=serializers.CharField(max_length=20), max_length=1000)


class OwnRecord(APIView):
    """The record of the bearer of the token."""

    parser_classes = [AnyJSON]

    @extend_schema(
        summary="Save your own user record",
        tags=["Users"],
        request=UserRecord,
        description=(
            "Your name, and the institutions that you act for among those of your verified email "
            "domain: those you leave out you no longer act for. Institutions that staff or the "
            "identity provider gave you stay. It counts at once, for tokens you have, too."
        ),
        examples=[OpenApiExample("A record", value=_EXAMPLE, request_only=True)],
        responses={
            200: answered(UserRecord, _EXAMPLE),
            400: refused(
                400,
                "LEIs not allowed for the user's e-mail domain 'bank.example': "
                "529900EXAMPLELEI0002",
                path=_PATH,
            ),
            401: refused(401, "Authorization Token could not be verified", path=""),
            403: refused(403, "A personal token changes no user record", path=_PATH),
        },
    )
    def put(self, request: Request) -> Response:
        asked = UserRecord(data=request.data)
        asked.is_valid(raise_exception=True)
        said = asked.validated_data
        caller = cast(access.Caller, request.user)
        user = _identity(caller, request).user
        users.confirm_institutions(user, said["leis"], by=caller)
        users.rename(user, first_name=said["firstName"], last_name=said["lastName"], by=caller)
        return Response(UserRecord(said).data)


def _identity(caller: access.Caller, request: Request) -> Identity:
    """Return who the caller is here. An external issuer's users need not have been here before.

    Raises: Forbidden.
    """
    if caller.only_these_leis:
        raise Forbidden("A personal token changes no user record")
    if identity := users.identity_of(caller):
        return identity
    claims = cast("dict[str, Any]", request.auth)
    return users.met(caller, email_verified=claims.get("email_verified") is True)
