"""Extra pages of a table, besides its list and the page of one row, and links between pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from filing.lar.years import find_year
from filing.models import (
    AccessRequest,
    Case,
    Delegation,
    Filing,
    FilingPeriod,
    FilingYear,
    Institution,
    InstitutionEvent,
    Invitation,
    Job,
    LegalHold,
    ListSchedule,
    Mail,
    Membership,
    Organization,
    OrganizationMember,
    ProducedList,
    RecordProposal,
    ReferenceData,
    Reminder,
    SeasonOpening,
    Submission,
    TrailEntry,
    Webhook,
    WithdrawnEdit,
)
from filing.previews import PreviewChanged

OwnPages = Sequence[tuple[str, Callable[..., HttpResponseBase], str]]


def render_own_page(
    table: admin.options.BaseModelAdmin,
    request: HttpRequest,
    template: str,
    title: str,
    context: dict[str, Any],
) -> TemplateResponse:
    """Return a page of a table, with the context that every admin page needs."""
    site_context = table.admin_site.each_context(request)
    return TemplateResponse(
        request, template, {**site_context, "opts": table.opts, "title": title, **context}
    )


@contextmanager
def show_again(request: HttpRequest) -> Iterator[None]:
    """Catch that a preview has changed, with a message: the caller goes on to show it again."""
    try:
        yield
    except PreviewChanged as changed:
        messages.warning(request, changed.message)


def name_number(number: int, opts: Any) -> str:
    """Return a number of rows of a table in words: `1 filing`, `2,000 filings`."""
    return f"{number:,} {opts.verbose_name if number == 1 else opts.verbose_name_plural}"


class WithOwnPages(admin.ModelAdmin):
    """A table whose `own_pages` have addresses below its list, for staff only.

    A class that adds pages keeps those of its parents: `(*pages, *super().own_pages())`.
    """

    def own_pages(self) -> OwnPages:
        """Return the pages: the address below the list, the view, and the name of the address."""
        return ()

    def page_address(self, view: str, *arguments: object) -> str:
        """Return the address of a page of this table: one of Django's, or one of its own."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_{view}"
        return reverse(f"{self.admin_site.name}:{name}", args=arguments)

    def get_urls(self) -> list[URLPattern]:
        """Return these addresses before Django's, whose last one matches everything."""
        table = f"{self.opts.app_label}_{self.opts.model_name}"
        pages = [
            path(address, self.admin_site.admin_view(view), name=f"{table}_{name}")
            for address, view, name in self.own_pages()
        ]
        return [*pages, *super().get_urls()]


@dataclass(frozen=True)
class PageLink:
    """A link to a page or a filtered list. right: what a user needs to open it."""

    label: str
    page: str
    right: str
    arguments: tuple[Any, ...] = ()
    query: tuple[tuple[str, str], ...] = ()

    @property
    def address(self) -> str:
        address = reverse(f"admin:{self.page}", args=self.arguments)
        return f"{address}?{urlencode(self.query)}" if self.query else address


def _list(label: str, model: str, **query: Any) -> PageLink:
    texts = tuple((name, str(value)) for name, value in query.items())
    app, _, name = model.rpartition(".")
    app = app or "filing"
    return PageLink(label, f"{app}_{name}_changelist", f"{app}.view_{name}", query=texts)


def _page(label: str, row: Model) -> PageLink:
    app, name = row._meta.app_label, row._meta.model_name
    return PageLink(label, f"{app}_{name}_change", f"{app}.view_{name}", (row.pk,))


def _why_not_sign(**query: Any) -> PageLink:
    """Return the link to the conditions of a signature."""
    texts = tuple((name, str(value)) for name, value in query.items() if value)
    page = "filing_membership_why_not_sign"
    return PageLink("Why can this person not sign?", page, "filing.view_membership", query=texts)


def _season(period: FilingPeriod) -> Iterator[PageLink]:
    for label, page in (("Season", "season"), ("Who has not filed", "season_not_filed")):
        yield PageLink(label, page, "filing.view_filing", query=(("period", str(period)),))


def _year(year: int) -> Iterator[PageLink]:
    """Yield the page of a year, if it is prepared."""
    if find_year(year):
        yield _page("Filing year", FilingYear(year=year))


