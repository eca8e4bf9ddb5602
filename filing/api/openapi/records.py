"""The operations of the institution's record."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter

from filing.api.openapi import LEI, PAGE, operation, refused
from filing.api.openapi.people import MANAGERS
from filing.api.serializers.records import (
    ProposalBody,
    ProposalPage,
    ProposalRequest,
    RecordPage,
)
from filing.api.value_schemas import DATA_YEAR_TEXT
from filing.panel.institution_record import NO_RECORD

_NO_RECORD = refused(NO_RECORD, f"There is no institution {LEI} in 2019")
_NO_PAGE = refused("The page 'x' is not a whole number.")

institution_record = operation(
    "Get the record of the institution",
    {200: RecordPage, 400: _NO_PAGE, 404: _NO_RECORD},
    parameters=(
        OpenApiParameter(
            "year",
            DATA_YEAR_TEXT,
            description="The year of the record; without it the newest.",
        ),
        PAGE,
    ),
    description=(
        "What the panel has for the institution, what its newest signed submission has, which "
        "fields edits compare, and a page of the changes of all years."
    ),
)
list_proposals = operation(
    "List the proposals for the record",
    {200: ProposalPage, 400: _NO_PAGE},
    parameters=(PAGE,),
)
propose_change = operation(
    "Propose a change of the record",
    {
        201: ProposalBody,
        400: refused(
            "Change at least one value: the record has these values.",
            "TIN: '1' is not a TIN; enter it as 99-9999999, or leave it blank.",
            "CASE-7 proposes the same, and waits for staff.",
            "5 proposals of this institution wait for staff. Wait for an answer, or withdraw one.",
        ),
        403: MANAGERS,
        404: _NO_RECORD,
    },
    request=ProposalRequest,
    takes_key=True,
    description=(
        "Staff accept it, accept it with changes, or refuse it; the record stays as it is until "
        "then. It needs the role administrator; preparers propose while there is none."
    ),
)
withdraw_proposal = operation(
    "Withdraw a proposal for the record",
    {
        204: None,
        400: refused("CASE-7 is accepted already."),
        403: MANAGERS,
        404: refused("There is no proposal 1."),
    },
)
