"""People who propose changes of the panel, and staff who answer, each with a browser."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from config.identity import tokens
from filing.models import RecordProposal
from tests import make
from tests.conftest import LEI

PAGE = f"/filing/{LEI}/record/"
REGISTER = "/filing/register/"
NEW_LEI = "529900NEWBANK0000047"
WHY = "We moved our filing to another agency."
NEW: dict[str, Any] = {
    "lei": NEW_LEI,
    "name": "New Bank",
    "tax_id": "98-7654321",
    "agency": "3",
    "email_domains": "new.example",
    "year": "2024",
    "quarterly_filer": "on",
    "reason": "We were founded in 2023; I am the compliance officer.",
}


def add_member(name: str, *leis: str, domain: str = "bank.example", **roles: Any) -> User:
    """Return a user with a verified address who acts for institutions."""
    user = make.user(name, email=f"{name}@{domain}", is_verified=True)
    for lei in leis:
        make.member(user, lei, **roles)
    return user


def add_staff(name: str, group: str = "operator", domain: str = "service.example") -> User:
    """Return someone of the staff."""
    user = make.staff(group, username=name, email=f"{name}@{domain}")
    tokens.known_identity(user)
    return user


def fill_record_form(browser: Client, page: str = PAGE, **changes: str) -> dict[str, str]:
    """Return the fields of the form to propose a change as the page has them, with changes."""
    form = browser.get(page).context["form"]
    fields = {}
    for bound in form:
        value = bound.value()
        if isinstance(value, bool):
            fields |= {bound.html_name: "on"} if value else {}
        else:
            fields[bound.html_name] = "" if value is None else str(value)
    return {**fields, "reason": WHY, **changes}


def propose_on_page(browser: Client, page: str = PAGE, **changes: str) -> Any:
    return browser.post(page, fill_record_form(browser, page, **changes))


def answer_in_admin(
    staff: Client, proposal: RecordProposal, action: str, text: str = "Done."
) -> Any:
    """Preview an action and run it; return the report, or the preview if it is not possible."""
    page = reverse(f"admin:filing_recordproposal_{action}")
    preview = staff.get(page, {"pk": proposal.pk})
    if preview.status_code != 200 or not preview.context["done"]:
        return preview
    return staff.post(page, {"chosen": preview.context["chosen"], "reason": text})


def correct_in_admin(
    staff: Client, proposal: RecordProposal, text: str = "Done.", **values: str
) -> Any:
    """Accept a proposal with changes, after the preview."""
    page = reverse("admin:filing_recordproposal_correct", args=[proposal.pk])
    form = staff.get(page).context["form"]
    fields = {bound.html_name: bound.value() for bound in form if bound.value()} | values
    preview = staff.post(page, fields)
    if preview.status_code != 200 or preview.context["lines"] is None:
        return preview
    confirmed = {"digest": preview.context["digest"], "reason": text}
    return staff.post(page, fields | confirmed)
