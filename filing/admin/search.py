"""Search by whatever a caller knows: the shape of the text tells what it is.

Only the column for that shape is searched, through an index, so a search stays fast.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import reduce
from ipaddress import ip_address
from operator import or_

from django.db.models import Model, Q, QuerySet, TextField
from django.db.models.functions import Cast

from filing.lar.years import Period
from filing.models import (
    Case,
    Filing,
    Institution,
    RecordProposal,
    Signature,
    StatusChange,
    Submission,
)
from filing.models.database import is_address, is_within
from filing.people import institutions

MANY = 300  # institutions
LARGEST_NUMBER = 2**31 - 1  # of a submission, as its column holds it
_LEI = r"(?P<lei>[A-Z0-9]{20})"
_PERIOD = r"(?P<period>[0-9]{4}(?:-Q[1-3])?)"
_RECEIPT = re.compile(rf"{_LEI}-{_PERIOD}-[0-9]+-[0-9]{{13}}")
_FILING = re.compile(rf"{_LEI}-{_PERIOD}(?:-(?P<number>[0-9]{{1,10}}))?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CASE = re.compile(r"CASE-([0-9]{1,18})")
_TAX_ID = re.compile(r"([0-9]{2})-?([0-9]{7})")
_DOMAIN = re.compile(r"@?([a-z0-9-]+(?:\.[a-z0-9-]+)+)")
# An LEI ends with two digits. Characters that follow without a space belong to a ULI.
_BEGINS_WITH_LEI = re.compile(r"(?<![A-Z0-9])([A-Z0-9]{18}[0-9]{2})[A-Z0-9]*")
_FILE = re.compile(r"\S+\.[A-Z0-9]{2,4}")


class TermShape(Enum):
    """What kind of identifier a text is, by its shape."""

    NOTHING = auto()
    LEI = auto()
    TAX_ID = auto()
    FILING = auto()
    SUBMISSION = auto()
    RECEIPT = auto()
    SHA256 = auto()
    ADDRESS = auto()
    DOMAIN = auto()
    NETWORK = auto()
    CASE = auto()
    FILE = auto()
    TEXT = auto()


# Shapes that normally identify a single submission.
NAMES_ONE = frozenset({TermShape.RECEIPT, TermShape.SUBMISSION, TermShape.SHA256})
_WITH_LEI = {TermShape.LEI, TermShape.FILING, TermShape.SUBMISSION}


@dataclass(frozen=True)
class SearchTerm:
    """A search term.

    value: as the tables store it; period, number: of a filing or submission; number: of a case.
    """

    shape: TermShape
    value: str
    period: Period | None = None
    number: int = 0


def recognize_term(entered: str) -> SearchTerm:
    """Return the search term for a text, by its shape; text without a known shape is a name."""
    text = entered.strip().strip("\"'<>")
    lower, upper = text.lower(), text.upper()
    if not text:
        return SearchTerm(TermShape.NOTHING, "")
    if "@" in text:
        domain = _DOMAIN.fullmatch(lower)
        return (
            SearchTerm(TermShape.DOMAIN, domain[1])
            if domain
            else SearchTerm(TermShape.ADDRESS, lower)
        )
    if _SHA256.fullmatch(lower):
        return SearchTerm(TermShape.SHA256, lower)
    if _RECEIPT.fullmatch(upper):
        return SearchTerm(TermShape.RECEIPT, upper)
    if parts := _FILING.fullmatch(upper):
        period, number = Period.parse(parts["period"]), int(parts["number"] or 0)
        shape = TermShape.SUBMISSION if parts["number"] else TermShape.FILING
        return SearchTerm(shape, parts["lei"], period, number)
    if case := _CASE.fullmatch(upper):
        return SearchTerm(TermShape.CASE, upper, number=int(case[1]))
    if tax_id := _TAX_ID.fullmatch(text):
        return SearchTerm(TermShape.TAX_ID, f"{tax_id[1]}-{tax_id[2]}")
    if institutions.is_lei(upper):
        return SearchTerm(TermShape.LEI, upper)
    if _is_network_address(text):
        return SearchTerm(TermShape.NETWORK, lower)
    if _FILE.fullmatch(upper):
        return SearchTerm(TermShape.FILE, text)
    if within := _BEGINS_WITH_LEI.search(upper):
        return SearchTerm(TermShape.LEI, within[1])
    return SearchTerm(TermShape.TEXT, text)


def find_lei(term: SearchTerm) -> str:
    """Return the LEI in the term, alone or at the beginning of an identifier; else a blank."""
    if term.shape is TermShape.RECEIPT:
        return term.value[:20]
    return term.value if term.shape in _WITH_LEI else ""


def match_institutions(term: SearchTerm) -> Q:
    """Return the condition on institutions, of any year."""
    if lei := find_lei(term):
        return Q(lei=lei)
    match term.shape:
        case TermShape.NOTHING:
            return Q()
        case TermShape.TAX_ID:
            return Q(tax_id=term.value)
        case TermShape.DOMAIN:
            return Q(pk__in=_of_domain(term.value))
        case TermShape.ADDRESS:
            return Q(pk__in=_of_domain(term.value.rpartition("@")[2]))
        case TermShape.SHA256 | TermShape.NETWORK | TermShape.CASE:
            return Q(pk__in=[])
    return _named(term.value)


def find_institutions(term: SearchTerm) -> QuerySet[Institution]:
    """Return the institutions that match, of any year."""
    return Institution.objects.filter(match_institutions(term)).order_by().only("pk")


def match_filings(term: SearchTerm) -> Q:
    """Return the condition on filings."""
    match term.shape:
        case TermShape.NOTHING:
            return Q()
        case TermShape.FILING | TermShape.SUBMISSION if term.period:
            return Q(
                institution__lei=term.value,
                period__year=term.period.year,
                period__quarter=term.period.quarter_name,
            )
        case TermShape.RECEIPT | TermShape.SHA256:
            return Q(pk__in=Submission.objects.filter(match_submissions(term)).values("filing"))
    return Q(institution__in=find_institutions(term))


def match_submissions(term: SearchTerm) -> Q:
    """Return the condition on submissions."""
    match term.shape:
        case TermShape.NOTHING:
            return Q()
        case TermShape.RECEIPT:
            return Q(signature__receipt=term.value)
        case TermShape.SHA256:
            return Q(sha256=term.value)
        case TermShape.SUBMISSION:
            number = min(term.number, LARGEST_NUMBER)
            return Q(filing__in=_filings(term), sequence_number=number)
        case TermShape.DOMAIN | TermShape.ADDRESS:
            return _by_email(term)
        case TermShape.FILE:
            return Q(file_name__icontains=term.value)
        case TermShape.TEXT:
            return _by_name(term)
    return Q(filing__in=_filings(term))


def match_cases(term: SearchTerm) -> Q:
    """Return the condition on cases with the help desk."""
    if lei := find_lei(term):
        return Q(lei=lei)
    match term.shape:
        case TermShape.NOTHING:
            return Q()
        case TermShape.CASE:
            return Q(pk=term.number)
        case TermShape.DOMAIN | TermShape.ADDRESS:
            return match_email_addresses("email", term)
        case TermShape.TEXT:
            return Q(institution__icontains=term.value) | Q(name__icontains=term.value)
    return Q(pk__in=[])


def match_proposals(term: SearchTerm) -> Q:
    """Return the condition on proposals for the panel: their case, and what they propose."""
    match term.shape:
        case TermShape.NOTHING:
            return Q()
        case TermShape.TAX_ID:
            return _proposes(term.value)
        case TermShape.DOMAIN:
            return _proposes(term.value) | Q(case__in=_cases(term))
    return Q(case__in=_cases(term))


def _cases(term: SearchTerm) -> QuerySet[Case]:
    return Case.objects.filter(match_cases(term)).order_by().only("pk")


def _proposes(value: str) -> Q:
    """Return the condition on proposals with a value. They are few, so their text is searched."""
    as_text = RecordProposal.objects.annotate(text=Cast("changes", TextField()))
    return Q(pk__in=as_text.filter(text__contains=f'"{value}"').order_by().values("pk"))


def match_rows(model: type[Model], term: SearchTerm, *others: Q) -> Q:
    """Return the condition on rows of a table that refers to submissions.

    others: further conditions for a text without a known shape.
    """
    if term.shape is TermShape.NOTHING:
        return Q()
    if term.shape is TermShape.TEXT and _is_common(term):
        of_name = Q(submission__filing__in=_filings(term))
        return of_name | Q(submission__file_name__icontains=term.value) | reduce(or_, others, Q())
    of = Q(submission__in=Submission.objects.filter(match_submissions(term)).order_by())
    return match_any(model, of, *others) if others and term.shape is TermShape.TEXT else of


def match_any(model: type[Model], *conditions: Q) -> Q:
    """Return the condition that one of these holds; each is searched through its own index."""
    first, *others = [
        model._default_manager.filter(condition).order_by().values("pk") for condition in conditions
    ]
    return Q(pk__in=first.union(*others))


def match_email_addresses(field: str, term: SearchTerm) -> Q:
    """Return the condition on a column of email addresses: one address, or a whole domain."""
    condition = is_address if term.shape is TermShape.ADDRESS else is_within
    return condition(field, term.value)


def _is_network_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _filings(term: SearchTerm) -> QuerySet[Filing]:
    return Filing.objects.filter(match_filings(term)).order_by().only("pk")


def _named(text: str) -> Q:
    """Return the condition on institutions: every word in the name, or the beginning of an id."""
    in_name = Q()
    for word in text.split():
        in_name &= Q(name__icontains=word)
    condition = in_name | Q(lei__startswith=text.upper()) | Q(tax_id__startswith=text)
    domain = _DOMAIN.fullmatch(text.lower())
    return condition | Q(pk__in=_of_domain(domain[1])) if domain else condition


def _of_domain(domain: str) -> QuerySet[Institution]:
    """Return the institutions with an email domain, in any year."""
    rows = institutions.filter_by_domain(Institution.objects.all(), domain)
    return rows.order_by().only("pk")


def _by_name(term: SearchTerm) -> Q:
    """Return the condition on submissions: the name of the institution or of the file.

    For a rare name the matches are collected first. For a common one it is faster to scan the
    list: it soon has a full page.
    """
    of_file = Q(file_name__icontains=term.value)
    if _is_common(term):
        return Q(filing__in=_filings(term)) | of_file
    return match_any(Submission, Q(filing__in=_filings(term)), of_file)


def _is_common(term: SearchTerm) -> bool:
    return find_institutions(term)[: MANY + 1].count() > MANY


def _by_email(term: SearchTerm) -> Q:
    """Return the condition on submissions: by who acted or signed, or by the institution."""
    acted = StatusChange.objects.filter(match_email_addresses("actor_email", term))
    signed = Signature.objects.filter(match_email_addresses("signer_email", term))
    of_institution = Submission.objects.filter(filing__institution__in=find_institutions(term))
    keys = (
        acted.order_by()
        .values("submission")
        .union(signed.order_by().values("submission"), of_institution.order_by().values("pk"))
    )
    return Q(pk__in=keys)
