"""The one search of the help desk: institutions, people and submissions that match a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.formats import localize
from django.utils.timezone import localtime

from filing import requests, standing
from filing.access import person_name, person_with_email
from filing.admin import search
from filing.admin.search import SearchTerm, TermShape
from filing.admin.submissions.columns import describe_status
from filing.models import (
    Case,
    Filing,
    Institution,
    Job,
    Mail,
    Membership,
    RecordProposal,
    StatusChange,
    Submission,
    TrailEntry,
)

MOST_ROWS = 10  # of a group; its list has the others
# Emails about failed files had such a reference.
_FORMER_REFERENCE = re.compile(r"[0-9a-f]{10}")
_NO_RECORD = (
    "This is the number of a request that changed nothing and met no error: it was refused with "
    "the reason that the caller read. The log of the service has its line."
)


@dataclass(frozen=True, slots=True)
class MatchLink:
    """A link to a page of the admin."""

    label: str
    address: str


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match: the link to its page, a sentence about it, and links to what belongs to it."""

    link: MatchLink
    about: str
    links: tuple[MatchLink, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchGroup:
    """The matches of one kind. complete: the list with all of them, if there are more."""

    title: str
    rows: list[MatchRow]
    complete: MatchLink | None = None


@dataclass(frozen=True, slots=True)
class InstitutionMatch:
    """An institution in its newest year, with its filings, newest first."""

    institution: Institution
    filings: list[Filing]


@dataclass(frozen=True, slots=True)
class InstitutionMatches:
    """The first institutions that match. more: whether there are others."""

    institutions: list[InstitutionMatch]
    more: bool


def search_help_desk(query: str, user: Any) -> list[MatchGroup]:
    """Return the groups that have matches, as far as the user may see them."""
    term = search.recognize_term(query)
    if term.shape is TermShape.NOTHING:
        return []
    groups = (find(query, term, user) for find in GROUPS)
    return [group for group in groups if group and group.rows]


def match_institutions_for_user(query: str, user: Any) -> InstitutionMatches:
    """Return the institutions that match a search, as far as the user may see them.

    Without the right to see institutions there are none; without the right to see filings they
    come without filings.
    """
    term = search.recognize_term(query)
    if term.shape is TermShape.NOTHING or not user.has_perm("filing.view_institution"):
        return InstitutionMatches([], more=False)
    matching = Institution.objects.filter(search.match_institutions(term))
    lei_rows = matching.order_by("lei").values_list("lei", flat=True)
    leis = list(lei_rows.distinct()[: MOST_ROWS + 1])
    more, leis = len(leis) > MOST_ROWS, leis[:MOST_ROWS]
    newest: dict[str, Institution] = {
        institution.lei: institution
        for institution in Institution.objects.filter(lei__in=leis).order_by("activity_year")
    }
    filings = _filings(leis) if user.has_perm("filing.view_filing") else {}
    by_name = sorted(newest.values(), key=lambda institution: (institution.name, institution.lei))
    return InstitutionMatches(
        [
            InstitutionMatch(institution, filings.get(institution.lei, []))
            for institution in by_name
        ],
        more,
    )


def _filings(leis: list[str]) -> dict[str, list[Filing]]:
    by_lei: dict[str, list[Filing]] = {}
    rows = Filing.objects.filter(institution__lei__in=leis).select_related("institution", "period")
    for filing in rows.order_by("-period__year", "period__quarter"):
        by_lei.setdefault(filing.institution.lei, []).append(filing)
    return by_lei


def _find_institutions(query: str, term: SearchTerm, user: Any) -> MatchGroup:
    matches = match_institutions_for_user(query, user)
    rows = [
        MatchRow(
            _link(
                f"{match.institution.name}, panel of {match.institution.activity_year}",
                "filing_institution_change",
                match.institution.pk,
            ),
            f"LEI {match.institution.lei}",
            (
                *(
                    _link(f"{filing.period} ({filing.get_status_display().replace('-', ' ')})",
                          "filing_filing_change", filing.pk)
                    for filing in match.filings
                ),
                _list("Submissions", "filing_submission", match.institution.lei),
                _list("People", "filing_membership", match.institution.lei),
            ),
        )
        for match in matches.institutions
    ]  # fmt: skip
    complete = _list("All institutions that match", "filing_institution", query)
    return MatchGroup("Institutions", rows, complete if matches.more else None)


def _find_people(query: str, term: SearchTerm, user: Any) -> MatchGroup | None:
    """Return people with their rights; for an LEI, those who act for the institution."""
    condition = _people_condition(term)
    if condition is None or not user.has_perm("auth.view_user"):
        return None
    matching = User.objects.filter(condition, is_staff=False)
    people = list(matching.order_by("username")[: MOST_ROWS + 1])
    leis = _leis_of(people)
    rows = [
        MatchRow(
            _link(person_name(person), "auth_user_change", person.pk),
            f"{person.email or 'No email address'}; acts for "
            f"{', '.join(leis.get(person.pk, ())) or 'no institution'}",
            (
                *_why_not_sign(person.get_username(), search.find_lei(term), leis.get(person.pk)),
                _list("Rights", "filing_membership", person.get_username()),
                _list("Audit log", "filing_trailentry", person.get_username()),
                *((_list("Emails", "filing_mail", person.email),) if person.email else ()),
            ),
        )
        for person in people
    ]
    return _group("People", rows, _list("All people who match", "auth_user", query))


def _why_not_sign(username: str, lei: str, leis: list[str] | None) -> Iterator[MatchLink]:
    """Yield the link to the conditions of a signature, for the LEI searched or the only one."""
    only = leis[0] if leis and len(leis) == 1 else ""
    values = {"person": username, "lei": lei or only}
    query = urlencode({name: value for name, value in values.items() if value})
    address = reverse("admin:filing_membership_why_not_sign")
    yield MatchLink("Why can this person not sign?", f"{address}?{query}")


def _people_condition(term: SearchTerm) -> Q | None:
    if lei := search.find_lei(term):
        return Q(memberships__lei=lei)
    match term.shape:
        case TermShape.ADDRESS:
            return Q(email__iexact=term.value)
        case TermShape.TEXT:
            in_name = Q(first_name__icontains=term.value) | Q(last_name__icontains=term.value)
            return in_name | Q(username__icontains=term.value)
    return None


def _leis_of(people: list[User]) -> dict[int, list[str]]:
    leis: dict[int, list[str]] = {}
    for user_id, lei in (
        Membership.objects.filter(user__in=people).order_by("lei").values_list("user_id", "lei")
    ):
        leis.setdefault(user_id, []).append(lei)
    return leis


def _find_submissions(query: str, term: SearchTerm, user: Any) -> MatchGroup:
    matching: QuerySet[Submission] = Submission.objects.filter(search.match_submissions(term))
    related = matching.select_related("filing__institution", "filing__period", "signature")
    newest = standing.with_remark(related).order_by("-created_at", "-pk")[: MOST_ROWS + 1]
    rows = [
        MatchRow(
            _link(str(submission), "filing_submission_change", submission.pk),
            f"{submission.filing.institution.name}: {describe_status(submission)}",
            (_link("Edits", "filing_submission_edits", submission.pk),),
        )
        for submission in newest
    ]
    complete = _list("All submissions that match", "filing_submission", query)
    return _group("Submissions", rows, complete)


def _find_cases(query: str, term: SearchTerm, user: Any) -> MatchGroup | None:
    """Return the cases with the help desk."""
    if not user.has_perm("filing.view_case"):
        return None
    rows = [
        MatchRow(
            _link(case.number, "filing_case_change", case.pk),
            f"{case.get_state_display()}; {case.institution}; {case.email}",
        )
        for case in Case.objects.filter(search.match_cases(term))[: MOST_ROWS + 1]
    ]
    return _group("Cases", rows, _list("All cases that match", "filing_case", query))


def _find_proposals(query: str, term: SearchTerm, user: Any) -> MatchGroup | None:
    """Return the proposals for the panel."""
    if not user.has_perm("filing.view_recordproposal"):
        return None
    matching = RecordProposal.objects.filter(search.match_proposals(term))
    rows = [
        MatchRow(
            _link(proposal.number, "filing_recordproposal_change", proposal.pk),
            f"{proposal.get_state_display().capitalize()}; {proposal.get_kind_display()}, "
            f"LEI {proposal.lei}, {proposal.activity_year}; {proposal.actor_email}",
        )
        for proposal in matching[: MOST_ROWS + 1]
    ]
    complete = _list("All record proposals that match", "filing_recordproposal", query)
    return _group("Record proposals", rows, complete)


def _find_emails(query: str, term: SearchTerm, user: Any) -> MatchGroup | None:
    """Return the emails to an address, newest first, and whether each was sent."""
    if term.shape is not TermShape.ADDRESS or not user.has_perm("filing.view_mail"):
        return None
    emails = Mail.objects.select_related("job").defer("text").filter(to__iexact=term.value)
    rows = [
        MatchRow(
            _link(email.subject, "filing_mail_change", email.pk),
            f"To {email.to}, {email.state_label}, queued {localize(localtime(email.made_at))}.",
        )
        for email in emails.order_by("-pk")[: MOST_ROWS + 1]
    ]
    return _group("Emails", rows, _list("All emails to this address", "filing_mail", query))


def _find_requests(query: str, term: SearchTerm, user: Any) -> MatchGroup | None:
    """Return what was recorded under the id of a request, which error pages and API errors show."""
    request_id = requests.normalize_request_id(query.strip())
    rows = [
        *_recorded(request_id, user),
        *_changed(request_id, user),
        *_jobs(Q(request_id=request_id), user),
    ]
    if _FORMER_REFERENCE.fullmatch(query.strip()):
        rows += _jobs(Q(state=Job.State.FAILED, last_error__contains=query.strip()), user)
    if not rows and requests.is_request_id(query):
        rows = [
            MatchRow(_list(f"Request {request_id}", "filing_trailentry", request_id), _NO_RECORD)
        ]
    complete = _list("All entries of the audit log", "filing_trailentry", request_id)
    return _group("Requests", rows, complete)


def _recorded(request_id: str, user: Any) -> Iterator[MatchRow]:
    """Yield what the audit log has of a request: errors, refusals, and what people did."""
    if not user.has_perm("filing.view_trailentry"):
        return
    entries = TrailEntry.objects.filter(request_id=request_id).order_by("-id")[: MOST_ROWS + 1]
    for entry in entries:
        is_known = entry.actor_id or entry.actor_username or entry.actor_email
        who = person_with_email(entry) if is_known else "someone not signed in"
        about = " ".join(filter(None, (f"{localize(localtime(entry.at))}, {who}.", entry.about)))
        link = _link(entry.get_event_display().capitalize(), "filing_trailentry_change", entry.pk)
        institution = (_list("Institution", "filing_institution", entry.lei),) if entry.lei else ()
        yield MatchRow(link, " ".join(filter(None, (about, entry.reason))), institution)


def _changed(request_id: str, user: Any) -> Iterator[MatchRow]:
    """Yield the submissions that a request changed."""
    changes = StatusChange.objects.filter(request_id=request_id).order_by().values("submission")
    related = Submission.objects.select_related("filing__institution", "filing__period")
    for submission in related.filter(pk__in=changes).order_by("-pk")[: MOST_ROWS + 1]:
        yield MatchRow(
            _link(str(submission), "filing_submission_change", submission.pk),
            "The request changed this submission.",
        )


def _jobs(condition: Q, user: Any) -> Iterator[MatchRow]:
    """Yield jobs, with the submission of each."""
    if not user.has_perm("filing.view_job"):
        return
    related = Job.objects.select_related(
        "submission__filing__institution", "submission__filing__period"
    )
    for job in related.filter(condition).order_by("-pk")[: MOST_ROWS + 1]:
        about = ". ".join(filter(None, (job.state_label.capitalize(), job.last_error)))
        submission = job.submission
        yield MatchRow(
            _link(f"Job {job.pk}, {job.stage}", "filing_job_change", job.pk),
            about,
            (_link(str(submission), "filing_submission_change", submission.pk),)
            if submission
            else (),
        )


def _group(title: str, rows: list[MatchRow], complete: MatchLink) -> MatchGroup:
    """Return the group with its first rows, and the link to all of them if there are more."""
    return MatchGroup(title, rows[:MOST_ROWS], complete if len(rows) > MOST_ROWS else None)


def _link(label: str, name: str, *keys: object) -> MatchLink:
    return MatchLink(label, reverse(f"admin:{name}", args=keys))


def _list(label: str, table: str, query: str) -> MatchLink:
    """Return the link to a list, searched for a text."""
    address = reverse(f"admin:{table}_changelist")
    return MatchLink(label, f"{address}?{urlencode({'q': query})}")


GROUPS: tuple[Callable[[str, SearchTerm, Any], MatchGroup | None], ...] = (
    _find_institutions,
    _find_people,
    _find_submissions,
    _find_emails,
    _find_cases,
    _find_proposals,
    _find_requests,
)
