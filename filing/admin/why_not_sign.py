"""The page of the help desk that says why a person can or cannot sign: all conditions, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse

from filing.access import person_with_email
from filing.admin.forms import clean_field
from filing.admin.own_pages import OwnPages, WithOwnPages, render_own_page
from filing.admin.submissions.subpages import find_submission
from filing.lar.years import Period
from filing.models import Announcement, Submission
from filing.pages.announcements import list_current_announcements
from filing.people import institutions
from filing.submissions.signing_conditions import (
    SigningCondition,
    find_obstacles,
    list_signing_conditions,
)

RIGHTS = ("auth.view_user", "filing.view_membership", "filing.view_submission")
_SUBMISSION_ID = re.compile(r"([0-9A-Za-z]{20})-(\d{4}(?:-Q[123])?)-([1-9]\d{0,8})")


class SigningQuestionForm(forms.Form):
    """A person, an institution, and optionally a submission or a filing period."""

    person = forms.CharField(
        label="Person",
        max_length=254,
        help_text="The user name or email address.",
        widget=forms.TextInput(attrs={"size": 40}),
    )
    lei = forms.CharField(
        label="LEI",
        max_length=40,
        required=False,
        help_text="Blank: that of the submission.",
        widget=forms.TextInput(attrs={"size": 40}),
    )
    submission = forms.CharField(
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"size": 40}),
        label="Submission or filing period",
        help_text="Such as 529900EXAMPLELEI0001-2024-1, or 2024 or 2024-Q1. Blank: of the person "
        "alone.",
    )

    def clean_person(self) -> User:
        text = self.cleaned_data["person"].strip()
        found = list(User.objects.filter(Q(username=text) | Q(email__iexact=text))[:2])
        if len(found) > 1:
            found = [user for user in found if user.username == text]
        if not found:
            raise ValidationError(
                "No one person has this name or address. Enter the user name, as the list of "
                "people has it."
            )
        return found[0]

    def clean_lei(self) -> str:
        text = self.cleaned_data["lei"].strip()
        return clean_field(institutions.check_lei, text) if text else ""

    def clean_submission(self) -> Submission | Period | None:
        text = self.cleaned_data["submission"].strip()
        if not text:
            return None
        if match := _SUBMISSION_ID.fullmatch(text):
            return _find_named_submission(match[1].upper(), match[2], int(match[3]))
        try:
            return Period.parse(text)
        except ValueError as error:
            raise ValidationError(
                "Enter the id of a submission, such as 529900EXAMPLELEI0001-2024-1, or a period, "
                "such as 2024 or 2024-Q1."
            ) from error

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        submission, lei = cleaned.get("submission"), cleaned.get("lei")
        if isinstance(submission, Submission):
            if lei and lei != submission.lei:
                self.add_error("lei", f"The submission is of {submission.lei}, not of {lei}.")
            cleaned["lei"] = submission.lei
        elif "lei" in cleaned and not lei and "submission" not in self.errors:
            self.add_error("lei", "Enter the LEI of the institution: a period has none.")
        return cleaned


@dataclass(frozen=True, slots=True)
class SigningAnswer:
    """What the page says of a person, an institution and a submission."""

    person: str
    about: str
    conditions: list[SigningCondition]
    obstacles: list[SigningCondition]
    announcements: list[Announcement]


class WithSigningAnswer(WithOwnPages):
    """A table with the page *Why can this person not sign?* below its list."""

    def own_pages(self) -> OwnPages:
        """Return the page, and those of the parents."""
        return (("why-not-sign/", self.why_not_sign, "why_not_sign"), *super().own_pages())

    def why_not_sign(self, request: HttpRequest) -> HttpResponse:
        """Show all conditions of a signature; nothing is changed here."""
        for right in RIGHTS:
            if not request.user.has_perm(right):
                raise PermissionDenied(right)
        sent = request.GET
        is_asked = bool(sent.get("person") and (sent.get("lei") or sent.get("submission")))
        # A link fills in what it knows.
        form = SigningQuestionForm(sent) if is_asked else SigningQuestionForm(initial=sent.dict())
        context: dict[str, Any] = {"form": form}
        if is_asked and form.is_valid():
            context["answer"] = _answer_question(**form.cleaned_data)
        title = "Why can this person not sign?"
        return render_own_page(
            self, request, "admin/filing/membership/why_not_sign.html", title, context
        )


def _answer_question(
    *, person: User, lei: str, submission: Submission | Period | None
) -> SigningAnswer:
    is_submission = isinstance(submission, Submission)
    conditions = list_signing_conditions(
        person,
        lei,
        period=submission if isinstance(submission, Period) else None,
        submission=submission if isinstance(submission, Submission) else None,
    )
    name = institutions.find_institution_names([lei]).get(lei)
    whose = f"{name}, {lei}" if name else lei
    about = f"submission {submission} of {name or lei}" if is_submission else f"filings of {whose}"
    if isinstance(submission, Period):
        about = f"{about} for {submission}"
    return SigningAnswer(
        person=person_with_email(person),
        about=about,
        conditions=conditions,
        obstacles=find_obstacles(conditions),
        announcements=[each for each in list_current_announcements() if each.level != "info"],
    )


def _find_named_submission(lei: str, period: str, number: int) -> Submission:
    """Return the submission of an id. Raises: ValidationError."""
    year, _, quarter = period.partition("-")
    row = Submission.objects.filter(
        filing__institution__lei=lei,
        filing__period__year=int(year),
        filing__period__quarter=quarter,
        sequence_number=number,
    ).first()
    submission = find_submission(row.pk) if row else None
    if submission is None:
        raise ValidationError(f"There is no submission {lei}-{period}-{number}.")
    return submission
