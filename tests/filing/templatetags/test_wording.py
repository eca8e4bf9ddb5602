"""Templates name people and moments as all code does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.template import Context, Template
from django.utils import timezone

from filing.access import Person

AT = datetime(2025, 3, 2, 3, 30, 7, tzinfo=UTC)  # March 1 in Washington


def shown(template: str, **context: Any) -> str:
    return Template("{% load wording %}" + template).render(Context(context))


def test_a_moment_is_shown_in_the_zone_of_filing_whatever_zone_is_current() -> None:
    for zone in ("UTC", "Asia/Tokyo"):
        with timezone.override(zone):
            assert shown("{{ at|moment }}", at=AT) == "March 1, 2025, 10:30 PM EST"
            assert shown("{{ at|moment_with_seconds }}", at=AT) == "March 1, 2025, 10:30:07 PM EST"
    assert shown("{{ at|moment }}{{ at|moment_with_seconds }}", at=None) == ""


def test_a_name_cannot_add_markup() -> None:
    person = Person(name="<b>Ann", email="ann@bank.example")
    assert shown("{{ person|person_name }}", person=person) == "&lt;b&gt;Ann"
    both = shown("{{ person|person_with_email }}", person=person)
    assert both == "&lt;b&gt;Ann, ann@bank.example"
