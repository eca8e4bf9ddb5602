"""The forms of the page that checks receipts."""

from __future__ import annotations

from django import forms

_PLAIN = {"autocomplete": "off", "spellcheck": "false"}


class NumberForm(forms.Form):
    """The number of a receipt."""

    receipt = forms.CharField(
        label="Receipt number",
        help_text="As on the receipt, such as 529900EXAMPLELEI0001-2024-1-1740000000000.",
        max_length=200,
        widget=forms.TextInput(attrs=_PLAIN),
    )


class ContentForm(forms.Form):
    """The content of a receipt file."""

    content = forms.CharField(
        required=False,
        label="Or paste its content",
        widget=forms.Textarea(attrs={**_PLAIN, "rows": 4}),
    )
