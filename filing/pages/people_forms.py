"""Forms of the pages on the people of an institution."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.http import QueryDict

from filing.people.invitations import LONGEST_REASON, Roles

GRANT = "grant"  # the button of a request; the other one refuses it
_ROLES = [
    ("preparer", "Preparer: uploads files, reviews and verifies edits"),
    ("signer", "Signer: certifies and signs"),
    (
        "administrator",
        "Administrator: looks after people, the institution's record and the organizations that "
        "act for it",
    ),
]
EMAIL_ERRORS = dict.fromkeys(
    ("required", "invalid"), "Enter an email address, such as name@bank.example."
)
_MISSING_REASON = "Enter a reason. It is recorded with the change."
_BY_DOMAIN, _BY_ADMINISTRATOR = "domain", "administrator"


class ReasonForm(forms.Form):
    """Why access ends, or a request is refused."""

    reason = forms.CharField(
        max_length=LONGEST_REASON,
        help_text="It goes into the email about the change, and into the audit log.",
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _MISSING_REASON},
    )

    def __init__(self, data: Any = None, *, help_text: str = "") -> None:
        super().__init__(data)
        if help_text:
            self.fields["reason"].help_text = help_text


class RolesForm(forms.Form):
    """The roles of a person, and the last day."""

    roles = forms.MultipleChoiceField(
        choices=_ROLES,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Without a role, the person sees everything and changes nothing.",
    )
    until = forms.DateField(
        label="Last day",
        required=False,
        help_text="Such as 2026-12-31. From the day after, the person has no access. "
        "Administrators have no last day.",
        # Not the date field of browsers: no one sees on which part of it the focus is.
        widget=forms.DateInput(attrs={"autocomplete": "off"}, format="%Y-%m-%d"),
        error_messages={"invalid": "Enter a day such as 2026-12-31."},
    )

    def read_roles(self) -> Roles:
        """Return the roles in a valid form."""
        return Roles.from_names(self.cleaned_data["roles"], self.cleaned_data["until"])


class InvitationForm(RolesForm):
    """Whom an administrator invites."""

    email = forms.EmailField(
        label="Email address",
        max_length=254,
        help_text="The person accepts with an account of this address.",
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
        error_messages=EMAIL_ERRORS,
    )
    field_order = ("email", "roles", "until")


class WithSeen(forms.Form):
    """What is changed, in words, as the page showed it: nothing is overwritten unseen."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def renew_seen(self, now: forms.Form) -> None:
        """Count as seen what a form of now shows: the refusal beside this one says it."""
        data = cast(QueryDict, self.data).copy()
        data["seen"] = now.initial["seen"]
        self.data = data


class PersonForm(WithSeen, RolesForm):
    """Other roles of a person, or another last day, with the reason."""

    reason = ReasonForm.base_fields["reason"]


class RequestForm(RolesForm):
    """Whether a person who asked gets access: then the roles, else the reason."""

    reason = forms.CharField(
        label="Reason, if you refuse",
        required=False,
        max_length=LONGEST_REASON,
        help_text="The person gets it by email.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    @property
    def is_refusing(self) -> bool:
        """Whether the form was sent with the button that refuses."""
        return bool(self.data.get("answer") != GRANT)

    def clean_reason(self) -> str:
        """Ask for a reason where the request is refused."""
        reason: str = self.cleaned_data["reason"]
        if self.is_refusing and not reason:
            raise forms.ValidationError("Enter a reason. The person gets it by email.")
        return reason


class JoiningForm(forms.Form):
    """Who may join the institution."""

    joining = forms.ChoiceField(
        label="People with an email domain of the institution",
        choices=[
            (_BY_ADMINISTRATOR, "ask, and an administrator decides"),
            (_BY_DOMAIN, "join by themselves, as preparer and signer"),
        ],
        widget=forms.RadioSelect,
    )

    def __init__(self, data: Any = None, *, joins_by_domain: bool) -> None:
        initial = {"joining": _BY_DOMAIN if joins_by_domain else _BY_ADMINISTRATOR}
        super().__init__(data, initial=initial)

    @property
    def joins_by_domain(self) -> bool:
        """Whether a valid form lets people join by themselves."""
        return bool(self.cleaned_data["joining"] == _BY_DOMAIN)
