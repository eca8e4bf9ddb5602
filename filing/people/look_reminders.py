"""Reminders to administrators to confirm the list of their institution's people for a season.

There are three: 30 days before the season opens, when it opens, and 14 days before the filing
deadline, which an extension of the institution moves. Each goes out once to each administrator of
an institution whose list is to be confirmed then; one that comes late, because the service was
down, goes out with the next run. An institution that does not owe the year, because it closed or
was absorbed or replaced, gets none.
"""

from __future__ import annotations

import logging
from datetime import date, timedelta

from django.db import transaction

from filing import access, day_hours
from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.models import FilingPeriod, Institution, Membership
from filing.people import administrators, rosters
from filing.people.institutions import find_newest_records
from filing.periods import due_dates, duties

log = logging.getLogger(__name__)

BEFORE_OPENING = timedelta(days=30)
BEFORE_DEADLINE = timedelta(days=14)
CHUNK = 500  # emails in one transaction


def find_due_reminder(season: FilingPeriod, today: date) -> str:
    """Return the last reminder of a season whose day has come; blank before the first.

    season: with the days of the institution.
    """
    days = {
        "before": season.opens - BEFORE_OPENING,
        "open": season.opens,
        "deadline": season.timely_until - BEFORE_DEADLINE,
    }
    if today > season.timely_until:
        return ""
    return max((day, name) for name, day in {**days, "": date.min}.items() if day <= today)[1]


def remind_administrators(today: date | None = None) -> int:
    """Queue the reminders that are due to the administrators; return how many were queued."""
    day = today or day_hours.today()
    season = rosters.find_look(day)
    if season is None:
        return 0
    due = rosters.filter_due(Membership.objects.order_by(), season).values("lei")
    rows = access.find_administrators().filter(~duties.match_released(season.period), lei__in=due)
    pairs = list(rows.order_by("lei", "pk").values_list("lei", "user__email"))
    queued = sum(
        _queue_reminders(pairs[start : start + CHUNK], season, day)
        for start in range(0, len(pairs), CHUNK)
    )
    if queued:
        log.info("%s administrators reminded to confirm their people for %s", queued, season)
    return queued


@transaction.atomic
def _queue_reminders(pairs: list[tuple[str, str]], season: FilingPeriod, today: date) -> int:
    """Queue the reminders that are due to administrators, each an LEI and an address."""
    newest = find_newest_records({lei for lei, _ in pairs})
    drafts = [
        _draft_reminder(
            lei, to, newest.get(lei), own_season, reminder, is_open=season.opens <= today
        )
        for lei, to in pairs
        if (reminder := find_due_reminder(own_season := season.of_institution(lei), today))
    ]
    return len(outbox.queue_emails(drafts))


def _draft_reminder(
    lei: str,
    to: str,
    record: Institution | None,
    season: FilingPeriod,
    reminder: str,
    *,
    is_open: bool,
) -> EmailDraft:
    facts = {
        "lei": lei,
        "name": record.name if record else lei,
        "year": season.year,
        "opens": day_hours.day_in_words(season.opens),
        "deadline": due_dates.describe_deadline(season, day_hours.day_in_words),
        "is_open": is_open,
    }
    about = ("look", lei, f"{season.year}", reminder)
    return outbox.draft_email(
        administrators.KIND, about, to, facts, institution=record, template="people_look"
    )
