"""Reminders: staff write to the people of institutions that have not filed for a period.

The people are those who may file for the institution now, or look after its people. An institution
without any is written to at the contact of its last signed transmittal sheet: it named them for
questions about its filings (12 CFR 1003.5(a)(3)), and an officer certified it. The sheet of a file
that was only uploaded is certified by no one, so it is not used; nor is a contact whose own right
ended. No institution is reminded of a period twice in a week, or once it can no longer file.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property, partial

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from filing import access, audit, day_hours
from filing.access import Caller
from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.errors import BadInput, NotReady
from filing.jobs import queue
from filing.models import (
    AuditEvent,
    Filing,
    FilingPeriod,
    Institution,
    RemindedInstitution,
    Reminder,
)
from filing.people import memberships
from filing.people.institutions import find_contacts
from filing.periods import due_dates, timeliness
from filing.previews import require_previewed
from filing.registries import Lease
from filing.seasons import figures
from filing.seasons.years import require_reason
from filing.storable_text import is_storable

log = logging.getLogger(__name__)

KIND = "reminder"  # of the job and the email
PAUSE = timedelta(days=7)  # between two reminders of an institution for a period
LONGEST_TEXT = 4000  # characters
CHUNK = 500  # emails in one transaction
INSTITUTIONS_NAMED = 50  # in one email


@dataclass(frozen=True)
class ReminderLine:
    """An institution that has not filed: to whom a reminder goes, or why it is left out.

    is_contact: no one may file for it now, so the contact of its last transmittal sheet is used.
    is_closed: it can no longer file for the period.
    """

    institution: Institution
    addresses: tuple[str, ...]
    is_contact: bool
    is_closed: bool
    reminded_at: datetime | None

    @property
    def left_out(self) -> str:
        """Why no reminder is sent; blank where one is."""
        if self.is_closed:
            return "left out: the filing period is closed"
        if self.reminded_at:
            return f"left out: reminded on {day_hours.describe_day(self.reminded_at)}"
        return "" if self.addresses else "left out: no one to write to"


@dataclass(frozen=True)
class ReminderPlan:
    """To whom a reminder of a period would go, by name of the institution."""

    period: FilingPeriod
    lines: tuple[ReminderLine, ...]

    @cached_property
    def included(self) -> tuple[ReminderLine, ...]:
        return tuple(line for line in self.lines if not line.left_out)

    @cached_property
    def by_address(self) -> dict[str, list[Institution]]:
        """The institutions of each address, which gets one email about all of them."""
        institutions = defaultdict(list)
        for line in self.included:
            for address in line.addresses:
                institutions[address].append(line.institution)
        return dict(institutions)

    def keep_addresses(self, addresses: Mapping[str, Collection[str]]) -> ReminderPlan:
        """Return the plan without the addresses that are not among these, by LEI."""
        kept = (
            replace(
                line,
                addresses=tuple(
                    each for each in line.addresses if each in addresses[line.institution.lei]
                ),
            )
            for line in self.lines
        )
        return replace(self, lines=tuple(kept))

    def draft_first(self, text: str) -> EmailDraft | None:
        """Return the email to the first address, as a preview shows it; none if no one gets one."""
        for address, institutions in self.by_address.items():
            return draft_reminder(None, self.period, text, address, institutions)
        return None

    def list_facts(self, text: str) -> list[object]:
        """Return what a preview with this text shows: who gets what, and who is left out why."""
        lines = [
            (line.institution.lei, line.addresses, line.is_contact, line.left_out)
            for line in self.lines
        ]
        return [*lines, self.draft_first(text)]


def plan_reminder(
    period: FilingPeriod, filings: Collection[int] | None = None, *, repeats: bool = False
) -> ReminderPlan:
    """Return to whom a reminder would go.

    filings: keys of some filings; by default all that are not signed. repeats: whether institutions
    that were reminded a short time ago are included.
    """
    today, owing = day_hours.today(), figures.find_filings_not_signed(period)
    if filings is not None:
        owing = owing.filter(pk__in=filings)
    leis = owing.order_by().values("institution__lei")
    people = memberships.find_filing_addresses(leis)
    reminded = {} if repeats else _find_reminded(period)
    ended = {
        (lei, address.lower())
        for lei, address in access.find_ended_rights()
        .filter(lei__in=leis)
        .values_list("lei", "user__email")
    }
    contacts = {
        lei: {address}
        for lei, address in find_contacts(leis).items()
        if (lei, address) not in ended
    }
    addresses = {**contacts, **people}
    return ReminderPlan(
        period,
        tuple(
            ReminderLine(
                institution := filing.institution,
                tuple(sorted(addresses.get(institution.lei, ()))),
                is_contact=institution.lei not in people,
                is_closed=filing.window.closes < today,
                reminded_at=reminded.get(institution.lei),
            )
            for filing in owing
        ),
    )


def write_default_text(period: FilingPeriod) -> str:
    """Return the text that a reminder begins with, which staff may change."""
    today, deadline = day_hours.today(), day_hours.day_in_words(period.timely_until)
    if not timeliness.is_late(today, period):
        when = f"The filing deadline is {deadline}."
    else:
        when = f"The filing deadline was {deadline}."
        if today <= period.closes:
            last = day_hours.day_in_words(period.closes)
            when += f" A filing signed now is late; it is accepted until {last}."
    return (
        f"We have no signed filing of HMDA data for {period} from the institutions below. {when}\n"
        "\n"
        "Upload the Loan Application Register, review the edits, and certify and sign. If an "
        "institution does not have to report, please tell the help desk."
    )


def draft_reminder(
    reminder: Reminder | None,
    period: FilingPeriod,
    text: str,
    address: str,
    institutions: list[Institution],
) -> EmailDraft:
    """Return the email to an address; for a preview without its reminder."""
    facts = {
        "period": str(period),
        # Each line is cleaned of its own: the paragraphs of the text stay.
        "lines": [outbox.remove_line_breaks(line) for line in text.splitlines()],
        "institutions": [
            (each, due_dates.describe_extension(period.of_institution(each.lei)))
            for each in institutions[:INSTITUTIONS_NAMED]
        ],
        "more": max(0, len(institutions) - INSTITUTIONS_NAMED),
    }
    about = (str(reminder.pk) if reminder else "",)
    return outbox.draft_email(KIND, about, address, facts, institution=institutions[0])


def queue_reminder(
    period: FilingPeriod,
    filings: Collection[int] | None,
    *,
    text: str,
    by: Caller,
    reason: str,
    digest: str | None = None,
) -> Reminder:
    """Queue a reminder to the people of institutions that have not filed; return it.

    digest: of the preview that is confirmed, if there was one.

    Raises: BadInput without a text or a reason; NotReady where no one would get it; PreviewChanged.
    """
    text = require_text(text)
    require_reason(reason)
    with transaction.atomic():
        # Of two at the same time, the second one sees whom the first one reminds.
        FilingPeriod.objects.select_for_update().get(pk=period.pk)
        plan = plan_reminder(period, filings)
        if not plan.included:
            raise NotReady(
                "No one gets this reminder: each institution has filed meanwhile, was reminded in "
                "the last seven days, has no one to write to, or can no longer file."
            )
        require_previewed(digest, *plan.list_facts(text))
        reminder = Reminder.objects.create(
            year=period.year,
            quarter=period.quarter,
            text=text,
            job=queue.add_job(KIND, rows_total=len(plan.by_address)),
            reason=reason.strip(),
            **by.actor_columns,
        )
        RemindedInstitution.objects.bulk_create(
            [
                RemindedInstitution(
                    reminder=reminder,
                    lei=line.institution.lei,
                    at=reminder.at,
                    addresses=list(line.addresses),
                )
                for line in plan.included
            ],
            batch_size=CHUNK,
        )
        audit.record_entries(
            audit.make_entry(
                AuditEvent.REMINDER_SENT,
                by=by,
                lei=line.institution.lei,
                about=str(reminder),
                reason=reminder.reason,
            )
            for line in plan.included
        )
        transaction.on_commit(
            partial(log.info, "%s to %s institutions by %s", reminder, len(plan.included), by)
        )
    return reminder


def require_text(text: str) -> str:
    """Return the text of a reminder without spaces around it.

    Raises: BadInput for a blank or too long one, or one that cannot be stored.
    """
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise BadInput("Enter the text of the reminder.")
    if len(text) > LONGEST_TEXT:
        raise BadInput(f"The text has {len(text):,} characters; enter at most {LONGEST_TEXT:,}.")
    if not is_storable(text):
        raise BadInput("The text has a NUL character. Remove it.")
    return text


def run_reminder(lease: Lease) -> None:
    """Queue the emails of a reminder: one to each address, whatever happens to its worker.

    It goes to no one besides those to whom it was confirmed. Institutions that have filed since,
    and people whose right has ended since, get none.
    """
    reminder = Reminder.objects.get(job_id=lease.job_id)
    lines = RemindedInstitution.objects.filter(reminder=reminder)
    period = FilingPeriod.objects.filter(year=reminder.year, quarter=reminder.quarter).first()
    filings = Filing.objects.filter(
        period=period, institution__lei__in=lines.values("lei")
    ).values_list("pk", flat=True)
    plan = plan_reminder(period, list(filings), repeats=True) if period else None
    if plan:
        confirmed = {line.lei: set(line.addresses) for line in lines}
        plan = plan.keep_addresses(confirmed)
    drafts = (
        [
            draft_reminder(reminder, plan.period, reminder.text, address, institutions)
            for address, institutions in sorted(plan.by_address.items())
        ]
        if plan
        else []
    )
    for start in range(0, len(drafts), CHUNK):
        with transaction.atomic():
            outbox.queue_emails(drafts[start : start + CHUNK])
            lease.rows_done = start + len(drafts[start : start + CHUNK])
            lease.renew()
    planned = {line.institution.lei: line for line in plan.lines} if plan else {}
    with transaction.atomic():
        lease.finish()
        rows = list(lines)
        for row in rows:
            row.outcome, row.addresses = _describe_outcome(planned.get(row.lei))
        RemindedInstitution.objects.bulk_update(rows, ["outcome", "addresses"], batch_size=CHUNK)
        Reminder.objects.filter(pk=reminder.pk).update(emails=len(drafts))


def _describe_outcome(line: ReminderLine | None) -> tuple[str, list[str]]:
    if line is None:
        return RemindedInstitution.Outcome.FILED, []
    if line.left_out:
        return RemindedInstitution.Outcome.NO_ONE, []
    return RemindedInstitution.Outcome.SENT, list(line.addresses)


def _find_reminded(period: FilingPeriod) -> dict[str, datetime]:
    """Return when institutions were last reminded of a period, within the pause."""
    rows = RemindedInstitution.objects.filter(
        reminder__year=period.year,
        reminder__quarter=period.quarter,
        at__gt=timezone.now() - PAUSE,
        outcome__in=[RemindedInstitution.Outcome.QUEUED, RemindedInstitution.Outcome.SENT],
    ).order_by()
    return dict(rows.values_list("lei").annotate(Max("at")))
