from __future__ import annotations

import re

from django import forms
from django.forms.renderers import get_default_renderer
from django.urls import reverse

from config.pages import navigation


def test_sections_show_what_is_there_and_mark_where_one_is():
    shown = {each["label"]: each for each in navigation.navigation_sections(reverse("redoc"))}
    assert [*shown] == [each.label for each in navigation.SECTIONS if each.links]
    assert shown["API"]["current"]
    assert not shown["Help"]["current"]
    assert navigation.find_address("no-such-page") == ""


class Everything(forms.Form):
    name = forms.CharField(help_text="As in the register.")
    note = forms.CharField(required=False, widget=forms.Textarea)
    secret = forms.CharField(widget=forms.PasswordInput)
    kind = forms.ChoiceField(choices=[("a", "First"), ("b", "Second")])
    one = forms.ChoiceField(choices=[("a", "First"), ("b", "Second")], widget=forms.RadioSelect)
    many = forms.MultipleChoiceField(
        choices=[("x", "Ex"), ("y", "Why")], widget=forms.CheckboxSelectMultiple
    )
    agreed = forms.BooleanField(label="I agree")
    file = forms.FileField()
    hidden = forms.CharField(widget=forms.HiddenInput, required=False)

    def clean(self):
        raise forms.ValidationError("These do not fit together.")


def tag(html: str, name: str) -> str:
    return re.search(rf'<(?:input|select|textarea)[^>]*name="{name}"[^>]*>', html)[0]


def test_each_input_is_labelled_and_styled():
    html = str(Everything())
    for name, css in (
        ("name", "usa-input"), ("note", "usa-textarea"), ("secret", "usa-input"),
        ("kind", "usa-select"), ("one", "usa-radio__input"), ("many", "usa-checkbox__input"),
        ("agreed", "usa-checkbox__input"), ("file", "usa-file-input"),
    ):  # fmt: skip
        drawn = tag(html, name)
        assert f'class="{css}"' in drawn
        named = re.search(r'id="([^"]+)"', drawn)[1]
        assert f'for="{named}"' in html
    assert html.count("<legend") == 2
    assert "role=" not in html  # nothing is wrong yet


def test_hints_and_errors_are_tied_to_their_input_and_summed_up():
    form = Everything({"name": ""})
    html = str(form)
    drawn = tag(html, "name")
    assert 'aria-invalid="true"' in drawn
    for told in re.search('aria-describedby="([^"]+)"', drawn)[1].split():
        assert f'id="{told}"' in html
    summary = html[: html.index("</ul>")]
    assert 'role="alert"' in summary
    assert "These do not fit together." in summary
    for link in re.findall('href="#([^"]+)"', summary):
        assert f'id="{link}"' in html


def test_a_class_that_a_form_gives_itself_is_kept():
    class Own(forms.Form):
        code = forms.CharField(widget=forms.TextInput(attrs={"class": "narrow"}))

    assert 'class="usa-input narrow"' in str(Own())


def test_what_a_visitor_wrote_is_escaped():
    html = get_default_renderer().render(
        "components/form.html", {"form": Everything({"name": "<script>"})}
    )
    assert "<script>" not in html
