"""What is wrong with the forms of a page, as one list that leads to each field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django import template
from django.forms import BaseForm, CheckboxSelectMultiple, MultiWidget, RadioSelect
from django.forms.boundfield import BoundField

register = template.Library()

_OF_SEVERAL_INPUTS = (CheckboxSelectMultiple, MultiWidget, RadioSelect)


class Problem(NamedTuple):
    """A sentence, the label of its field and the id of the input; blank for a form as a whole."""

    text: str
    label: str = ""
    field: str = ""


@register.inclusion_tag("components/errors.html")
def error_summary(*forms: Any, problem: str = "", field: str = "") -> dict[str, Any]:
    """Show what is wrong with these forms, or one `problem` with the input whose id is `field`.

    What is no form, such as a name that the page does not have, is left out.
    """
    problems = [Problem(problem, field=field)] if problem else []
    for form in dict.fromkeys(each for each in forms if isinstance(each, BaseForm)):
        problems.extend(_problems(form))
    return {"problems": problems}


def _problems(form: BaseForm) -> Iterator[Problem]:
    """Yield the problems of a form: those of the whole, then by field as they stand."""
    if not form.errors:
        return
    for error in form.non_field_errors():
        yield Problem(str(error))
    for field in form:
        for error in field.errors:
            yield Problem(str(error), str(field.label), "" if field.is_hidden else _input_of(field))


def _input_of(field: BoundField) -> str:
    """Return the id of the input of a field, the first one where it has several."""
    if isinstance(field.field.widget, _OF_SEVERAL_INPUTS):
        return f"{field.auto_id}_0"
    return field.id_for_label or field.auto_id
