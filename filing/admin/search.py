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

from django.db.models import Model, Q, QuerySet

from filing.lar.period import Period
from filing.models import Filing, Institution, Signature, StatusChange, Submission
from filing.models.mail_domain import is_address, is_within
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


class Shape(Enum):
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
NAMES_ONE = frozenset({Shape.RECEIPT, Shape.SUBMISSION, Shape.SHA256})


@dataclass(frozen=True)
class SearchTerm:
    """A search term.

    value: as the tables store it; period, number: of a filing or submission; number: of a case.
    """

    shape: Shape
    value: str
    period: Period | None = None
    number: int = 0


def recognize(entered: str) -> SearchTerm:
    """Return the search term for a text, by its shape; text without a known shape is a name."""
    text = entered.strip().strip("\"'<>")
    lower, upper = text.lower(), text.upper()
    if not text:
        return SearchTerm(Shape.NOTHING, "")
    if "@" in text:
        domain = _DOMAIN.fullmatch(lower)
        return SearchTerm(Shape.DOMAIN, domain[1]) if domain else SearchTerm(Shape.ADDRESS, lower)
    if _SHA256.fullmatch(lower):
        return SearchTerm(Shape.SHA256, lower)
    if _RECEIPT.fullmatch(upper):
        return SearchTerm(Shape.RECEIPT, upper)
    if parts := _FILING.fullmatch(upper):
        period, number = Period.parse(parts["period"]), int(parts["number"] or 0)
        shape = Shape.SUBMISSION if parts["number"] else Shape.FILING
        return SearchTerm(shape, parts["lei"], period, number)
    if case := _CASE.fullmatch(upper):
        return SearchTerm(Shape.CASE, upper, number=int(case[1]))
    if tax_id := _TAX_ID.fullmatch(text):
        return SearchTerm(Shape.TAX_ID, f"{tax_id[1]}-{tax_id[2]}")
    if institutions.is_lei(upper):
        return SearchTerm(Shape.LEI, upper)
    if _is_network_address(text):
        return SearchTerm(Shape.NETWORK, lower)
    if _FILE.fullmatch(upper):
        return SearchTerm(Shape.FILE, text)
    if within := _BEGINS_WITH_LEI.search(upper):
        return SearchTerm(Shape.LEI, within[1])
    return SearchTerm(Shape.TEXT, text)


def lei_of(term: SearchTerm) -> str:
    """Return the LEI in the term, alone or at the beginning of an identifier; else a blank."""
    if term.shape is Shape.RECEIPT:
        return term.value[:20]
    return term.value if term.shape in _WITH_LEI else ""


_WITH_LEI = {Shape.LEI, Shape.FILING, Shape.SUBMISSION}


def in_institutions(term: SearchTerm) -> Q:
    """Return the condition on institutions, of any year."""
    if lei := lei_of(term):
        return Q(lei=lei)
    match term.shape:
        case Shape.NOTHING:
            return Q()
        case Shape.TAX_ID:
            return Q(tax_id=term.value)
        case Shape.DOMAIN:
            return Q(pk__in=_of_domain(term.value))
        case Shape.ADDRESS:
            return Q(pk__in=_of_domain(term.value.rpartition("@")[2]))
        case Shape.SHA256 | Shape.NETWORK | Shape.CASE:
            return Q(pk__in=[])
    return _named(term.value)


def institutions_of(term: SearchTerm) -> QuerySet[Institution]:
    """Return the institutions that match, of any year."""
    return Institution.objects.filter(in_institutions(term)).order_by().only("pk")


def in_filings(term: SearchTerm) -> Q:
    """Return the condition on filings."""
    match term.shape:
        case Shape.NOTHING:
            return Q()
        case Shape.FILING | Shape.SUBMISSION if term.period:
            return Q(
                institution__lei=term.value,
                period__year=term.period.year,
                period__quarter=term.period.quarter_name,
            )
        case Shape.RECEIPT | Shape.SHA256:
            return Q(pk__in=Submission.objects.filter(in_submissions(term)).values("filing"))
    return Q(institution__in=institutions_of(term))


