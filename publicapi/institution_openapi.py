"""The OpenAPI descriptions of institutions: one decorator an operation."""

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
_STAFF = " Tax id and notes are blank unless the bearer token is that of a member of staff."
_PARAMETERS = [
    OpenApiParameter(
        "respondentName", str, description="A part of the name, in capital or small letters."
    ),
    OpenApiParameter("lei", str, description="The whole LEI."),
    OpenApiParameter(
        "city", str, description="A part of the city's name, in capital or small letters."
    ),
    OpenApiParameter("state", str, description="The two letters of the state, such as `IL`."),
    OpenApiParameter("domain", str, description="An email domain, such as `bank.example`."),
    OpenApiParameter("taxId", str, description="The whole TIN, as `99-9999999`. For staff."),
    OpenApiParameter(
        "page", int, description="Which page of 100 institutions; 1 where it is left out."
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
                "By name. Where there is more than one page, the header `Link` has the addresses "
                "of the first, previous, next and last one.",
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
            f"{about} Give one or more criteria; an institution must meet all of them. None are "
            "found by the domain of a public email service." + _STAFF
        ),
    )


institutions = _search(
    "Find institutions",
    _PATH,
    "Institutions of the panel, each as in its newest year.",
    "There is no institution with domain gmail.com",
)
institutions_of_year = _search(
    "Find institutions of a year",
    _OF_YEAR,
    "Institutions as in the panel of the year.",
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
    description="An institution as in the panel of the year." + _STAFF,
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
        "the institution as it was after it. Changes of tax id and notes alone are left out."
        + _STAFF
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
        400: refused(400, "12 past years cannot be counted: ask for 1 to 10.", path=_LAR_COUNTS),
        404: OpenApiResponse(description="The address is none: a year has four digits."),
    },
    description=(
        "The records in signed annual files of the years before: of all institutions together, and "
        "of each quarterly filer of the year, without years in which it filed none. Purchased "
        "loans are counted, which the threshold of 60,000 leaves out (12 CFR 1003.5(a)(1)(ii))."
    ),
)
