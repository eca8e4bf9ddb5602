"""The operations of the operator API."""

from __future__ import annotations

from datetime import date
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from filing.access import ADMINISTRATOR, Scope
from filing.api.openapi import LEI, OPERATORS_TAG, UNAUTHORIZED, refused
from filing.api.serializers.operators import (
    AllCounts,
    CountsPage,
    FigureList,
    FigureRows,
    FollowUpDone,
    FollowUpRequest,
    InstitutionCounts,
    InstitutionKey,
    InstitutionRequest,
    LeiList,
    RecordCount,
    RemovedInstitution,
    StaffInstitution,
    StaffSubmission,
    SubmissionHistory,
)
from filing.api.value_schemas import LEI_TEXT, match_any, text_schema
from filing.registries import FOLLOW_UPS

_PERIOD = OpenApiParameter(
    "period", text_schema("20[0-9]{2}(?:-Q[123])?"), OpenApiParameter.PATH
)  # fmt: skip
_LEI = OpenApiParameter("lei", LEI_TEXT, OpenApiParameter.PATH)
_SUBMISSION = OpenApiParameter(
    "submission_name",
    text_schema("[0-9A-Za-z]{20}-20[0-9]{2}(?:-Q[123])?-[0-9]{1,9}"),
    OpenApiParameter.PATH,
)
_NO_INSTITUTION = refused(f"There is no institution {LEI} in 2024")
_NO_SUBMISSION = refused(f"submission with ID: {LEI}-2024-1 does not exist")
_NO_SIGNED = refused(f"There is no signed submission of {LEI} for 2024.")
_NO_PERIOD = refused("'2024-Q9' is no filing period: write 2024 or 2024-Q1.")
_NO_ID = refused(
    f"'24-1' is not the id of a submission; enter one such as {LEI}-2024-1.",
)
_REASON = OpenApiParameter(
    "reason", str, description="Why the file is needed, for the audit log, which has each download."
)
_TEXT = {(200, "text/plain"): OpenApiResponse(str, description="The file as it was uploaded.")}


def _operation(
    summary: str,
    scope: Scope,
    responses: dict[Any, Any],
    *,
    description: str = "",
    request: Any = None,
    parameters: tuple[OpenApiParameter, ...] = (),
) -> Any:
    return extend_schema(
        summary=summary,
        tags=[OPERATORS_TAG],
        description=f"{description} For a token of the role `{ADMINISTRATOR}`, or a personal token "
        f"of an administrator with `{scope}`.".strip(),
        request=request,
        parameters=list(parameters),
        responses={
            **responses,
            401: UNAUTHORIZED,
            403: refused(
                f"The operator API needs the role {ADMINISTRATOR}, or a token with {scope}."
            ),
        },
    )


