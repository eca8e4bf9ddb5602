"""The summary of what is wrong with forms."""

from __future__ import annotations

import re

from django import forms
from django.contrib.admin.widgets import AdminSplitDateTime
from django.template import Context, Template


class Sample(forms.Form):
    ticket = forms.CharField(widget=forms.HiddenInput)
    name = forms.CharField()
    kinds = forms.MultipleChoiceField(choices=[("a", "A")], widget=forms.CheckboxSelectMultiple)
    at = forms.SplitDateTimeField(widget=AdminSplitDateTime)
    file = forms.FileField()

    def clean(self) -> None:
        raise forms.ValidationError("The whole is <wrong>.")


def shown(words: str, **context: object) -> str:
    return Template(f"{{% load error_summary %}}{{% error_summary {words} %}}").render(
        Context(context)
    )


def problems(html: str) -> list[tuple[str, str]]:
    """Return where each problem leads, and what it says."""
    items = re.findall(r"<li>(.*?)</li>", html)
    return [
        ((re.findall('href="(.*?)"', item) or [""])[0], re.sub("<.*?>", "", item)) for item in items
    ]


def test_each_problem_leads_to_the_first_input_of_its_field():
    html = shown("form", form=Sample({}))
    assert "There are 6 problems" in html
    required = "This field is required."
    assert problems(html) == [
        ("", "The whole is &lt;wrong&gt;."),
        ("", f"Ticket: {required}"),
        ("#id_name", f"Name: {required}"),
        ("#id_kinds_0", f"Kinds: {required}"),
        ("#id_at_0", f"At: {required}"),
        ("#id_file", f"File: {required}"),
    ]


def test_one_sentence_leads_to_the_input_that_is_named():
    html = shown("problem=refusal field='file'", refusal="It is empty.")
    assert "There is a problem" in html
    assert problems(html) == [("#file", "It is empty.")]
    assert 'role="alert" tabindex="-1" autofocus' in html


def test_a_form_that_is_named_twice_is_told_of_once():
    form = Sample({})
    assert shown("form other form", form=form, other=form) == shown("form", form=form)


def test_nothing_wrong_shows_nothing():
    assert not shown("form missing problem=refusal", form=Sample(), refusal="").strip()