def _about(lei: str) -> Iterator[PageLink]:
    """Yield the lists of what belongs to an institution, in all its years."""
    yield _list("Filings", "filing", q=lei)
    yield _list("Submissions", "submission", q=lei)
    yield _list("Jobs", "job", q=lei)
    yield _list("People", "membership", q=lei)
    yield _list("Organizations", "delegation", q=lei)
    yield _list("Cases", "case", q=lei)
    yield _list("Record proposals", "recordproposal", q=lei)
    yield _list("Emails", "mail", q=lei)
    yield _list("Audit log", "trailentry", q=lei)
    yield _list("All years", "institution", q=lei)
    yield _list("Events", "institutionevent", q=lei)
    yield _list("Legal holds", "legalhold", q=lei)
    yield _list("Notes", "note", q=lei)
    yield _list("Reminders", "remindedinstitution", q=lei)


def _of_institution(institution: Institution) -> Iterator[PageLink]:
    yield from _about(institution.lei)
    yield _why_not_sign(lei=institution.lei)
    period = FilingPeriod(year=institution.activity_year, quarter="")
    yield from _season(period)
    yield from _year(institution.activity_year)


def _of_filing(filing: Filing) -> Iterator[PageLink]:
    yield _page("Institution", filing.institution)
    yield _page("Filing period", filing.period)
    yield from _about(filing.institution.lei)
    yield from _season(filing.period)


def _of_hold(hold: LegalHold) -> Iterator[PageLink]:
    if hold.filing:
        yield _page("Filing", hold.filing)
        yield _page("Institution", hold.filing.institution)
    yield from _about(hold.lei)


def _of_event(event: InstitutionEvent) -> Iterator[PageLink]:
    yield from _about(event.lei)


def _of_opening(opening: SeasonOpening) -> Iterator[PageLink]:
    yield _list("Filings created", "filing", opening__id__exact=opening.pk)
    yield _list("Filing periods", "filingperiod", year=opening.year)
    yield _list("Institutions", "institution", activity_year=opening.year)
    yield from _season(FilingPeriod(year=opening.year, quarter=""))
    yield from _year(opening.year)


def _of_filing_year(filing_year: FilingYear) -> Iterator[PageLink]:
    year = filing_year.year
    yield _list("Filing periods", "filingperiod", year=year)
    yield _list("Season openings", "seasonopening", year=year)
    yield _list("Institutions", "institution", activity_year=year)
    yield _list("Reference data", "referencedata", year=year)
    yield _list("Withdrawn edits", "withdrawnedit", filing_year__year__exact=year)


def _of_withdrawal(withdrawn: WithdrawnEdit) -> Iterator[PageLink]:
    yield from _year(withdrawn.filing_year_id)


def _of_reference_data(data: ReferenceData) -> Iterator[PageLink]:
    yield _list("Files of the year", "referencedata", year=data.year)
    yield from _year(data.year)


def _of_period(period: FilingPeriod) -> Iterator[PageLink]:
    yield _list("Filings", "filing", period__id__exact=period.pk)
    yield _list("Season openings", "seasonopening", year=period.year)
    yield _list("Institutions", "institution", activity_year=period.year)
    yield from _season(period)
    yield from _year(period.year)


def _of_membership(membership: Membership) -> Iterator[PageLink]:
    yield _page("User", membership.user)
    yield _why_not_sign(person=membership.user.username, lei=membership.lei)
    yield from _about(membership.lei)


def _of_invitation(invitation: Invitation) -> Iterator[PageLink]:
    yield from _with_address(invitation.email)
    if invitation.accepted_by:
        yield _page("User", invitation.accepted_by)
    if invitation.lei:
        yield from _about(invitation.lei)


def _of_access_request(request: AccessRequest) -> Iterator[PageLink]:
    yield _page("User", request.user)
    yield from _about(request.lei)


def _of_user(user: User) -> Iterator[PageLink]:
    yield _list("Institutions of the user", "membership", q=user.username)
    yield _why_not_sign(person=user.username)
    yield _list("Personal tokens", "personaltoken", q=user.username)
    yield _list("Audit log", "trailentry", q=user.username)
    if user.email:
        yield from _with_address(user.email)


def _with_address(email: str) -> Iterator[PageLink]:
    """Yield the lists of what belongs to an email address."""
    yield _list("Submissions of this person", "submission", q=email)
    yield _list("Cases of this person", "case", q=email)
    yield _list("Emails to this address", "mail", q=email)


def _of_submission(submission: Submission) -> Iterator[PageLink]:
    yield _why_not_sign(lei=submission.lei, submission=submission)
    yield _list("Jobs", "job", q=submission)
    yield _list("Status changes", "statuschange", q=submission)
    yield _list("Emails", "mail", q=submission)
    yield _list("Audit log", "trailentry", q=submission.lei)