def in_submissions(term: SearchTerm) -> Q:
    """Return the condition on submissions."""
    match term.shape:
        case Shape.NOTHING:
            return Q()
        case Shape.RECEIPT:
            return Q(signature__receipt=term.value)
        case Shape.SHA256:
            return Q(sha256=term.value)
        case Shape.SUBMISSION:
            number = min(term.number, LARGEST_NUMBER)
            return Q(filing__in=_filings(term), sequence_number=number)
        case Shape.DOMAIN | Shape.ADDRESS:
            return _by_email(term)
        case Shape.FILE:
            return Q(file_name__icontains=term.value)
        case Shape.TEXT:
            return _by_name(term)
    return Q(filing__in=_filings(term))


def in_cases(term: SearchTerm) -> Q:
    """Return the condition on cases with the help desk."""
    if lei := lei_of(term):
        return Q(lei=lei)
    match term.shape:
        case Shape.NOTHING:
            return Q()
        case Shape.CASE:
            return Q(pk=term.number)
        case Shape.DOMAIN | Shape.ADDRESS:
            return in_addresses("email", term)
        case Shape.TEXT:
            return Q(institution__icontains=term.value) | Q(name__icontains=term.value)
    return Q(pk__in=[])


def in_rows_of(model: type[Model], term: SearchTerm, *others: Q) -> Q:
    """Return the condition on rows of a table that refers to submissions.

    others: further conditions for a text without a known shape.
    """
    if term.shape is Shape.NOTHING:
        return Q()
    if term.shape is Shape.TEXT and _is_common(term):
        of_name = Q(submission__filing__in=_filings(term))
        return of_name | Q(submission__file_name__icontains=term.value) | reduce(or_, others, Q())
    of = Q(submission__in=Submission.objects.filter(in_submissions(term)).order_by())
    return any_of(model, of, *others) if others and term.shape is Shape.TEXT else of


def any_of(model: type[Model], *conditions: Q) -> Q:
    """Return the condition that one of these holds; each is searched through its own index."""
    first, *others = [
        model._default_manager.filter(condition).order_by().values("pk") for condition in conditions
    ]
    return Q(pk__in=first.union(*others))


def in_addresses(field: str, term: SearchTerm) -> Q:
    """Return the condition on a column of email addresses: one address, or a whole domain."""
    condition = is_address if term.shape is Shape.ADDRESS else is_within
    return condition(field, term.value)


def _is_network_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _filings(term: SearchTerm) -> QuerySet[Filing]:
    return Filing.objects.filter(in_filings(term)).order_by().only("pk")


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
    rows = institutions.with_domain(Institution.objects.all(), domain)
    return rows.order_by().only("pk")


def _by_name(term: SearchTerm) -> Q:
    """Return the condition on submissions: the name of the institution or of the file.

    For a rare name the matches are collected first. For a common one it is faster to scan the
    list: it soon has a full page.
    """
    of_file = Q(file_name__icontains=term.value)
    if _is_common(term):
        return Q(filing__in=_filings(term)) | of_file
    return any_of(Submission, Q(filing__in=_filings(term)), of_file)


def _is_common(term: SearchTerm) -> bool:
    return institutions_of(term)[: MANY + 1].count() > MANY


def _by_email(term: SearchTerm) -> Q:
    """Return the condition on submissions: by who acted or signed, or by the institution."""
    acted = StatusChange.objects.filter(in_addresses("actor_email", term))
    signed = Signature.objects.filter(in_addresses("signer_email", term))
    of_institution = Submission.objects.filter(filing__institution__in=institutions_of(term))
    keys = (
        acted.order_by()
        .values("submission")
        .union(signed.order_by().values("submission"), of_institution.order_by().values("pk"))
    )
    return Q(pk__in=keys)
