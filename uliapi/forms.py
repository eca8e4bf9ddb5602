"""The form of the check digit page."""

from __future__ import annotations

from django import forms


class IdentifierForm(forms.Form):
    """One identifier. It is validated with the answer, not by the form."""

    identifier = forms.CharField(
        label="Loan identifier or ULI",
        help_text="A loan identifier has 21 to 43 letters and digits, a ULI has 23 to 45.",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}
        ),
    )
