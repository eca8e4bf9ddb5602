"""The ten questions, as a form that the page shows and the API reads."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms

from filing.lar.years import filing_years, supported_years
from publicapi.coverage.rules import Answers, FederalTie, InstitutionKind
from publicapi.forms import find_year_filed_now

LARGEST_AMOUNT = 10**15  # dollars, or loans: more than anyone has
_YES_NO = [("", "Choose…"), ("yes", "Yes"), ("no", "No")]
KINDS = {
    InstitutionKind.BANK: "A bank or savings association",
    InstitutionKind.CREDIT_UNION: "A credit union",
    InstitutionKind.LENDER: "A for-profit mortgage lender that takes no deposits",
    InstitutionKind.OTHER: "None of these, such as a nonprofit lender",
}
TIES = {
    FederalTie.INSURED: "Yes: federally insured",
    FederalTie.OTHER: "Yes: another of these",
    FederalTie.NONE: "No: none of these",
}
# The fields of a question that has two.
COUNTS = {
    "closed_end": ("closed_end_1", "closed_end_2"),
    "open_end": ("open_end_1", "open_end_2"),
}


def list_fields(questions: Collection[str]) -> list[str]:
    """Return the names of the fields of some questions."""
    return [name for each in questions for name in COUNTS.get(each, (each,))]


class AmountField(forms.IntegerField):
    """A whole number, which may be written as people write it: $58,000,000."""

    def __init__(self, **options: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
        options = {"min_value": 0, "max_value": LARGEST_AMOUNT, **options}
        super().__init__(required=False, widget=widget, **options)
        self.error_messages["invalid"] = "Enter a whole number, such as 58,000,000."

    def to_python(self, value: Any) -> int | None:
        text = str(value or "").replace(",", "").replace("$", "").strip()
        amount: int | None = super().to_python(text)
        return amount


def _years() -> list[tuple[str, str]]:
    return [(str(year), filing_years()[year].label) for year in reversed(supported_years())]


class CoverageForm(forms.Form):
    """What decides whether an institution reports: ten questions."""

    year = forms.TypedChoiceField(
        choices=_years,
        coerce=int,
        initial=find_year_filed_now,
        label="Data year",
        help_text="The year of the loans and applications. They are filed in the year after.",
        error_messages={"invalid_choice": "The year %(value)s is not available."},
    )
    kind = forms.TypedChoiceField(
        choices=list(KINDS.items()),
        coerce=InstitutionKind,
        empty_value=None,
        label="What are you?",
        widget=forms.RadioSelect,
    )
    assets = AmountField(
        label="Assets on December 31 of the year before, in dollars",
        help_text="Banks, savings associations and credit unions only.",
    )
    federal = forms.TypedChoiceField(
        choices=[("", "Choose…"), *TIES.items()],
        coerce=FederalTie,
        empty_value=None,
        required=False,
        label="Are you federally insured or regulated, or are your home loans federally related?",
        help_text="Federally related: in the year before you made a first-lien home purchase loan "
        "or refinancing on a one-to-four-unit dwelling that a federal agency insures, guarantees "
        "or supplements, or that was meant for sale to Fannie Mae or Freddie Mac.",
    )
    office = forms.TypedChoiceField(
        choices=_YES_NO,
        coerce=lambda text: text == "yes",
        empty_value=None,
        required=False,
        label="Did you have a home or branch office in a metropolitan statistical area on December "
        "31 of the year before?",
        help_text="A lender that takes no deposits also has one where it received applications "
        "for, originated or purchased five or more covered loans on property in that area in the "
        "year before.",
    )
    home_loan = forms.TypedChoiceField(
        choices=_YES_NO,
        coerce=lambda text: text == "yes",
        empty_value=None,
        required=False,
        label="Did you originate a first-lien home purchase loan, or refinancing of one, on a "
        "one-to-four-unit dwelling in the year before?",
    )
    closed_end_1 = AmountField(label="Closed-end mortgage loans originated in the year before")
    closed_end_2 = AmountField(
        label="Closed-end mortgage loans originated two years before",
        help_text="Without those that 12 CFR 1003.3(c)(1) to (10) and (13) exclude.",
    )
    open_end_1 = AmountField(label="Open-end lines of credit originated in the year before")
    open_end_2 = AmountField(
        label="Open-end lines of credit originated two years before",
        help_text="Without those that 12 CFR 1003.3(c)(1) to (10) exclude.",
    )
    records = AmountField(
        label="Covered loans and applications reported for the year before",
        help_text="Without purchased loans.",
    )
    low_cra = forms.TypedChoiceField(
        choices=_YES_NO,
        coerce=lambda text: text == "yes",
        empty_value=None,
        required=False,
        label="On December 31 of the year before, was your last rating under the Community "
        "Reinvestment Act (CRA) “substantial noncompliance”, or were your last two “needs to "
        "improve”?",
    )

    def read_answers(self) -> Answers:
        """Return what was said; what is invalid or left out is not known."""
        values = self.cleaned_data
        others = ("kind", "assets", "federal", "office", "home_loan", "records", "low_cra")
        return Answers(
            closed_end=(values.get("closed_end_1"), values.get("closed_end_2")),
            open_end=(values.get("open_end_1"), values.get("open_end_2")),
            **{name: values.get(name) for name in others},
        )

    def keep_questions(self, questions: Collection[str]) -> None:
        """Leave out the questions that make no difference."""
        kept = {"year", *list_fields(questions)}
        for name in [name for name in self.fields if name not in kept]:
            del self.fields[name]
