"""Who of an organization did what for an institution: the list that both sides see."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from filing.models import Delegation
from filing.pages import states
from filing.people import administrators, delegations
from filing.requests import select_page
from filing.statuses import Event, Status


def describe_acts(
    request: HttpRequest, delegation: Delegation, *, is_for_organization: bool = False
) -> dict[str, Any]:
    """Return a page of the list, for a template: `acts`, `current_page`."""
    acts = delegations.find_acts(delegation, is_for_organization=is_for_organization)
    current_page = select_page(request.GET.get("page"), acts.count())
    rows = list(acts[current_page.rows])
    names = administrators.name_people(row.actor_username for row in rows)
    return {
        "current_page": current_page,
        "acts": [
            {
                "at": row.at,
                "person": names.get(row.actor_username, row.actor_username),
                "submission": row.submission,
                "url": states.build_page_address(
                    "filing-submission",
                    row.submission.lei,
                    row.submission.period,
                    number=row.submission.sequence_number,
                ),
                "what": Event[row.event].value,
                "status": Status(row.after).message,
                "reason": row.reason,
            }
            for row in rows
        ],
    }