def _of_job(job: Job) -> Iterator[PageLink]:
    if job.submission:
        yield _page(f"Submission {job.submission}", job.submission)
        yield _page("Institution", job.submission.filing.institution)
        yield from _of_submission(job.submission)
    if job.request_id:
        yield _list("Audit log of its request", "trailentry", q=job.request_id)


def _of_mail(mail: Mail) -> Iterator[PageLink]:
    yield _page("Job", mail.job)
    if mail.submission:
        yield _page("Institution", mail.submission.filing.institution)
    yield _list("People with this address", "auth.user", q=mail.to)
    yield _list("Emails to this address", "mail", q=mail.to)


def _of_case(case: Case) -> Iterator[PageLink]:
    if proposal := RecordProposal.objects.filter(case=case).first():
        yield _page("Record proposal", proposal)
    yield _list("People with this address", "auth.user", q=case.email)
    yield from _with_address(case.email)
    if case.lei:
        yield from _about(case.lei)


def _of_organization(organization: Organization) -> Iterator[PageLink]:
    yield _list("People", "organizationmember", q=organization.code)
    yield _list("Institutions", "delegation", q=organization.code)


def _of_member(member: OrganizationMember) -> Iterator[PageLink]:
    yield _page("User", member.user)
    yield _page("Organization", member.organization)


def _of_delegation(delegation: Delegation) -> Iterator[PageLink]:
    yield _page("Organization", delegation.organization)
    yield from _about(delegation.lei)


def _of_proposal(proposal: RecordProposal) -> Iterator[PageLink]:
    yield _page("Case", proposal.case)
    if proposal.user:
        yield _page("User", proposal.user)
    yield from _about(proposal.lei)


def _of_entry(entry: TrailEntry) -> Iterator[PageLink]:
    if entry.actor_username:
        yield _list("User", "auth.user", q=entry.actor_username)
        yield _list("Entries of the user", "trailentry", q=entry.actor_username)
    if entry.request_id:
        yield _list("Entries of the request", "trailentry", q=entry.request_id)
    if entry.lei:
        yield from _about(entry.lei)


def _of_schedule(schedule: ListSchedule) -> Iterator[PageLink]:
    yield _list("Lists made", "producedlist", schedule__id__exact=schedule.pk)


def _of_produced_list(produced: ProducedList) -> Iterator[PageLink]:
    yield _page("Schedule", produced.schedule)
    yield _page("Job", produced.job)


def _of_reminder(reminder: Reminder) -> Iterator[PageLink]:
    yield _page("Job", reminder.job)
    yield _list(
        "Institutions and recipients", "remindedinstitution", reminder__id__exact=reminder.pk
    )
    yield from _season(FilingPeriod(year=reminder.year, quarter=reminder.quarter))


def _of_webhook(webhook: Webhook) -> Iterator[PageLink]:
    yield _list("Deliveries", "webhookdelivery", q=webhook.lei)
    yield from _about(webhook.lei)


_LINKS: dict[type[Model], Callable[[Any], Iterator[PageLink]]] = {
    Institution: _of_institution,
    Filing: _of_filing,
    InstitutionEvent: _of_event,
    LegalHold: _of_hold,
    ListSchedule: _of_schedule,
    ProducedList: _of_produced_list,
    Reminder: _of_reminder,
    SeasonOpening: _of_opening,
    FilingPeriod: _of_period,
    FilingYear: _of_filing_year,
    WithdrawnEdit: _of_withdrawal,
    ReferenceData: _of_reference_data,
    Membership: _of_membership,
    Invitation: _of_invitation,
    AccessRequest: _of_access_request,
    User: _of_user,
    Job: _of_job,
    Mail: _of_mail,
    Case: _of_case,
    Organization: _of_organization,
    OrganizationMember: _of_member,
    Delegation: _of_delegation,
    RecordProposal: _of_proposal,
    TrailEntry: _of_entry,
    Webhook: _of_webhook,
    Submission: _of_submission,
}


def list_page_links(row: Model, user: Any) -> list[PageLink]:
    """Return the links of the page of a row that a user may follow."""
    links = _LINKS.get(type(row))
    return [link for link in links(row) if user.has_perm(link.right)] if links else []


class WithPageLinks(admin.ModelAdmin):
    """Shows these links at the top of each page of a row."""

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        if (row := context.get("original")) is not None:
            context["page_links"] = list_page_links(row, request.user)
        return super().render_change_form(request, context, *args, **options)
