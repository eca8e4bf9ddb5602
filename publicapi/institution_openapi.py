"""The OpenAPI descriptions of institutions: one decorator per operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from filing.api.openapi import answered, refused
from publicapi import institution_serializers as shapes

TAG = "Institutions"
_LEI = "529900EXAMPLELEI0001"
_PATH = "/institutions"
_OF_YEAR = f"{_PATH}/year/2024"
_ONE = f"{_PATH}/{_LEI}/year/2024"
_LAR_COUNTS = f"{_PATH}/quarterly/2025/lars/past/2"
_ACCEPTED = "give one or more of respondentName, lei, city, state, domain."
_INSTITUTION = {
    "activityYear": 2024,
    "lei": _LEI,
    "agency": 9,
    "institutionType": "Bank",
    "institutionId2017": "",
    "taxId": "",
    "rssd": 1234567,
    "emailDomains": ["bank.example"],
    "respondent": {"name": "Example Bank", "state": "IL", "city": "Springfield"},
    "parent": {"idRssd": 0, "name": ""},
    "assets": 100000,
    "otherLenderCode": 0,
    "topHolder": {"idRssd": 0, "name": ""},
    "hmdaFiler": True,
    "quarterlyFiler": False,
    "quarterlyFilerHasFiledQ1": False,
    "quarterlyFilerHasFiledQ2": False,
    "quarterlyFilerHasFiledQ3": False,
    "notes": "",
}
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
_REFUSED_TOKEN = refused(401, "Authorization Token could not be verified", path="")


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


def _search(summary: str, path: str, about: str, nothing: str) -> Any:
    return _operation(
        summary,
        {
            200: answered(
                shapes.PublicInstitutions,
                {"institutions": [_INSTITUTION]},
                "Sorted by name. If there are several pages, the header `Link` has the addresses "
                "of the first, previous, next and last page.",
            ),
            400: refused(
                400,
                f"The search has no criteria; {_ACCEPTED}",
                f"The parameter 'name' is unknown; {_ACCEPTED}",
                "state has 300 characters; give at most 200.",
                "The page 'x' is not a whole number.",
                path=path,
            ),
            401: _REFUSED_TOKEN,
            403: refused(403, f"Only staff may search by taxId; {_ACCEPTED}", path=path),
            404: refused(404, nothing, "There is no page 9: the last one is 3.", path=path),
        },
        parameters=_PARAMETERS,
        description=(
            f"{about} Enter one or more criteria; an institution must meet all of them. The domain "
            "of a public email service matches no institution." + _STAFF
        ),
    )


institutions = _search(
    "Find institutions",
    _PATH,
    "Institutions in the panel, each with the data of its newest year.",
    "There is no institution with domain gmail.com",
)
institutions_of_year = _search(
    "Find institutions of a year",
    _OF_YEAR,
    "Institutions with their data in the panel of the year.",
    "There is no institution with respondentName Example and state IL in 2024",
)
_NO_INSTITUTION = f"There is no institution {_LEI} in 2024"
institution = _operation(
    "Get an institution of a year",
    {
        200: answered(shapes.PublicInstitution, _INSTITUTION),
        401: _REFUSED_TOKEN,
        404: refused(404, _NO_INSTITUTION, path=_ONE),
    },
    description="An institution with its data in the panel of the year." + _STAFF,
)
institution_history = _operation(
    "Get the history of an institution of a year",
    {
        200: answered(
            shapes.NoteHistory,
            {
                "institutionNoteHistoryItems": [
                    {
                        "id": 7,
                        "year": "2024",
                        "lei": _LEI,
                        "historyID": f"{_LEI}-2024-1741000000000",
                        "notes": "",
                        "updatedPanel": '{"activityYear": 2024, "lei": "529900EXAMPLELEI0001"}',
                    }
                ]
            },
        ),
        401: _REFUSED_TOKEN,
        404: refused(
            404,
            _NO_INSTITUTION,
            f"There is no history of institution {_LEI} in 2024",
            path=f"{_ONE}/history",
        ),
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
        200: answered(
            shapes.LarCountSummary,
            {
                "yearly": [{"year": "2024", "count": 1200}, {"year": "2023", "count": 1100}],
                "quarterly": [
                    {
                        "lei": _LEI,
                        "name": "Example Bank",
                        "agency": "CFPB",
                        "larCounts": [{"year": "2024", "count": 900}],
                    }
                ],
            },
        ),
        400: refused(400, "12 past years cannot be counted; enter 1 to 10.", path=_LAR_COUNTS),
        404: OpenApiResponse(description="The address does not exist: a year has four digits."),
    },
    description=(
        "The number of records in signed annual filings of the years before: for all institutions, "
        "and for each quarterly filer of the year in the years it filed. Purchased loans are "
        "included, although the 60,000 threshold excludes them (12 CFR 1003.5(a)(1)(ii))."
    ),
)
