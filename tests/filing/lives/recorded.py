"""Events of institutions as staff record them in the admin."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.urls import reverse

from filing.lives.reports import EventReport
from filing.models import Institution, InstitutionEvent

BANK, OTHER, NEW = "529900PRAIRIEBANK042", "529900HARBORBANK0042", "529900NEWLEI00000042"
REASON = "Letter of the regulator, case 12."


def event_page(lei: str, kind: str) -> str:
    """Return the address of the form of an event."""
    key = (
        Institution.objects.filter(lei=lei).order_by("-activity_year").values_list("pk", flat=True)
    )
    return f"{reverse('admin:filing_institution_event')}?pk={key[0]}&kind={kind}"


def preview(client: Client, lei: str, kind: str, **fields: Any) -> EventReport:
    """Return the report of a preview."""
    answer = client.post(event_page(lei, kind), fields)
    report = answer.context["report"]
    assert report, answer.context["form"].errors
    return report


def refusal(client: Client, lei: str, kind: str, **fields: Any) -> str:
    """Return why a preview is refused."""
    answer = client.post(event_page(lei, kind), fields)
    assert answer.context["report"] is None
    return " ".join(text for texts in answer.context["form"].errors.values() for text in texts)


def record(client: Client, lei: str, kind: str, **fields: Any) -> InstitutionEvent:
    """Preview an event, confirm it, and return it."""
    report = preview(client, lei, kind, **fields)
    confirmed = {**fields, "digest": report.digest, "reason": REASON}
    answer = client.post(event_page(lei, kind), confirmed)
    assert answer.status_code == 302, answer.context["form"].errors
    event = InstitutionEvent.objects.order_by("-pk")[0]
    assert event.facts["report"] == [[line.part, line.about, line.text] for line in report.lines]
    return event


def take_back(client: Client, event: InstitutionEvent) -> str:
    """Take an event back, and return what was done or why not."""
    page = reverse("admin:filing_institutionevent_undo")
    answer = client.get(page, {"pk": event.pk})
    if (chosen := answer.context["chosen"]) != "{}":  # it is possible
        body = {"chosen": chosen, "reason": "Recorded by mistake."}
        answer = client.post(page, body)
    assert answer.status_code == 200, (answer.status_code, answer.get("Location"))
    (line,) = answer.context["outcomes"]
    return str(line.text)


def texts_of(report: EventReport, part: str) -> dict[str, list[str]]:
    """Return the lines of a part of a report by what they are about."""
    found: dict[str, list[str]] = {}
    for line in report.lines:
        if line.part == part:
            found.setdefault(line.about, []).append(line.text)
    return found
