"""The operations on what an institution lets organizations do."""

from __future__ import annotations

from filing.api.openapi import operation, refused
from filing.api.openapi.people import CHANGED_MEANWHILE, MANAGERS, NO_REASON, REASON
from filing.api.serializers.delegations import (
    DelegationBody,
    DelegationChange,
    DelegationList,
    DelegationRequest,
)

_TERMS = (
    "The last day, 2024-01-31, is past. Enter a later one.",
    "There is no filing period 1999.",
)
_MISSING = refused("There is no such delegation.")

list_delegations = operation(
    "List the organizations that act for an institution",
    {200: DelegationList},
    description="Those that ended are listed last, with the reason.",
)
agree_delegation = operation(
    "Let an organization act for an institution",
    {
        201: DelegationBody,
        400: refused("Prairie Data may act for this institution already. Change it.", *_TERMS),
        403: MANAGERS,
        404: refused("There is no organization with the code ORG-7K2M9Q."),
    },
    request=DelegationRequest,
    takes_key=True,
    description=(
        "The people of the organization can act at once. The administrators of both get an email."
    ),
)
change_delegation = operation(
    "Change what an organization may do",
    {
        200: DelegationBody,
        400: refused(NO_REASON, *_TERMS),
        403: MANAGERS,
        404: _MISSING,
        409: CHANGED_MEANWHILE,
    },
    request=DelegationChange,
)
end_delegation = operation(
    "End what an organization may do",
    {204: None, 400: refused(NO_REASON), 403: MANAGERS, 404: _MISSING},
    parameters=(REASON,),
    description="It takes effect at once. The administrators of both get an email.",
)
