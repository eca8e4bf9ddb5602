"""The people of an institution, invitations and requests."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from filing.api.serializers.filings import Links, Milliseconds, Text
from filing.api.value_schemas import STORABLE, text_schema
from filing.models import Invitation, Membership
from filing.people.invitations import LONGEST_REASON, ROLE_NAMES, Roles, roles_of
from filing.people.rosters import ListedOrganization, ListedPerson

GRANT, REFUSE = "grant", "refuse"
_ROLES_HELP = "`administrator`, `preparer`, `signer`; none for a person who only reads."
_UNTIL_HELP = "The last day, or null. Administrators have none."
_REASON = text_schema(rf"{STORABLE}", maxLength=LONGEST_REASON)


class RoleNames(serializers.ListField):
    """The names of roles that a body sends."""

    def __init__(self, **options: Any) -> None:
        child = serializers.ChoiceField(choices=ROLE_NAMES)
        options = {"max_length": len(ROLE_NAMES), "help_text": _ROLES_HELP, **options}
        super().__init__(child=child, **options)


class PersonBody(serializers.Serializer[ListedPerson]):
    """A person who acts for the institution."""

    id = serializers.IntegerField(source="membership.pk")
    name = serializers.CharField(source="user.get_full_name")
    email = serializers.CharField(source="user.email")
    roles = serializers.SerializerMethodField(help_text=_ROLES_HELP)
    source: Any = serializers.CharField(  # a name that the base class has, too
        source="membership.source",
        help_text="`invite`: by an administrator; `domain`: by the email domain; `token`: by the "
        "identity provider; `hand`: by staff.",
    )
    addedAt = Milliseconds(source="membership.added_at")
    addedBy = serializers.CharField(source="added_by", help_text="Empty if unknown.")
    lastSignInAt = Milliseconds(source="signed_in_at")
    until = serializers.DateField(source="membership.until", allow_null=True, help_text=_UNTIL_HELP)
    confirmedAt = Milliseconds(source="membership.confirmed_at")
    limits = serializers.CharField(
        help_text="Why the person can only read, or do nothing; empty if that is not so."
    )

    def get_roles(self, person: ListedPerson) -> list[str]:
        return person.roles.names


class ActingOrganization(serializers.Serializer[ListedOrganization]):
    """An organization that acts for the institution, and its people."""

    name = serializers.CharField()
    code = serializers.CharField(source="delegation.organization.code")
    maySign = serializers.BooleanField(source="delegation.may_sign")
    periods = serializers.ListField(
        source="delegation.periods", child=serializers.CharField(), help_text="Empty for all."
    )
    until = serializers.DateField(source="delegation.until", allow_null=True)
    people = serializers.SerializerMethodField(help_text="Email addresses, at most 50.")

    def get_people(self, each: ListedOrganization) -> list[str]:
        return [member.user.email for member in each.members]


class PeopleBody(serializers.Serializer[Any]):
    """The people of an institution."""

    people = PersonBody(many=True)
    organizations = ActingOrganization(many=True)
    hasAdministrator = serializers.BooleanField(source="has_administrator")
    joinsByDomain = serializers.BooleanField(
        source="settings.joins_by_domain",
        help_text="Whether people with an email domain of the institution join without an "
        "administrator's decision, although there is one.",
    )
    confirmedAt = Milliseconds(source="settings.confirmed_at")
    isConfirmationDue = serializers.SerializerMethodField(
        help_text="Whether an administrator has to confirm the list for the season."
    )

    def get_isConfirmationDue(self, listing: Any) -> bool:  # noqa: N802
        return listing.look is not None


class PeoplePageBody(PeopleBody):
    """A page of the people of an institution, with what belongs to the whole list."""

    count = serializers.IntegerField(read_only=True)
    total = serializers.IntegerField(read_only=True)
    _links = Links()


class InvitationBody(serializers.Serializer[Invitation]):
    """An open invitation."""

    id = serializers.IntegerField(source="pk")
    email = serializers.CharField()
    roles = serializers.SerializerMethodField(help_text=_ROLES_HELP)
    until = serializers.DateField(allow_null=True, help_text=_UNTIL_HELP)
    sentAt = Milliseconds(source="invited_at")
    expiresAt = Milliseconds(source="expires_at")

    def get_roles(self, invitation: Invitation) -> list[str]:
        return roles_of(invitation).names


class InvitationList(serializers.Serializer[Any]):
    """The open invitations of an institution, the newest first."""

    invitations = InvitationBody(many=True)


class AccessRequestBody(serializers.Serializer[Any]):
    """A person who asks to act for the institution."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField(source="user.get_full_name")
    email = serializers.CharField(source="user.email")
    askedAt = Milliseconds(source="asked_at")


class AccessRequestList(serializers.Serializer[Any]):
    """The requests that wait for an administrator, the oldest first."""

    requests = AccessRequestBody(many=True)


@extend_schema_field(_REASON)
class ReasonText(Text):
    """Why something is done; whoever is concerned gets it by email."""


class _RolesRequest(serializers.Serializer[Any]):
    roles = RoleNames()
    until = serializers.DateField(
        required=False, allow_null=True, default=None, help_text=_UNTIL_HELP
    )


class InvitationRequest(_RolesRequest):
    """Whom to invite, and with which roles."""

    email = serializers.EmailField(max_length=254)


class PersonRequest(serializers.Serializer[Any]):
    """What changes about a person. What is left out stays."""

    roles = RoleNames(required=False)
    until = serializers.DateField(required=False, allow_null=True, help_text=_UNTIL_HELP)
    reason = ReasonText()

    def read_roles(self, membership: Membership) -> Roles:
        """Return the roles after the change."""
        before = roles_of(membership)
        values = self.validated_data
        return Roles.from_names(
            values.get("roles", before.names), values.get("until", before.until)
        )


class AccessAnswerRequest(_RolesRequest):
    """The answer to a request: `grant` with roles, or `refuse` with a reason."""

    answer = serializers.ChoiceField(choices=(GRANT, REFUSE))
    roles = RoleNames(required=False, default=list)
    reason = ReasonText(required=False, default="")


class ConfirmationRequest(serializers.Serializer[Any]):
    """The people who left; all others are confirmed."""

    left = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=(1 << 63) - 1),
        max_length=1000,
        required=False,
        default=list,
        help_text="`id` of each, in the list. Their access ends.",
    )
