"""The OpenAPI descriptions of institutions: one decorator per operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from filing.api.openapi import refused
from filing.api.openapi.operations import UNAUTHORIZED
from publicapi import institution_serializers as shapes

TAG = "Institutions"
_LEI = "529900EXAMPLELEI0001"
_ACCEPTED = "give one or more of respondentName, lei, city, state, domain."
_STAFF = " TIN and notes are blank unless the bearer token belongs to staff."
_PARAMETERS = [
    OpenApiParameter(
        "respondentName", str, description="Part of the name, in upper or lower case."
    ),
    OpenApiParameter("lei", str, description="The complete LEI."),
    OpenApiParameter("city", str, description="Part of the city's name, in upper or lower case."),
    OpenApiParameter("state", str, description="The two-letter state code, such as `IL`."),
    OpenApiParameter("domain", str, description="An email domain, such as `bank.example`."),
    OpenApiParameter(
        "taxId", str, description="The complete TIN, such as `99-9999999`. For staff only."
    ),
    OpenApiParameter(
        "page", int, description="Page number, 100 institutions per page; 1 if left out."
    ),
]


def _operation(
    summary: str, responses: dict[int, Any], *, description: str, parameters: Any = ()
) -> Any:
    return extend_schema(
        summary=summary,
        tags=[TAG],
        parameters=list(parameters),
        responses=responses,
        description=description,
    )


def _search(summary: str, about: str, nothing: str) -> Any:
    return _operation(
        summary,
        {
            200: OpenApiResponse(
                shapes.PublicInstitutions,
                description=(
                    "Sorted by name. If there are several pages, the header `Link` has the "
                    "addresses of the first, previous, next and last page."
                ),
            ),
            400: refused(
                f"The search has no criteria; {_ACCEPTED}",
                f"The parameter 'name' is unknown; {_ACCEPTED}",
                "state has 300 characters; give at most 200.",
                "The page 'x' is not a whole number.",
            ),
            401: UNAUTHORIZED,
            403: refused(f"Only staff may search by taxId; {_ACCEPTED}"),
            404: refused(nothing, "There is no page 9: the last one is 3."),
        },
        parameters=_PARAMETERS,
        description=(
            f"{about} Enter one or more criteria; an institution must meet all of them. The domain "
            "of a public email service matches no institution." + _STAFF
        ),
    )


institutions = _search(
    "Find institutions",
    "Institutions in the panel, each with the data of its newest year.",
    "There is no institution with domain gmail.com",
)
institutions_of_year = _search(
    "Find institutions of a year",
    "Institutions with their data in the panel of the year.",
    "There is no institution with respondentName Example and state IL in 2024",
)
_NO_INSTITUTION = f"There is no institution {_LEI} in 2024"
institution = _operation(
    "Get an institution of a year",
    {
        200: shapes.PublicInstitution,
        401: UNAUTHORIZED,
        404: refused(_NO_INSTITUTION),
    },
    description="An institution with its data in the panel of the year." + _STAFF,
)
institution_history = _operation(
    "Get the history of an institution of a year",
    {
        200: shapes.NoteHistory,
        401: UNAUTHORIZED,
        404: refused(_NO_INSTITUTION, f"There is no history of institution {_LEI} in 2024"),
    },
    description=(
        "The last 100 changes of the institution in the panel of the year, newest first, each with "
        "the institution after the change. Changes of TIN and notes only are left out." + _STAFF
    ),
)
lar_counts = extend_schema(
    summary="Count the records of past years",
    tags=[TAG],
    auth=[],
    responses={
        200: shapes.LarCountSummary,
        400: refused("12 past years cannot be counted; enter 1 to 10."),
        404: OpenApiResponse(description="The address does not exist: a year has four digits."),
    },
    description=(
        "The number of records in signed annual filings of the years before: for all institutions, "
        "and for each quarterly filer of the year in the years it filed. Purchased loans are "
        "included, although the 60,000 threshold excludes them (12 CFR 1003.5(a)(1)(ii))."
    ),
)
