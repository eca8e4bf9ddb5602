"""The operations on the people of an institution."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse

from filing.api.openapi import PAGE, operation, refused
from filing.api.serializers.filings import ErrorBody
from filing.api.serializers.people import (
    AccessAnswerRequest,
    AccessRequestList,
    ConfirmationRequest,
    InvitationBody,
    InvitationList,
    InvitationRequest,
    PeoplePageBody,
    PersonBody,
    PersonRequest,
)
from filing.people.administrators import LAST_ADMINISTRATOR
from filing.people.invitations import LONGEST_REASON

MANAGERS = refused(
    "The token does not carry this LEI",
    "Only administrators of the institution may do this.",
)
NO_REASON = "Enter a reason. It is recorded with the change."
_NO_PERSON = refused("This person is not on the institution's list any more.")
_CHANGED_MEANWHILE = (
    "Someone has changed this meanwhile. It is now: preparer. Look at it again, then change it."
)
CHANGED_MEANWHILE = OpenApiResponse(
    ErrorBody,
    description=_CHANGED_MEANWHILE,
    # Not recorded: two programs would have to change the same at the same moment.
    examples=[
        OpenApiExample(
            "ChangedMeanwhile",
            value={
                "httpStatus": 409,
                "message": _CHANGED_MEANWHILE,
                "path": "/institutions/529900EXAMPLELEI0001/people/1",
                "requestId": "7F3K-9QXM-2BTD",
            },
        )
    ],
)
REASON = OpenApiParameter(
    "reason",
    {"type": "string", "minLength": 1, "maxLength": LONGEST_REASON},
    required=True,
    description="Why; it is recorded in the audit log, and the person gets it by email.",
)

list_people = operation(
    "List the people",
    {200: PeoplePageBody, 400: refused("The page 'x' is not a whole number.")},
    parameters=(PAGE,),
)
change_person = operation(
    "Change the roles of a person",
    {
        200: PersonBody,
        400: refused(
            NO_REASON,
            LAST_ADMINISTRATOR,
            "Nothing was changed: choose other roles, or another last day.",
            "An administrator has no last day. Leave the day blank.",
        ),
        403: MANAGERS,
        404: _NO_PERSON,
        409: CHANGED_MEANWHILE,
    },
    request=PersonRequest,
    description=(
        "The person and the administrators get an email. No one gives themselves a role, and the "
        "last administrator stays administrator."
    ),
)
end_person = operation(
    "End the access of a person",
    {204: None, 400: refused(NO_REASON, LAST_ADMINISTRATOR), 403: MANAGERS, 404: _NO_PERSON},
    parameters=(REASON,),
    description=(
        "The person is signed out everywhere and gets an email. Only a new invitation gives access "
        "again."
    ),
)
list_invitations = operation("List the open invitations", {200: InvitationList})
invite_person = operation(
    "Invite a person",
    {
        201: InvitationBody,
        400: refused(
            "ann@bank.example is on the list already. Change the roles there.",
            "The last day, 2024-01-31, is past. Enter a later one.",
            "100 invitations are open. Withdraw some that are not needed.",
        ),
        403: MANAGERS,
    },
    request=InvitationRequest,
    takes_key=True,
    description=(
        "The person gets an email with a link that works for 14 days, once. An open invitation of "
        "the same address is replaced."
    ),
)
withdraw_invitation = operation(
    "Withdraw an invitation",
    {
        204: None,
        400: refused(NO_REASON),
        403: MANAGERS,
        404: refused("There is no such invitation that is open."),
    },
    parameters=(REASON,),
)
list_requests = operation("List the requests for access", {200: AccessRequestList, 403: MANAGERS})
answer_request = operation(
    "Answer a request for access",
    {
        204: None,
        400: refused(NO_REASON, "This request was answered already: granted."),
        403: MANAGERS,
        404: refused("There is no such request."),
    },
    request=AccessAnswerRequest,
    takes_key=True,
    description="The person gets an email.",
)
confirm_people = operation(
    "Confirm the list of people",
    {
        200: PeoplePageBody,
        400: refused(LAST_ADMINISTRATOR),
        403: MANAGERS,
        404: _NO_PERSON,
    },
    request=ConfirmationRequest,
    takes_key=True,
    description=(
        "An administrator does so once a year, from 90 days before the filing season opens. Until "
        "then, people who are not confirmed can read, but not prepare or sign, once it has opened."
    ),
)
