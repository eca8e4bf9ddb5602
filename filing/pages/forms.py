"""Forms of the profile page, the webhooks, and the page to sign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User

from filing import submissions
from filing.access import Scope
from filing.models import Institution

DAYS = 90  # how long a personal token is valid by default


class ProfileNameForm(forms.ModelForm):
    """The name of a user with an account of this service."""

    class Meta:
        model = User
        fields = ("first_name", "last_name")
        widgets = {
            "first_name": forms.TextInput(attrs={"autocomplete": "given-name"}),
            "last_name": forms.TextInput(attrs={"autocomplete": "family-name"}),
        }


class ProfileInstitutionsForm(forms.Form):
    """The institutions with the user's email domain that the user acts for."""

    leis = forms.MultipleChoiceField(
        label="Institutions with your email domain",
        help_text="Select those that you file for.",
        required=False,
        error_messages={"required": "Select at least one institution."},
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(
        self,
        *args: Any,
        matching: Sequence[Institution],
        is_required: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.fields["leis"].required = is_required
        self.fields["leis"].choices = [  # type: ignore[attr-defined]
            (institution.lei, f"{institution.name} ({institution.lei})") for institution in matching
        ]


class PersonalTokenForm(forms.Form):
    """The name, institutions and lifetime of a personal token; of administrators also scopes."""

    name = forms.CharField(
        max_length=100, help_text="What the token is for, such as “nightly upload”."
    )
    leis = forms.MultipleChoiceField(
        label="Institutions",
        help_text="The token can act only for these.",
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    scopes = forms.MultipleChoiceField(
        label="Operator API",
        help_text="What the token may do in the operator API, while you are administrator.",
        choices=[(scope.value, scope.value) for scope in Scope],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    days = forms.IntegerField(min_value=1, initial=DAYS)

    def __init__(
        self, *args: Any, names: dict[str, str], has_scopes: bool = False, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.fields["leis"].choices = [  # type: ignore[attr-defined]
            (lei, f"{name} ({lei})" if name else lei) for lei, name in names.items()
        ]
        self.fields["leis"].required = not has_scopes
        if has_scopes and not names:
            del self.fields["leis"]
        if not has_scopes:
            del self.fields["scopes"]
        days = self.fields["days"]
        days.max_value = settings.PERSONAL_TOKEN_DAYS  # type: ignore[attr-defined]
        days.initial = min(DAYS, settings.PERSONAL_TOKEN_DAYS)
        days.help_text = f"How long the token is valid, up to {settings.PERSONAL_TOKEN_DAYS} days."


class WebhookForm(forms.Form):
    """The address of a webhook."""

    url = forms.CharField(
        label="Address",
        max_length=500,
        help_text="It begins with https:// and can be reached from the internet.",
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off"}),
    )


class CertificationForm(forms.Form):
    """The certification of a file and, where the institution has filed before, the reason.

    is_refiling: whether another submission counts as filed now.
    """

    reason = forms.CharField(
        max_length=submissions.LONGEST_REASON,
        label="Reason for filing again",
        error_messages={"required": "Enter the reason for filing again."},
    )
    certified = forms.BooleanField(
        label="Certification", error_messages={"required": "Select the box to certify the data."}
    )

    def __init__(self, *args: Any, is_refiling: bool, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "%s", **options})
        if not is_refiling:
            del self.fields["reason"]
