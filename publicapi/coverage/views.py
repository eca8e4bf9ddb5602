"""Whether an institution reports, as a page to print and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.forms import ChoiceField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.generic import View
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.openapi import refused
from filing.api.public import PublicView
from filing.api.serializers.periods import Thresholds
from filing.api.value_schemas import DATA_YEAR_NUMBER
from filing.errors import BadInput
from filing.lar.years import describe_unsettled
from filing.models import FilingYear
from filing.pages.tool_pages import build_get_examples
from filing.requests import describe_unknown_parameters
from publicapi.coverage.forms import LARGEST_AMOUNT, AmountField, CoverageForm, list_fields
from publicapi.coverage.rules import (
    Answers,
    Conclusion,
    Coverage,
    FederalTie,
    InstitutionKind,
    Verdict,
    judge_coverage,
)
from publicapi.openapi import describe_operation

NO_ADVICE = (
    "This is no legal advice. It follows from what you entered; Regulation C, its official "
    "comments and your regulator decide."
)
_COUNT = {"type": "integer", "minimum": 0, "maximum": LARGEST_AMOUNT}
# What is asked, in order: the attribute, the heading of the page, and the words of each answer.
_REPORT = {
    Verdict.YES: "You must report them",
    Verdict.NO: "You need not report them",
    Verdict.DEPENDS: "Depends",
}
_EXEMPT = {
    Verdict.YES: "You may use it",
    Verdict.NO: "You cannot use it",
    Verdict.DEPENDS: "Depends",
}
DUTIES = {
    "closed_end": ("Closed-end mortgage loans", _REPORT),
    "open_end": ("Open-end lines of credit", _REPORT),
    "quarterly": (
        "Quarterly filing",
        {
            Verdict.YES: "You also file Q1, Q2 and Q3",
            Verdict.NO: "You need not file by quarter",
            Verdict.DEPENDS: "Depends",
        },
    ),
    "partial_closed_end": ("Partial exemption of closed-end mortgage loans", _EXEMPT),
    "partial_open_end": ("Partial exemption of open-end lines of credit", _EXEMPT),
}


@dataclass(frozen=True, slots=True)
class Duty:
    """A conclusion in the words of the page."""

    name: str
    heading: str
    answer: str
    conclusion: Conclusion


def _list_duties(coverage: Coverage) -> Iterator[Duty]:
    for name, (heading, words) in DUTIES.items():
        conclusion: Conclusion = getattr(coverage, name)
        yield Duty(name.replace("_", "-"), heading, words[conclusion.verdict], conclusion)


class CoveragePage(View):
    """The page with the ten questions; its address has the answers."""

    http_method_names = ["get"]

    def get(self, request: HttpRequest) -> HttpResponse:
        known = CoverageForm.base_fields
        is_asked = any(name in request.GET for name in known)
        form = CoverageForm(request.GET) if is_asked else CoverageForm()
        context: dict[str, Any] = {
            "form": form,
            "no_advice": NO_ADVICE,
            "unknown_parameters": describe_unknown_parameters(request.GET, known),
        }
        if is_asked and form.is_valid():
            context |= self._judge(form)
        return render(
            request, "publicapi/coverage.html", context, status=400 if form.errors else 200
        )

    def _judge(self, form: CoverageForm) -> dict[str, Any]:
        """Return the answer, and leave the questions that make no difference out of the form."""
        year = FilingYear.objects.get(pk=form.cleaned_data["year"])
        coverage = judge_coverage(year, form.read_answers())
        form.keep_questions(coverage.questions)
        query = urlencode(list(_list_parameters(form)))
        return {
            "year": year,
            "coverage": coverage,
            "duties": list(_list_duties(coverage)),
            "given": list(_list_given(form)),
            "open_fields": [form[name] for name in list_fields(coverage.unanswered)],
            "query": query,
            "notices": describe_unsettled([year.year]),
            "calls": build_get_examples(f"/v2/public/coverage?{query}"),
        }


def _list_parameters(form: CoverageForm) -> Iterator[tuple[str, str]]:
    """Yield the parameters of the address that has the same answers."""
    for bound in form:
        value = form.cleaned_data.get(bound.name)
        if value is not None:
            is_amount = isinstance(bound.field, AmountField)
            yield bound.name, str(value if is_amount else bound.value())


def _list_given(form: CoverageForm) -> Iterator[tuple[str, str]]:
    """Yield the questions that were answered, with the answers in words."""
    for bound in form:
        value = form.cleaned_data.get(bound.name)
        if value is None:
            continue
        if isinstance(bound.field, ChoiceField):
            choices: Any = bound.field.choices
            yield str(bound.label), str(dict(choices)[bound.value()])
        else:
            yield str(bound.label), f"{value:,}"


class CoverageReason(serializers.Serializer[Any]):
    """A condition of the regulation, and whether it is met."""

    met = serializers.BooleanField(
        source="holds", allow_null=True, help_text="Null: not known from what was sent."
    )
    text = serializers.CharField()
    section = serializers.CharField(help_text="Of 12 CFR part 1003, or of the Federal Register.")
    question = serializers.CharField(
        help_text="What decides it: a parameter, without its `_1` or `_2`; `covered`: the answers "
        "for loans."
    )


class CoverageConclusion(serializers.Serializer[Any]):
    """The answer for one duty."""

    answer = serializers.ChoiceField([each.value for each in Verdict], source="verdict.value")
    reasons = CoverageReason(
        many=True, help_text="All conditions; those that are not met alone, if there are any."
    )


class PartialExemptions(serializers.Serializer[Any]):
    """Whether the optional data of each kind of loans may be left out."""

    closedEnd = CoverageConclusion(source="partial_closed_end")
    openEnd = CoverageConclusion(source="partial_open_end")


class CoverageBody(serializers.Serializer[Any]):
    """What an institution owes for a data year."""

    year = serializers.IntegerField(source="year.year")
    thresholds = Thresholds(source="year")
    closedEnd = CoverageConclusion(
        source="coverage.closed_end", help_text="Whether closed-end mortgage loans are reported."
    )
    openEnd = CoverageConclusion(
        source="coverage.open_end", help_text="Whether open-end lines of credit are reported."
    )
    quarterly = CoverageConclusion(
        source="coverage.quarterly", help_text="Whether Q1, Q2 and Q3 are filed, too."
    )
    partialExemption = PartialExemptions(source="coverage")
    unanswered = serializers.ListField(
        child=serializers.CharField(),
        help_text="The parameters that were left out and can change an answer.",
    )
    notice = serializers.CharField(help_text="That this is no legal advice.")


def _flag(name: str) -> OpenApiParameter:
    label = str(CoverageForm.base_fields[name].label)
    return OpenApiParameter(name, str, enum=["yes", "no"], description=label)


def _count(name: str) -> OpenApiParameter:
    label = str(CoverageForm.base_fields[name].label)
    return OpenApiParameter(name, _COUNT, description=f"{label}.")


coverage_schema = describe_operation(
    "Check whether an institution reports",
    {
        200: CoverageBody,
        400: refused(
            "year: This field is required.",
            "year: The year 2017 is not available.",
            "assets: Enter a whole number, such as 58,000,000.",
        ),
    },
    parameters=[
        OpenApiParameter("year", DATA_YEAR_NUMBER, required=True, description="The data year."),
        OpenApiParameter(
            "kind",
            str,
            required=True,
            enum=[each.value for each in InstitutionKind],
            description="`lender`: a for-profit mortgage lender that takes no deposits.",
        ),
        _count("assets"),
        OpenApiParameter(
            "federal",
            str,
            enum=[each.value for each in FederalTie],
            description="Whether it is federally `insured`, meets an `other` condition of 12 CFR "
            "1003.2(g)(1)(iv), or `none`.",
        ),
        _flag("office"),
        _flag("home_loan"),
        *(_count(name) for name in ("closed_end_1", "closed_end_2", "open_end_1", "open_end_2")),
        _count("records"),
        _flag("low_cra"),
    ],
    description=(
        "The ten questions of the page Am I covered?, by 12 CFR 1003.2(g), 1003.3(c) and (d) and "
        "1003.5(a)(1)(ii), with the thresholds of the year. What is left out is not known; "
        f"`unanswered` says whether it matters. {NO_ADVICE}"
    ),
)


class CoverageView(PublicView):
    """Whether an institution reports in a data year."""

    @coverage_schema
    def get(self, request: Request) -> Response:
        form = CoverageForm(request.query_params)
        if not form.is_valid():
            name, errors = next(iter(form.errors.items()))
            raise BadInput(f"{name}: {errors[0]}")
        year = FilingYear.objects.get(pk=form.cleaned_data["year"])
        answers: Answers = form.read_answers()
        coverage = judge_coverage(year, answers)
        unanswered = [
            name for name in list_fields(coverage.unanswered) if form.cleaned_data.get(name) is None
        ]
        body = {"year": year, "coverage": coverage, "unanswered": unanswered, "notice": NO_ADVICE}
        return Response(CoverageBody(body).data)
