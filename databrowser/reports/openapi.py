"""The OpenAPI descriptions of the yearly reports, and their JSON shapes."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
)
from rest_framework import serializers

from databrowser.reports import catalogue
from databrowser.reports.catalogue import ReportsPending
from databrowser.reports.definitions import AGGREGATE, DISCLOSURE, list_definitions
from filing.api.openapi import IF_NONE_MATCH, LEI, UNCHANGED, refused
from filing.api.serializers.filings import ErrorBody
from filing.api.value_schemas import DATA_YEAR, LEI_TEXT, match_any, text_schema

TAG = "Reports"
_Shape = serializers.Serializer[Any]
_REPORT_DATE = "When its cells were counted, in the filing time zone: MM/dd/yyyy hh:mm AM."
_CELLS = (
    "Amounts are whole dollars: sums of the midpoints of 10,000-dollar intervals, as in the public "
    "records. All values of a group, all dispositions and all columns are there, zeros included."
)
_SOURCE = (
    "Reports are made of the snapshot of the year, which is frozen, and do not change afterwards. "
    "An institution that signed only after it has its disclosure reports from the first later data "
    "set that has its records: `dataset` and `version` say which."
)


class ReportMsaMd(_Shape):
    """An MSA/MD."""

    id = serializers.CharField(help_text="Five digits; 99999 is outside of any MSA/MD.")
    name = serializers.CharField(help_text="Blank if it is not known; `NA` for 99999.")
    state = serializers.CharField(help_text="Blank if it lies in several states.")
    stateName = serializers.CharField()


class ListedMsaMd(_Shape):
    """An MSA/MD that has reports."""

    id = serializers.CharField(help_text="Five digits; 99999 is outside of any MSA/MD.")
    name = serializers.CharField(help_text="Blank if it is not known; `NA` for 99999.")
    states = serializers.ListField(
        child=serializers.CharField(), help_text="The letters of the states that it lies in."
    )


class ReportYear(_Shape):
    """A year whose reports are public."""

    year = serializers.IntegerField()
    dataset = serializers.CharField(help_text="Such as `2024 snapshot`.")
    version = serializers.CharField()
    frozenAt = serializers.DateField(
        help_text="What was signed after the end of this day is not in it."
    )
    reportDate = serializers.CharField(help_text=_REPORT_DATE)


class ReportYears(_Shape):
    """The years whose reports are public, newest first."""

    years = ReportYear(many=True)


class ReportMsaMds(_Shape):
    """The MSA/MDs that have aggregate reports, by id."""

    msaMds = ListedMsaMd(many=True)


class ListedReport(_Shape):
    """A report."""

    id = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    href = serializers.CharField()
    csv = serializers.CharField()


class ReportsOfMsaMd(_Shape):
    """The aggregate reports of an MSA/MD."""

    msa = ReportMsaMd()
    reports = ListedReport(many=True)


class ReportInstitution(_Shape):
    """An institution."""

    lei = serializers.CharField()
    name = serializers.CharField()


class ReportsOfInstitution(_Shape):
    """The MSA/MDs in which an institution has disclosure reports, and its summary."""

    institution = ReportInstitution()
    dataset = serializers.CharField(help_text="Such as `2024 snapshot`.")
    version = serializers.CharField()
    reportDate = serializers.CharField(help_text=_REPORT_DATE)
    msaMds = ListedMsaMd(many=True)
    nationwide = ListedReport(help_text="The Institution Register Summary.")


class _Cell(_Shape):
    count = serializers.IntegerField()
    value = serializers.IntegerField(help_text="Whole dollars.")


class ReportColumnCell(_Cell):
    """The records of one of the columns A to G."""

    dispositionName = serializers.CharField()


class ReportTractDisposition(_Shape):
    """The records of a tract with a disposition."""

    title = serializers.CharField()
    values = ReportColumnCell(many=True)
    titleForSorting = serializers.CharField()


class ReportTract(_Shape):
    """A census tract. Report 1 has `dispositions`, report 2 has `values`."""

    tract = serializers.CharField(help_text="County, state and six digits, separated by `/`.")
    dispositions = ReportTractDisposition(many=True, required=False)
    values = ReportColumnCell(many=True, required=False)


class ReportDisposition(_Cell):
    """The records with a disposition: of reports 3 and 4, and of 9 without a sorting key."""

    disposition = serializers.CharField()
    dispositionForSorting = serializers.CharField(required=False)


class ReportGender(_Shape):
    """The records of a sex."""

    gender = serializers.CharField()
    dispositions = ReportDisposition(many=True)
    genderForSorting = serializers.CharField()


class ReportRace(_Shape):
    """The records of a race; `dispositions` has all sexes together."""

    race = serializers.CharField()
    dispositions = ReportDisposition(many=True)
    gender = ReportGender(many=True)
    raceForSorting = serializers.CharField()


class ReportEthnicity(_Shape):
    """The records of an ethnicity; `dispositions` has all sexes together."""

    ethnicityName = serializers.CharField()
    dispositions = ReportDisposition(many=True)
    gender = ReportGender(many=True)
    ethnicityNameForSorting = serializers.CharField()


class ReportNamedDisposition(_Cell):
    """The records with a disposition, in report 5."""

    name = serializers.CharField()
    nameForSorting = serializers.CharField()


class ReportIncomeRace(_Shape):
    """The records of a race within an income group."""

    race = serializers.CharField()
    dispositions = ReportNamedDisposition(many=True)
    raceForSorting = serializers.CharField()


class ReportIncomeEthnicity(_Shape):
    """The records of an ethnicity within an income group."""

    ethnicityName = serializers.CharField()
    dispositions = ReportNamedDisposition(many=True)
    ethnicityForSorting = serializers.CharField()


class ReportIncomeRaces(_Shape):
    """The races of an income group."""

    characteristic = serializers.CharField()
    races = ReportIncomeRace(many=True)


class ReportIncomeEthnicities(_Shape):
    """The ethnicities of an income group."""

    characteristic = serializers.CharField()
    ethnicities = ReportIncomeEthnicity(many=True)


class ReportBorrowers(_Shape):
    """The records of an income group by race, and by ethnicity."""

    race = ReportIncomeRaces()
    ethnicity = ReportIncomeEthnicities()


class ReportIncome(_Shape):
    """The records of an income group."""

    applicantIncome = serializers.CharField()
    borrowerCharacteristics = ReportBorrowers()
    applicantIncomeSorting = serializers.CharField()


class ReportLoanCategory(_Shape):
    """The records of one of the columns A to G, in report 9."""

    loanCategory = serializers.CharField()
    dispositions = ReportDisposition(many=True)


class ReportMedianAge(_Shape):
    """The records of tracts whose homes have a median age."""

    medianAge = serializers.CharField()
    loanCategories = ReportLoanCategory(many=True)
    ageForSorting = serializers.CharField()


@extend_schema_field({"oneOf": [{"type": "integer"}, {"type": "string"}]})
class _Year(serializers.Field[Any, Any, Any, Any]):
    """A number in reports 1 and 2, a text in the others."""


class YearlyReport(_Shape):
    """A yearly report: a common head, then the key of its kind."""

    lei = serializers.CharField(required=False, help_text="Of disclosure reports.")
    institutionName = serializers.CharField(required=False)
    table = serializers.CharField(help_text="`1`, `2`, `3`, `4`, `5`, `9` or `I`.")
    type = serializers.ChoiceField(["Disclosure", "Aggregate"])
    description = serializers.CharField()
    year = _Year(help_text="A number in reports 1 and 2, a text in the others.")
    reportDate = serializers.CharField(help_text=_REPORT_DATE)
    msa = ReportMsaMd()
    dataset = serializers.CharField(help_text="Such as `2024 snapshot`.")
    version = serializers.CharField()
    tracts = ReportTract(many=True, required=False, help_text="Reports 1 and 2.")
    races = ReportRace(many=True, required=False, help_text="Report 3.")
    ethnicities = ReportEthnicity(many=True, required=False, help_text="Report 4.")
    applicantIncomes = ReportIncome(many=True, required=False, help_text="Report 5.")
    characteristic = serializers.CharField(required=False, help_text="Report 9.")
    medianAges = ReportMedianAge(many=True, required=False, help_text="Report 9.")
    institutions = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Report I."
    )


_YEAR_EXAMPLE = "2024"
_YEAR = OpenApiParameter(
    "year", text_schema(DATA_YEAR), OpenApiParameter.PATH, description="A year from 2018 on."
)
_LEI = OpenApiParameter(
    "lei", LEI_TEXT, OpenApiParameter.PATH, description="In capital or small letters."
)
_MSA_MD = OpenApiParameter(
    "msa_md",
    text_schema("[0-9]{5}"),
    OpenApiParameter.PATH,
    description="Five digits; 99999 is all places outside of any MSA/MD.",
)
_HEAD = OpenApiParameter(
    "head",
    bool,
    description="`true`: lines that say what the report is, before the header of the table.",
)
_PENDING = OpenApiResponse(
    ErrorBody,
    description=ReportsPending(_YEAR_EXAMPLE).message,
    # Not recorded: reports are counted within minutes.
    examples=[
        OpenApiExample(
            "busy",
            value={
                "httpStatus": ReportsPending.status,
                "message": ReportsPending(_YEAR_EXAMPLE).message,
                "path": "/reports/2024/aggregate",
                "requestId": "7F3K-9QXM-2BTD",
            },
        )
    ],
)
_NO_YEAR = catalogue.no_year("2017")
_NO_INSTITUTION = catalogue.no_institution(LEI, _YEAR_EXAMPLE)
_NO_REPORT = catalogue.no_report("19124", _YEAR_EXAMPLE)


def _code(kind: str) -> OpenApiParameter:
    reports = list_definitions(kind)
    named = "; ".join(f"`{each.code}` {each.title}" for each in reports)
    capital = [each.table for each in reports if each.table != each.code]
    return OpenApiParameter(
        "report",
        # Not a list of values: clients that generators make have no two names but for their case.
        text_schema(match_any([*(each.code for each in reports), *capital])),
        OpenApiParameter.PATH,
        description=named,
    )


def _described(
    summary: str,
    about: str,
    found: dict[Any, Any],
    *messages: str,
    parameters: tuple[OpenApiParameter, ...] = (),
) -> Any:
    missing: dict[Any, Any] = {404: refused(*messages), 503: _PENDING} if messages else {}
    return extend_schema(
        summary=summary,
        tags=[TAG],
        auth=[],
        parameters=[*parameters, IF_NONE_MATCH],
        responses={**found, 304: UNCHANGED, **missing},
        description=about,
    )


years = _described(
    "List the years of reports",
    f"The years whose reports are public, newest first. {_SOURCE}",
    {200: ReportYears},
)
msa_mds = _described(
    "List the MSA/MDs of aggregate reports",
    "The MSA/MDs that have aggregate reports of a year, by id.",
    {200: ReportMsaMds},
    _NO_YEAR,
    parameters=(_YEAR,),
)
of_msa_md = _described(
    "List the aggregate reports of an MSA/MD",
    "The aggregate reports of an MSA/MD with their addresses.",
    {200: ReportsOfMsaMd},
    _NO_YEAR,
    _NO_REPORT,
    parameters=(_YEAR, _MSA_MD),
)
of_institution = _described(
    "List the disclosure reports of an institution",
    "The MSA/MDs in which an institution has disclosure reports of a year, by id, and its "
    f"Institution Register Summary. {_SOURCE}",
    {200: ReportsOfInstitution},
    _NO_YEAR,
    _NO_INSTITUTION,
    parameters=(_YEAR, _LEI),
)
archive = _described(
    "Download all aggregate reports of a year",
    "A ZIP archive with the aggregate reports of all MSA/MDs as JSON and as CSV, made while it is "
    "sent.",
    {(200, "application/zip"): OpenApiTypes.BINARY},
    _NO_YEAR,
    parameters=(_YEAR,),
)


def report(kind: str, *, is_csv: bool = False, is_older: bool = False) -> Any:
    """Return the description of an address of reports of a kind."""
    summary = f"Download {_article(kind)} as CSV" if is_csv else f"Read {_article(kind)}"
    parameters = (_YEAR, *([_LEI] if kind == DISCLOSURE else []), _MSA_MD, _code(kind))
    found: dict[Any, Any] = {200: YearlyReport}
    if is_csv:
        found = {(200, "text/csv"): OpenApiTypes.STR}
    return _described(
        f"{summary} by its older address" if is_older else summary,
        f"{_CELLS} {_SOURCE}",
        found,
        _NO_YEAR,
        *([_NO_INSTITUTION] if kind == DISCLOSURE else []),
        _NO_REPORT,
        catalogue.no_code("8", kind),
        parameters=(*parameters, *([_HEAD] if is_csv else [])),
    )


def _article(kind: str) -> str:
    return "an aggregate report" if kind == AGGREGATE else "a disclosure report"
