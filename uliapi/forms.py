"""The form of the page."""

from __future__ import annotations

from django import forms


class IdentifierForm(forms.Form):
    """One identifier. What it may hold is not said here: the answer tells."""

    identifier = forms.CharField(
        label="Loan identifier or ULI",
        help_text="A loan identifier has 21 to 43 letters and digits, a ULI has 23 to 45.",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}
        ),
    )
