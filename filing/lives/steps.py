"""The steps that events are made of. Each is listed in the report and noted for taking it back."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from filing import access, audit, day_hours
from filing.access import Caller, person_with_email
from filing.audit.value_changes import describe_change
from filing.lar.years import Period, YearStage, is_supported
from filing.lives.reports import Part, ReportLine
from filing.models import (
    AuditEvent,
    DeadlineExtension,
    Delegation,
    DutyRelease,
    Filing,
    FilingPeriod,
    Institution,
    InstitutionEvent,
    Membership,
    PeopleList,
    RecordProposal,
    Submission,
    TrailEntry,
    Webhook,
)
from filing.panel import history, records
from filing.people import administrators, invitations, own_rights, personal_tokens
from filing.seasons import cancellations
from filing.statuses import FilingStatus

TAKEN_BACK = "Taken back: "  # begins the reasons of what taking an event back does
_UNCHANGED_MEMBERSHIP = {"id", "lei", "source", "email"}


class EventSteps:
    """Carries out an event step by step, in the transaction of the event.

    lines: of the report. facts: of the event, with the keys of what it changed.
    """

    def __init__(self, event: InstitutionEvent, *, by: Caller) -> None:
        self.event = event
        self.by = by
        self.lines: list[ReportLine] = []
        self.facts: dict[str, Any] = {}

    @property
    def why(self) -> str:
        """The event and its reason, as the reason of what it changes."""
        return f"{self.event}: {self.event.reason}"

    def report(self, part: Part, about: object, text: str) -> None:
        """Add a line to the report."""
        self.lines.append(ReportLine(str(part), str(about), text))

    def note(self, name: str, fact: Any) -> None:
        """Add a fact to a list of facts."""
        self.facts.setdefault(name, []).append(fact)

    # Panel records

    def change_record(self, institution: Institution, **values: Any) -> None:
        """Change fields of a panel record, with its history."""
        before = {name: getattr(institution, name) for name in values}
        records.save_institution(
            {"lei": institution.lei, "activity_year": institution.activity_year, **values},
            reason=self.why,
            by=self.by,
        )
        self.note("records", [institution.pk, before, values])
        for name, value in values.items():
            label = history.label_field(name)
            self.report(Part.RECORDS, institution, describe_change(label, before[name], value))

    def copy_record(self, institution: Institution, *, lei: str, year: int) -> Institution:
        """Add the panel record of an institution to a year under another LEI."""
        copy = records.copy_institution(
            institution, lei=lei, year=year, reason=self.why, by=self.by
        )
        self.note("added_records", copy.pk)
        self.report(Part.RECORDS, copy, f"Added from the record of {institution.activity_year}.")
        return copy

    # Duties

    def release(
        self, lei: str, *, is_quarterly: bool, first_day: date, last_day: date | None = None
    ) -> None:
        """Record that an institution does not owe the periods that begin in a time."""
        DutyRelease.objects.create(
            event=self.event,
            lei=lei,
            is_quarterly=is_quarterly,
            first_day=first_day,
            last_day=last_day,
        )

    def release_period(self, lei: str, period: Period) -> None:
        """Record that an institution does not owe one period."""
        self.release(
            lei,
            is_quarterly=period.is_quarterly,
            first_day=period.starts,
            last_day=period.starts,
        )

    # Filings

    def cancel_filings(self, filings: Iterable[Filing]) -> list[Filing]:
        """Cancel filings that are not started; return them. All others stay and are listed."""
        cancelled, each = [], list(filings)
        reinstated = find_reinstated(each)
        for filing in each:
            if kept := why_kept(filing, reinstated):
                self.report(Part.KEPT, filing, kept)
                continue
            cancellations.cancel_filing(filing, by=self.by, reason=self.why)
            self.note("cancelled", filing.pk)
            self.report(Part.FILINGS, filing, "Canceled: it was not started.")
            cancelled.append(filing)
        return cancelled

    def create_filing(self, institution: Institution, period: FilingPeriod) -> None:
        """Create the filing of an institution in a period, unless there is one."""
        filing, is_new = Filing.objects.get_or_create(
            institution=institution,
            period=period,
            defaults={"status": FilingStatus.NOT_STARTED},
        )
        if not is_new and filing.status == FilingStatus.CANCELLED and self._is_own_end(filing):
            # As if taken back, so that a later event may cancel it again.
            cancellations.reinstate_filing(filing, by=self.by, reason=f"{TAKEN_BACK}{self.why}")
            self.note("reinstated", filing.pk)
            self.report(Part.FILINGS, filing, "Reinstated: the duty had ended before.")
            return
        if not is_new:
            status = FilingStatus(filing.status).label
            self.report(Part.KEPT, filing, f"Exists already: {status}.")
            return
        self.note("created", filing.pk)
        due = day_hours.day_in_words(filing.window.timely_until)
        self.report(Part.FILINGS, filing, f"Created: not started, due {due}.")
        about = f"filing {filing}"
        audit.record_event(
            AuditEvent.RECORD_ADDED, by=self.by, lei=institution.lei, about=about, reason=self.why
        )

    def _is_own_end(self, filing: Filing) -> bool:
        """Tell whether the end of the quarterly duty cancelled a filing, and not staff by hand."""
        ends = InstitutionEvent.objects.filter(
            lei=self.event.lei, kind=InstitutionEvent.Kind.QUARTERLY_END, undone_at=None
        )
        return any(
            filing.pk in facts.get("cancelled", ())
            for facts in ends.values_list("facts", flat=True)
        )

    def copy_extension(self, lei: str, to: str, period: FilingPeriod) -> None:
        """Let the extension of a period count for another LEI instead, if there is one."""
        key = {"year": period.year, "quarter": period.quarter, "is_active": True}
        if DeadlineExtension.objects.filter(lei=to, **key).exists():
            return
        for extension in DeadlineExtension.objects.filter(lei=lei, **key):
            _copy_row(extension, event_id=self.event.pk, lei=to)

    # People and programs

    def copy_people(self, lei: str, to: str) -> None:
        """Give the people of an institution the same rights for another one, by the word of staff.

        Whoever's right for the other one was ended stays ended; who has one keeps it as it is. A
        right that no longer counts gives none. The member of staff who does this gets none: another
        one adds it.
        """
        of_lei = Membership.objects.filter(lei=lei)
        self_given = own_rights.find_self_given(of_lei)
        members: Any = access.with_grounds(of_lei).select_related("user").order_by("user_id")
        of_other = {
            row.user_id: access.grounds_for_membership(row)
            for row in access.with_grounds(Membership.objects.filter(lei=to))
        }
        ended = set(access.find_ended_rights().filter(lei=to).values_list("user_id", flat=True))
        new = []
        for member in members:
            about, facts = person_with_email(member.user), access.grounds_for_membership(member)
            other = of_other.get(member.user_id)
            if member.user_id in ended:
                self.report(Part.KEPT, about, f"Gets no right for {to}: it was ended before.")
            elif other and not other.lapse:
                self.report(Part.KEPT, about, f"Has a right for {to} already, which stays.")
            elif facts.lapse or member.pk in self_given:
                why = facts.lapse.text if facts.lapse else own_rights.SELF_GIVEN
                self.report(Part.KEPT, about, f"Gets no right for {to}. {why}")
            elif self._is_self(member):
                self.report(Part.KEPT, about, f"Is you: ask another operator for {to}.")
            else:
                new.append(_copy_membership(member, to, by=self.by, is_paused=bool(facts.pause)))
                later = "" if member.user.is_active else ", once the account is enabled"
                self.report(Part.PEOPLE, about, f"Gets the same right for {to}{later}.")
        replaced = Membership.objects.filter(lei=to, user__in=[each.user_id for each in new])
        replaced.delete()  # they no longer counted
        Membership.objects.bulk_create(new)
        keys = Membership.objects.filter(lei=to, user__in=[each.user_id for each in new])
        self.facts.setdefault("memberships", []).extend(keys.values_list("pk", flat=True))
        audit.record_entries(
            audit.make_entry(
                AuditEvent.MEMBERSHIP_ADDED,
                by=self.by,
                lei=to,
                about=f"{member.user} ({member.get_source_display()})",
                reason=self.why,
            )
            for member in new
        )

    def copy_ended_rights(self, lei: str, to: str) -> None:
        """Let rights that ended for an institution stay ended for another LEI of it."""
        known = access.find_ended_rights().filter(lei=to).values("user")
        ended = access.find_ended_rights().filter(lei=lei).exclude(user__in=known)
        for right in ended.select_related("user").order_by("user_id"):
            self.note("ended_rights", _copy_row(right, lei=to).pk)
            about = person_with_email(right.user)
            self.report(Part.PEOPLE, about, f"The right ended, also for {to}.")

    def copy_programs(self, lei: str, to: str) -> None:
        """Let tokens, webhooks and delegations of an institution count for another LEI, too."""
        holders = Membership.objects.filter(lei=to).values("user")
        usable = personal_tokens.find_usable_tokens()
        tokens = usable.select_for_update(of=("self",)).filter(user__in=holders)
        for token in tokens:
            if lei not in token.leis or to in token.leis:
                continue
            personal_tokens.change_institutions(token, {*token.leis, to}, by=self.by, lei=to)
            self.note("tokens", token.pk)
            self.report(Part.PEOPLE, f"Personal token {token}", f"Is for {to}, too.")
        urls = set(Webhook.objects.filter(lei=to, deleted_at=None).values_list("url", flat=True))
        for webhook in Webhook.objects.filter(lei=lei, deleted_at=None).exclude(url__in=urls):
            copy = _copy_row(webhook, lei=to, succeeded_at=None, failures=0, failing_since=None)
            self.note("webhooks", copy.pk)
            self.report(Part.PEOPLE, f"Webhook {webhook.url}", f"Gets messages about {to}, too.")
            audit.record_event(
                AuditEvent.WEBHOOK_ADDED, by=self.by, lei=to, about=copy.url, reason=self.why
            )
        given = Delegation.objects.filter(lei=to, ended_at=None).values("organization")
        delegations = Delegation.objects.filter(
            administrators.is_not_over(), lei=lei, ended_at=None
        )
        for delegation in delegations.exclude(organization__in=given).select_related(
            "organization"
        ):
            copy = _copy_row(delegation, lei=to)
            self.note("delegations", copy.pk)
            self.report(Part.PEOPLE, delegation.organization, f"May act for {to}, too.")
        people = PeopleList.objects.filter(lei=lei).first()
        if people and not PeopleList.objects.filter(lei=to).exists():
            self.note("people_lists", _copy_row(people, lei=to).pk)

    def report_waiting(self, lei: str, to: str) -> None:
        """List what waits for an answer under an LEI: it does not count for the other one."""
        for what, rows, text in (
            (
                "Invitations",
                invitations.find_open_invitations(lei=lei),
                f"open for {lei}. Administrators invite these people for {to}, too.",
            ),
            (
                "Requests for access",
                administrators.find_open_requests().filter(lei=lei),
                f"wait for an answer for {lei}. These people ask for {to}, too.",
            ),
            (
                "Record proposals",
                RecordProposal.objects.filter(lei=lei, state=RecordProposal.State.OPEN),
                f"wait for staff: accepting one changes the record of {lei} alone.",
            ),
        ):
            if number := rows.count():
                self.report(Part.KEPT, what, f"{number} {text}")

    def _is_self(self, member: Membership) -> bool:
        try:
            own_rights.require_other_person(member.user, by=self.by)
        except own_rights.OwnRight:
            return True
        return False


def find_open_filings(lei: str, **conditions: Any) -> QuerySet[Filing]:
    """Return the filings of an institution in all years, by period."""
    filings = Filing.objects.filter(institution__lei=lei, **conditions)
    submissions = Submission.objects.filter(filing=OuterRef("pk"))
    return (
        filings.select_related("institution", "period")
        .annotate(has_submissions=Exists(submissions))
        .order_by("period__year", "period__quarter")
    )


def find_reinstated(filings: Collection[Filing]) -> set[str]:
    """Return the names of filings that staff have reinstated, not by taking an event back."""
    entries = TrailEntry.objects.filter(
        event=AuditEvent.FILING_REINSTATED, about__in=[str(filing) for filing in filings]
    ).exclude(reason__startswith=TAKEN_BACK)
    return set(entries.values_list("about", flat=True))


def why_kept(filing: Filing, reinstated: Collection[str]) -> str:
    """Return why an event does not cancel a filing; blank if it does.

    It was started, signed or cancelled, staff reinstated it, or its period is closed.
    """
    if filing.status == FilingStatus.COMPLETED:
        return "Signed: it stays as it is."
    if filing.status == FilingStatus.CANCELLED:
        return "Canceled by staff before: it stays canceled."
    if filing.status == FilingStatus.IN_PROGRESS or getattr(filing, "has_submissions", False):
        return "Started: it stays. Cancel it on its own page if it is not due."
    if str(filing) in reinstated:
        return "Reinstated by staff before: it stays. Cancel it on its own page if it is not due."
    if filing.window.closes < day_hours.today():
        return "Its period is closed: it stays as it is."
    return ""


def find_periods_not_closed(lei: str) -> list[FilingPeriod]:
    """Return the periods in which an institution can file now or later, oldest first."""
    today = day_hours.today()
    return [
        period
        for row in FilingPeriod.objects.order_by("year", "quarter")
        if (period := row.of_institution(lei)).closes >= today
        and is_supported(period.period, YearStage.FILING)
    ]


def find_first_quarter_after(day: date) -> date:
    """Return the first day of the first quarter that begins after a day."""
    month = (day.month - 1) // 3 * 3 + 4
    return date(day.year + month // 12, month % 12, 1)


def find_quarter_start(day: date) -> date:
    """Return the first day of the quarter of a day."""
    return date(day.year, (day.month - 1) // 3 * 3 + 1, 1)


def _copy_membership(member: Membership, lei: str, *, by: Caller, is_paused: bool) -> Membership:
    """Return the same right for another LEI, which staff give today.

    Neither the email domain of the person nor the identity provider names the other LEI, so the
    word of staff stands in for them. is_paused: the person can only read until the list of people
    is confirmed, also there.
    """
    values = {
        field.attname: getattr(member, field.attname)
        for field in Membership._meta.concrete_fields
        if field.name not in _UNCHANGED_MEMBERSHIP
    }
    if not is_paused:
        values["added_at"] = timezone.now()
    values["added_by"] = by.username[:150]
    return Membership(**values, lei=lei, source="hand", email=member.email)


def _copy_row(row: Any, **values: Any) -> Any:
    copied = {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if not field.primary_key
    }
    return type(row)._default_manager.create(**copied | values)
