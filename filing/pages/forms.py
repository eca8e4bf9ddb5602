"""Forms of the profile page, the webhooks, and the page to sign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User

from filing import submissions
from filing.access import Scope
from filing.lar.fields import AGENCIES
from filing.models import Institution
from filing.panel import proposals

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
        max_length=100,
        help_text="What the token is for, such as “nightly upload”.",
        error_messages={"required": "Enter a name for the token."},
    )
    leis = forms.MultipleChoiceField(
        label="Institutions",
        help_text="The token can act only for these.",
        widget=forms.CheckboxSelectMultiple,
        required=False,
        error_messages={"required": "Select at least one institution."},
    )
    is_prepare_only = forms.BooleanField(
        label="For preparing only",
        help_text="The token uploads, reviews and verifies, but cannot sign. Without this it can "
        "do what you can do for the institution at that moment.",
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
            del self.fields["is_prepare_only"]
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
        error_messages={"required": "Enter the address of your program, with https://."},
    )


class RecordForm(forms.Form):
    """What the panel has for an institution, to propose other values. Panel checks are elsewhere.

    seen: a digest of the record as the page showed it.
    """

    name = forms.CharField(
        label="Name",
        max_length=200,
        error_messages={"required": "Enter the name of the institution."},
    )
    tax_id = forms.CharField(label="TIN", max_length=15, required=False, help_text="As 99-9999999.")
    agency = forms.TypedChoiceField(
        label="Federal agency", coerce=int, choices=list(AGENCIES.items())
    )
    email_domains = forms.CharField(
        label="Email domains",
        required=False,
        max_length=2000,
        help_text="Of your institution alone, separated by commas, such as bank.example.",
    )
    quarterly_filer = forms.BooleanField(label="Files quarterly, too", required=False)


class RecordProposalForm(RecordForm):
    """A proposal for a record: all its fields, and the reason."""

    seen = forms.CharField(widget=forms.HiddenInput, max_length=64)
    institution_type = forms.CharField(label="Institution type", max_length=60, required=False)
    rssd = forms.CharField(label="RSSD", max_length=20, required=False)
    city = forms.CharField(label="City", max_length=80, required=False)
    state = forms.CharField(
        label="State", max_length=2, required=False, help_text="Two letters, such as IL."
    )
    assets = forms.CharField(
        label="Assets", max_length=20, required=False, help_text="In thousands of dollars."
    )
    other_lender_code = forms.CharField(label="Other lender code", max_length=6, required=False)
    parent_rssd = forms.CharField(label="Parent RSSD", max_length=20, required=False)
    parent_name = forms.CharField(label="Parent name", max_length=200, required=False)
    top_holder_rssd = forms.CharField(label="Top holder RSSD", max_length=20, required=False)
    top_holder_name = forms.CharField(label="Top holder name", max_length=200, required=False)
    reason = forms.CharField(
        label="Reason",
        max_length=proposals.LONGEST_REASON,
        help_text="What has changed and since when. Staff decide with it.",
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": "Enter what has changed and since when."},
    )

    def main_fields(self) -> list[forms.BoundField]:
        """Return the fields that the page shows first."""
        return [self[name] for name in RecordForm.base_fields]

    def other_fields(self) -> list[forms.BoundField]:
        """Return the fields that the page shows on request."""
        shown = {*RecordForm.base_fields, "seen", "reason"}
        return [self[name] for name in self.fields if name not in shown]

    def values(self) -> dict[str, Any]:
        """Return the proposed values by field, as a panel file has them."""
        return {name: self.cleaned_data[name] for name in proposals.PROPOSABLE}


class RegisterInstitutionForm(RecordForm):
    """A new institution, and why it files."""

    lei = forms.CharField(
        label="LEI",
        max_length=20,
        help_text="20 letters and digits.",
        error_messages={"required": "Enter the LEI, 20 letters and digits."},
    )
    year = forms.TypedChoiceField(
        label="First year it files for",
        coerce=int,
        help_text="Its data of this year are the first that it files.",
    )
    reason = forms.CharField(
        label="Why it files, and what you do for it",
        max_length=proposals.LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": "Enter why the institution files."},
    )
    field_order = ("lei", "name", "tax_id", "agency", "email_domains", "year", "quarterly_filer")

    def __init__(self, *args: Any, years: Sequence[int], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["tax_id"].required = True
        self.fields["tax_id"].error_messages["required"] = "Enter the TIN, as 99-9999999."
        self.fields["agency"].error_messages["required"] = "Select the federal agency."
        agencies = [("", "Select the agency"), *AGENCIES.items()]
        self.fields["agency"].choices = agencies  # type: ignore[attr-defined]
        self.fields["year"].choices = [(year, year) for year in years]  # type: ignore[attr-defined]

    def values(self) -> dict[str, Any]:
        """Return the values by field, as a panel file has them."""
        return {name: self.cleaned_data[name] for name in proposals.OF_NEW}


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
