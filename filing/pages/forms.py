"""Forms of the profile page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User

from filing.models import Institution

DAYS = 90  # of a personal token, unless its user wishes otherwise


class NameForm(forms.ModelForm):
    """The name of a user whose account is here."""

    class Meta:
        model = User
        fields = ("first_name", "last_name")
        widgets = {
            "first_name": forms.TextInput(attrs={"autocomplete": "given-name"}),
            "last_name": forms.TextInput(attrs={"autocomplete": "family-name"}),
        }


class InstitutionsForm(forms.Form):
    """Which institutions of the user's email domain they act for."""

    leis = forms.MultipleChoiceField(
        label="Institutions with your email domain",
        help_text="Tick those that you file for.",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, matching: Sequence[Institution], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["leis"].choices = [  # type: ignore[attr-defined]
            (institution.lei, f"{institution.name} ({institution.lei})") for institution in matching
        ]


class PersonalTokenForm(forms.Form):
    """What a personal token is for, and how long."""

    name = forms.CharField(max_length=100, help_text="What it is for, such as “nightly upload”.")
    leis = forms.MultipleChoiceField(
        label="Institutions",
        help_text="It acts for these alone.",
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.IntegerField(min_value=1, initial=DAYS)

    def __init__(self, *args: Any, names: dict[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["leis"].choices = [  # type: ignore[attr-defined]
            (lei, f"{name} ({lei})" if name else lei) for lei, name in names.items()
        ]
        days = self.fields["days"]
        days.max_value = settings.PERSONAL_TOKEN_DAYS  # type: ignore[attr-defined]
        days.initial = min(DAYS, settings.PERSONAL_TOKEN_DAYS)
        days.help_text = f"How long it is good, up to {settings.PERSONAL_TOKEN_DAYS} days."
