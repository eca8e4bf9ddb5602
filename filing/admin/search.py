"""Finds by whatever a caller has at hand: the shape of a text says what it is.

So only that is asked for, where an index finds it, and all else costs nothing.
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
LARGEST_NUMBER = 2**31 - 1  # what a sequence number can be at most
_LEI = r"(?P<lei>[A-Z0-9]{20})"
_PERIOD = r"(?P<period>[0-9]{4}(?:-Q[1-3])?)"
_RECEIPT = re.compile(rf"{_LEI}-{_PERIOD}-[0-9]+-[0-9]{{13}}")
_FILING = re.compile(rf"{_LEI}-{_PERIOD}(?:-(?P<number>[0-9]{{1,10}}))?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TAX_ID = re.compile(r"([0-9]{2})-?([0-9]{7})")
_DOMAIN = re.compile(r"@?([a-z0-9-]+(?:\.[a-z0-9-]+)+)")
# An LEI ends with two digits. What follows it without a gap is the rest of a ULI.
_BEGINS_WITH_LEI = re.compile(r"(?<![A-Z0-9])([A-Z0-9]{18}[0-9]{2})[A-Z0-9]*")
_FILE = re.compile(r"\S+\.[A-Z0-9]{2,4}")


class Shape(Enum):
    """What a text may be."""

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
    FILE = auto()
    TEXT = auto()


# What, as a rule, means a single submission.
NAMES_ONE = frozenset({Shape.RECEIPT, Shape.SUBMISSION, Shape.SHA256})


@dataclass(frozen=True)
class Asked:
    """What somebody looks for. value: as our tables write it; period, number: of a submission."""

    shape: Shape
    value: str
    period: Period | None = None
    number: int = 0


def recognise(typed: str) -> Asked:
    """Return what a text is, by its shape alone; text that has none of the shapes is a name."""
    text = typed.strip().strip("\"'<>")
    lower, upper = text.lower(), text.upper()
    if not text:
        return Asked(Shape.NOTHING, "")
    if "@" in text:
        domain = _DOMAIN.fullmatch(lower)
        return Asked(Shape.DOMAIN, domain[1]) if domain else Asked(Shape.ADDRESS, lower)
    if _SHA256.fullmatch(lower):
        return Asked(Shape.SHA256, lower)
    if _RECEIPT.fullmatch(upper):
        return Asked(Shape.RECEIPT, upper)
    if named := _FILING.fullmatch(upper):
        period, number = Period.parse(named["period"]), int(named["number"] or 0)
        shape = Shape.SUBMISSION if named["number"] else Shape.FILING
        return Asked(shape, named["lei"], period, number)
    if tax_id := _TAX_ID.fullmatch(text):
        return Asked(Shape.TAX_ID, f"{tax_id[1]}-{tax_id[2]}")
    if institutions.is_lei(upper):
        return Asked(Shape.LEI, upper)
    if _is_network_address(text):
        return Asked(Shape.NETWORK, lower)
    if _FILE.fullmatch(upper):
        return Asked(Shape.FILE, text)
    if within := _BEGINS_WITH_LEI.search(upper):
        return Asked(Shape.LEI, within[1])
    return Asked(Shape.TEXT, text)


def lei_of(asked: Asked) -> str:
    """Return the LEI that is asked for, alone or as the beginning of a name; else a blank."""
    if asked.shape is Shape.RECEIPT:
        return asked.value[:20]
    return asked.value if asked.shape in _WITH_LEI else ""


_WITH_LEI = {Shape.LEI, Shape.FILING, Shape.SUBMISSION}


def in_institutions(asked: Asked) -> Q:
    """Return the condition on institutions: of any year."""
    if lei := lei_of(asked):
        return Q(lei=lei)
    match asked.shape:
        case Shape.NOTHING:
            return Q()
        case Shape.TAX_ID:
            return Q(tax_id=asked.value)
        case Shape.DOMAIN:
            return Q(pk__in=_of_domain(asked.value))
        case Shape.ADDRESS:
            return Q(pk__in=_of_domain(asked.value.rpartition("@")[2]))
        case Shape.SHA256 | Shape.NETWORK:
            return Q(pk__in=[])
    return _named(asked.value)


def institutions_of(asked: Asked) -> QuerySet[Institution]:
    """Return the institutions that are asked for: of any year."""
    return Institution.objects.filter(in_institutions(asked)).order_by().only("pk")


def in_filings(asked: Asked) -> Q:
    """Return the condition on filings."""
    match asked.shape:
        case Shape.NOTHING:
            return Q()
        case Shape.FILING | Shape.SUBMISSION if asked.period:
            return Q(
                institution__lei=asked.value,
                period__year=asked.period.year,
                period__quarter=asked.period.quarter_name,
            )
        case Shape.RECEIPT | Shape.SHA256:
            return Q(pk__in=Submission.objects.filter(in_submissions(asked)).values("filing"))
    return Q(institution__in=institutions_of(asked))


def in_submissions(asked: Asked) -> Q:
    """Return the condition on submissions."""
    match asked.shape:
        case Shape.NOTHING:
            return Q()
        case Shape.RECEIPT:
            return Q(signature__receipt=asked.value)
        case Shape.SHA256:
            return Q(sha256=asked.value)
        case Shape.SUBMISSION:
            number = min(asked.number, LARGEST_NUMBER)
            return Q(filing__in=_owed(asked), sequence_number=number)
        case Shape.DOMAIN | Shape.ADDRESS:
            return _by_mail(asked)
        case Shape.FILE:
            return Q(file_name__icontains=asked.value)
        case Shape.TEXT:
            return _named_so(asked)
    return Q(filing__in=_owed(asked))


def in_rows_of(model: type[Model], asked: Asked, *others: Q) -> Q:
    """Return the condition on rows of a table that points at submissions.

    others: what a text may be besides what finds a submission.
    """
    if asked.shape is Shape.NOTHING:
        return Q()
    if asked.shape is Shape.TEXT and _is_everywhere(asked):
        of_name = Q(submission__filing__in=_owed(asked))
        return of_name | Q(submission__file_name__icontains=asked.value) | reduce(or_, others, Q())
    of = Q(submission__in=Submission.objects.filter(in_submissions(asked)).order_by())
    return any_of(model, of, *others) if others and asked.shape is Shape.TEXT else of


def any_of(model: type[Model], *conditions: Q) -> Q:
    """Return the condition that one of these holds, each found for itself by its own index."""
    first, *others = [
        model._default_manager.filter(condition).order_by().values("pk") for condition in conditions
    ]
    return Q(pk__in=first.union(*others))


def in_addresses(field: str, asked: Asked) -> Q:
    """Return the condition on a column of mail addresses: this one, or all of the domain."""
    of = is_address if asked.shape is Shape.ADDRESS else is_within
    return of(field, asked.value)


def _is_network_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _owed(asked: Asked) -> QuerySet[Filing]:
    return Filing.objects.filter(in_filings(asked)).order_by().only("pk")


def _named(text: str) -> Q:
    """Return the condition on institutions: every word in the name, or how an id begins."""
    named = Q()
    for word in text.split():
        named &= Q(name__icontains=word)
    found = named | Q(lei__startswith=text.upper()) | Q(tax_id__startswith=text)
    domain = _DOMAIN.fullmatch(text.lower())
    return found | Q(pk__in=_of_domain(domain[1])) if domain else found


def _of_domain(domain: str) -> QuerySet[Institution]:
    """Return the institutions whose users have addresses in an email domain, in any year."""
    found = institutions.with_domain(Institution.objects.all(), domain)
    return found.order_by().only("pk")


def _named_so(asked: Asked) -> Q:
    """Return the condition on submissions: the name of the institution, or of the file.

    Few are gathered first. Of a word that is everywhere the list soon has a page, row after row.
    """
    of_file = Q(file_name__icontains=asked.value)
    if _is_everywhere(asked):
        return Q(filing__in=_owed(asked)) | of_file
    return any_of(Submission, Q(filing__in=_owed(asked)), of_file)


def _is_everywhere(asked: Asked) -> bool:
    return institutions_of(asked)[: MANY + 1].count() > MANY


def _by_mail(asked: Asked) -> Q:
    """Return the condition on submissions: who acted on it or signed it, or the institution."""
    acted = StatusChange.objects.filter(in_addresses("actor_email", asked))
    signed = Signature.objects.filter(in_addresses("signer_email", asked))
    of_institution = Submission.objects.filter(filing__institution__in=institutions_of(asked))
    found = (
        acted.order_by()
        .values("submission")
        .union(signed.order_by().values("submission"), of_institution.order_by().values("pk"))
    )
    return Q(pk__in=found)