add_institution = _operation(
    "Add an institution",
    Scope.WRITE_INSTITUTIONS,
    {
        201: StaffInstitution,
        400: refused(
            f"Institution {LEI} already exists in 2024.",
            "tax_id: '1' is not a TIN; enter it as 99-9999999, or leave it blank.",
            "email_domains: 'gmail.com' is a public email domain, in which anyone can get an "
            "address; enter a domain of the institution.",
        ),
    },
    request=InstitutionRequest,
    description=(
        "Adds an institution to the panel of a year, with the filings that it owes of the periods "
        "that are open or to come."
    ),
)
save_institution = _operation(
    "Add or change an institution",
    Scope.WRITE_INSTITUTIONS,
    {202: StaffInstitution, 400: refused("agency: '4' is not an agency; enter a code or a name.")},
    request=InstitutionRequest,
    description=(
        "Adds the institution to the panel of the year, or changes what is sent. The flags of "
        "signed filings are kept."
    ),
)
remove_institution = _operation(
    "Remove an institution",
    Scope.WRITE_INSTITUTIONS,
    {
        202: RemovedInstitution,
        400: refused(
            "lei: This field is required.",
            f"Example Bank ({LEI}, 2024) has filings, so it is not removed.",
        ),
        404: _NO_INSTITUTION,
    },
    request=InstitutionKey,
    description="Removes an institution of a year that has no filings.",
)
institution = _operation(
    "Get an institution for operators",
    Scope.READ_INSTITUTIONS,
    {200: StaffInstitution, 404: refused(f"There is no institution {LEI}")},
    parameters=(_LEI,),
    description="An institution with TIN and notes, of its newest year.",
)
institution_of_year = _operation(
    "Get an institution of a year for operators",
    Scope.READ_INSTITUTIONS,
    {
        200: StaffInstitution,
        404: refused(
            f"There is no institution {LEI} in 2024",
            f"Institution {LEI} does not file quarterly in 2024.",
        ),
    },
    parameters=(_LEI,),
    description="An institution with TIN and notes; for a quarter only if it files quarterly.",
)
signed_submission = _operation(
    "Get the signed submission of a period",
    Scope.READ_SUBMISSIONS,
    {200: StaffSubmission, 400: _NO_PERIOD, 404: _NO_SIGNED},
    parameters=(
        _LEI,
        OpenApiParameter("which", text_schema("latest|oldest"), OpenApiParameter.PATH),
        _PERIOD,
    ),
    description="The submission that was signed last, or first.",
)
submission_history = _operation(
    "List the submissions of a period with their history",
    Scope.READ_SUBMISSIONS,
    {
        200: SubmissionHistory,
        400: _NO_PERIOD,
        404: refused(f"There is no submission of {LEI} for 2024."),
    },
    parameters=(_LEI, _PERIOD),
    description="All submissions by number, each with the changes of its status.",
)
latest_file = _operation(
    "Get the file that was signed last",
    Scope.READ_FILES,
    {**_TEXT, 400: _NO_PERIOD, 404: _NO_SIGNED},
    parameters=(_LEI, _PERIOD, _REASON),
    description="The filed text.",
)
submission_file = _operation(
    "Get the file of a submission",
    Scope.READ_FILES,
    {**_TEXT, 400: _NO_ID, 404: _NO_SUBMISSION},
    parameters=(_SUBMISSION, _REASON),
    description="The text of a submission, signed or not.",
)
record_count = _operation(
    "Count the records of a submission",
    Scope.READ_SUBMISSIONS,
    {200: RecordCount, 400: _NO_ID, 404: _NO_SUBMISSION},
    parameters=(_SUBMISSION,),
    description="The lines of the file and its records; 0 until it is read.",
)
repeat_follow_up = _operation(
    "Repeat what follows a signature",
    Scope.PUBLISH,
    {
        201: FollowUpDone,
        400: refused(
            f"Topic hmda-other is not one of {', '.join(sorted(FOLLOW_UPS))}.",
            f"{LEI}-2024-1 is not signed: it has status 14.",
            "It is already being prepared.",
        ),
        404: _NO_SUBMISSION,
    },
    request=FollowUpRequest,
    parameters=(
        OpenApiParameter(
            "topic",
            text_schema(
                match_any(("hmda-sign", "hmda-modified-lar", "hmda-irs", "hmda-analytics"))
            ),
            OpenApiParameter.PATH,
        ),
        _LEI,
        _PERIOD,
        OpenApiParameter("number", text_schema("[0-9]{1,9}"), OpenApiParameter.PATH),
    ),
    description=(
        "`hmda-sign` sends the receipt again, `hmda-modified-lar` and `hmda-irs` prepare the "
        "public records and the register summary, `hmda-analytics` computes the public figures by "
        "quarter."
    ),
)
edit_counts = _operation(
    "Count the edits of an institution",
    Scope.READ_SUBMISSIONS,
    {200: InstitutionCounts, 404: refused(f"There is no institution {LEI}")},
    parameters=(_LEI,),
    description="Of each submission the records, and how many edits of each kind it triggered.",
)
all_edit_counts = _operation(
    "Count the edits of all institutions",
    Scope.READ_SUBMISSIONS,
    {200: CountsPage, 400: refused("The page 'x' is not a whole number.")},
    parameters=(OpenApiParameter("page", int, description="The page, of 100 institutions each."),),
    description="The same for all institutions with submissions, by LEI.",
)
batch_edit_counts = _operation(
    "Count the edits of some institutions",
    Scope.READ_SUBMISSIONS,
    {200: AllCounts, 400: refused("leis: This field is required.")},
    request=LeiList,
    description="The same for up to 1,000 institutions; those without submissions are left out.",
)
latest_batch_edit_counts = _operation(
    "Count the edits of what some institutions filed",
    Scope.READ_SUBMISSIONS,
    {200: AllCounts, 400: refused("leis: This field is required.")},
    request=LeiList,
    description="The same for the submissions that count as filed.",
)


figures = _operation(
    "List the figures of a season",
    Scope.READ_FIGURES,
    {200: FigureList},
    description="All figures with their columns and parameters.",
)
_FIGURE_PARAMETERS = (
    OpenApiParameter("figure", text_schema("[a-z_]+"), OpenApiParameter.PATH),
    _PERIOD,
    OpenApiParameter("asOf", date, description="What counted at the end of this day."),
    OpenApiParameter(
        "testInstitutions", bool, description="Whether test institutions count; by default not."
    ),
    *(
        OpenApiParameter(name, int, description="A parameter of some figures: see the list.")
        for name in ("min", "max", "n", "x")
    ),
    OpenApiParameter("lei", LEI_TEXT, description="The institution, for `filer_all_periods`."),
)
_FIGURE_REFUSALS: dict[Any, Any] = {
    400: refused(
        'n is "x"; enter a whole number from 1 to 1,000.',
        "'x' is not a day; enter one such as 2026-06-30.",
    ),
    404: refused("There is no filing period '2017'. These exist: 2024."),
}
figure = _operation(
    "Get a figure of a season",
    Scope.READ_FIGURES,
    {200: FigureRows, **_FIGURE_REFUSALS},
    parameters=_FIGURE_PARAMETERS,
    description="A figure of a year or quarter, as of today or of an earlier day.",
)
figure_csv = _operation(
    "Get a figure of a season as CSV",
    Scope.READ_FIGURES,
    {(200, "text/csv"): OpenApiResponse(str, description="The same rows."), **_FIGURE_REFUSALS},
    parameters=_FIGURE_PARAMETERS,
    description="The rows of the figure, after a line with the names of the columns.",
)
