"""Django form inputs with the classes of the design system."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import template
from django.core.paginator import Paginator
from django.forms.boundfield import BoundField, BoundWidget
from django.utils.safestring import SafeString

register = template.Library()

# By widget type; all others are text inputs.
CLASSES = {
    "checkbox": "usa-checkbox__input",
    "clearablefile": "usa-file-input",
    "file": "usa-file-input",
    "nullbooleanselect": "usa-select",
    "radio": "usa-radio__input",
    "select": "usa-select",
    "selectmultiple": "usa-select",
    "textarea": "usa-textarea",
}
PLAIN = "usa-input"


@register.filter
def styled(field: BoundField) -> SafeString:
    """Return the input of a field, with the classes of its widget kept."""
    css = [CLASSES.get(field.widget_type, PLAIN), field.field.widget.attrs.get("class", "")]
    if field.errors:
        css.append("usa-input--error")
    return field.as_widget(attrs={"class": " ".join(filter(None, css))})


@register.filter
def styled_choice(choice: BoundWidget) -> SafeString:
    """Return one radio button or checkbox of a field, without its label."""
    kind = choice.data["type"]
    choice.data["attrs"] = {**choice.data["attrs"], "class": CLASSES[kind]}
    return choice.tag()


@register.filter
def elided(paginator: Paginator[Any], number: int) -> Iterable[int | str]:
    """Return the page numbers to show around this one, with ellipses for the others."""
    return paginator.get_elided_page_range(number, on_each_side=1, on_ends=1)
