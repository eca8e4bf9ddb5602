"""The operations that read formatting errors and edits, and compare with other rules."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from filing.api.openapi import LEI, NO_INSTITUTION, NO_SUBMISSION, PAGE, operation, refused
from filing.api.serializers.findings import EditPage, EditSummary, ParseErrors, RulesDifferenceBody
from filing.api.value_schemas import DATA_YEAR_TEXT
from filing.lar.fields import ABOUT_LIMITS

_CSV = (200, "text/csv")
_DETAIL = OpenApiParameter(
    "detail", bool, description="`true` adds the columns rowNumber and fields."
)
parse_errors = operation(
    "View format errors",
    {
        200: ParseErrors,
        400: refused(NO_SUBMISSION, "The page 'x' is not a whole number."),
    },
    parameters=(PAGE,),
    description=(
        "If all errors have one cause, such as commas in place of pipes, the description of the "
        f"status ends with it. {ABOUT_LIMITS}"
    ),
)
parse_errors_csv = operation(
    "Download format errors",
    {
        _CSV: OpenApiResponse(OpenApiTypes.STR, description="Pipe-delimited, one line per value."),
        400: refused(NO_SUBMISSION),
    },
)
edits = operation(
    "View all edits",
    {
        200: EditSummary,
        400: refused(NO_INSTITUTION),
        404: refused(NO_SUBMISSION),
    },
    description=(
        "Those that were triggered; an edit that is in no list passed. `notRun` lists the edits "
        "that neither passed nor were triggered, because something was missing or staff withdrew "
        "them. `rulebook` names the rules: those of the data year, or provisional ones."
    ),
)
edit_detail = operation(
    "View the records an edit found",
    {
        200: EditPage,
        400: refused(NO_INSTITUTION, "The page 'x' is not a whole number."),
        404: refused(NO_SUBMISSION),
    },
    parameters=(PAGE,),
)
edits_csv = operation(
    "Download all edits",
    {
        _CSV: OpenApiResponse(OpenApiTypes.STR, description="One line per record and edit."),
        400: refused(NO_INSTITUTION),
        404: refused(NO_SUBMISSION),
    },
    parameters=(_DETAIL,),
)
edit_csv = operation(
    "Download the records an edit found",
    {
        _CSV: OpenApiResponse(
            OpenApiTypes.STR,
            description=(
                "One line per record: editType, editId, ULI, editDescription, rowNumber, fields. "
                "Only the header for an edit that was not triggered."
            ),
        ),
        400: refused(NO_INSTITUTION),
        404: refused(NO_SUBMISSION),
    },
)


compare_rules = operation(
    "Compare with the rules of another year",
    {
        200: RulesDifferenceBody,
        400: refused(
            f"The edits have not been run on {LEI}-2024-3, so it cannot be compared.",
            f"{LEI}-2024-3 is a file of 2024. Choose another year to compare its rules.",
            NO_INSTITUTION,
        ),
        404: refused(NO_SUBMISSION),
    },
    parameters=(OpenApiParameter("rules", DATA_YEAR_TEXT, OpenApiParameter.PATH),),
    description=(
        "What the rules of another year find in a checked file, such as those of the next one: the "
        "edits that differ, with counts before and after. The results of the submission do not "
        "change. A year that runs the same rules has no difference. Files too large to compare "
        "while you wait answer 400; `hmda check FILE --year … --rules …` compares them on your "
        "computer."
    ),
)
