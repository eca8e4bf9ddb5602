"""Institutions of the panel: searches, and checks of their fields.

The admin and the import of panel files use the same checks, with the same messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast

from filing import standing
from filing.access import PUBLIC_EMAIL_DOMAINS, is_domain, is_of_domain
from filing.emails import outbox
from filing.models import Institution, Submission
from uliapi import checkdigit

LEI_SHAPE = "[A-Z0-9]{20}"
_LEI = re.compile(LEI_SHAPE)
# The issuers of LEIs are legal entities too; lists of LEIs name them beside those whom they issued
# one to. Source: GLEIF, accredited LEI issuers; the larger ones.
_LEI_ISSUERS = {
    "5493001KJTIIGC8Y1R12": "Bloomberg Finance L.P.",
    "213800WAVVOPS85N2205": "London Stock Exchange LEI Limited",
    "EVK05KS7XY1DEII3R011": "Business Entity Data B.V.",
    "5299000J2N45DDNE4Y28": "WM Datenservice",
    "969500Q2MA9VBQ8BG884": "INSEE",
    "815600EAD78C57FCE690": "InfoCamere",
    "39120001KULK7200U106": "Bundesanzeiger Verlag",
    "549300O897ZC5H7CY412": "NordLEI",
    "335800FVH4MOKZS9VH40": "Legal Entity Identifier India Limited",
    "353800279ADEFGKNTV65": "Tokyo Stock Exchange",
    "529900T8BM49AURSDO55": "Ubisecure Oy",
    "506700GE1G29325QX363": "Global Legal Entity Identifier Foundation",
}
_TAX_ID = re.compile(r"[0-9]{2}-[0-9]{7}")


@dataclass(frozen=True)
class InstitutionCriteria:
    """Criteria of a search, all of which must match; blank ones do not count.

    name, city: a part of the value, case ignored. All others: the complete value.
    """

    name: str = ""
    lei: str = ""
    city: str = ""
    state: str = ""
    domain: str = ""
    tax_id: str = ""


def search_institutions(
    criteria: InstitutionCriteria, *, year: int | None = None
) -> QuerySet[Institution]:
    """Return the institutions that meet all criteria, by name, in a year or in their newest year.

    Older records do not count, nor do made-up institutions that were taken out of use. None for
    public email domains.
    """
    condition = ~standing.is_made_up() | standing.is_real_institution()
    if criteria.name:
        condition &= Q(name__icontains=criteria.name)
    if criteria.city:
        condition &= Q(city__icontains=criteria.city)
    if criteria.state:
        condition &= Q(state__iexact=criteria.state)
    if criteria.lei:
        condition &= Q(lei=normalize_lei(criteria.lei))
    if criteria.tax_id:
        condition &= Q(tax_id=criteria.tax_id)
    matches = Institution.objects.filter(condition).order_by("name", "lei")
    if criteria.domain:
        matches = filter_by_domain(matches, criteria.domain.lower())
    if year is not None:
        return matches.filter(activity_year=year)
    newer = Institution.objects.filter(
        lei=OuterRef("lei"), activity_year__gt=OuterRef("activity_year")
    )
    return matches.filter(~Exists(newer))


def filter_by_domain(institutions: QuerySet[Institution], domain: str) -> QuerySet[Institution]:
    """Return the institutions that list an email domain. None for public domains."""
    if not is_domain(domain) or domain in PUBLIC_EMAIL_DOMAINS:
        return institutions.none()
    # Domains are a JSON list, which not every database can search: compare as text.
    as_text = institutions.annotate(domains=Cast("email_domains", TextField()))
    return as_text.filter(domains__contains=f'"{domain}"')


def find_by_email_domain(domain: str) -> list[Institution]:
    """Return the institutions that list an email domain, by name.

    Each is listed once, with the record of its newest year. None for public email domains.
    """
    domain = domain.strip().lower()
    matches = search_institutions(InstitutionCriteria(domain=domain)) if domain else ()
    return [match for match in matches if is_of_domain(domain, match.email_domains)]


def find_institution_names(leis: Iterable[str]) -> dict[str, str]:
    """Return the newest name of each institution that is in the panel, by LEI."""
    rows = Institution.objects.filter(lei__in=leis).order_by("activity_year")
    return dict(rows.values_list("lei", "name"))


def find_newest_records(leis: Iterable[str]) -> dict[str, Institution]:
    """Return the newest panel record of each institution that is in the panel, by LEI."""
    rows = Institution.objects.filter(lei__in=leis).order_by("activity_year")
    return {row.lei: row for row in rows}


def with_institution_name(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return rows that have an LEI, each with the `institution_name` and `institution_key`.

    They are those of the newest year; none where the institution is not in the panel.
    """
    newest = Institution.objects.filter(lei=OuterRef("lei")).order_by("-activity_year")
    return rows.annotate(
        institution_name=Subquery(newest.values("name")[:1]),
        institution_key=Subquery(newest.values("pk")[:1]),
    )


def normalize_lei(text: str) -> str:
    """Return an LEI as it is stored, however it was typed: in capitals, without spaces around."""
    return text.strip().upper()


def is_lei(text: str) -> bool:
    """Tell whether a text has the shape of an LEI."""
    return _LEI.fullmatch(text) is not None


def check_lei(text: str) -> str:
    """Return the LEI in capitals. Where made-up LEIs are allowed, only its shape is checked.

    Raises: ValueError.
    Source: ISO 17442 for the check digits.
    """
    lei = normalize_lei(text)
    if not is_lei(lei):
        raise ValueError(f"{text!r} is not an LEI; enter 20 letters and digits")
    if not settings.TEST_LEIS and not checkdigit.is_valid_lei(lei):
        raise ValueError(
            f"{text!r} is not an LEI: the check digits, its last two characters, are wrong"
        )
    if lei in _LEI_ISSUERS:
        raise ValueError(
            f"{text!r} is the LEI of an issuer of LEIs, {_LEI_ISSUERS[lei]}, not of an institution"
        )
    return lei


def check_tax_id(text: str) -> str:
    """Return the TIN, which may be blank.

    Raises: ValueError.
    """
    if text and not _TAX_ID.fullmatch(text):
        raise ValueError(f"{text!r} is not a TIN; enter it as 99-9999999, or leave it blank")
    return text


def check_domains(text: str) -> list[str]:
    """Return the email domains in a text, separated by commas or semicolons.

    Raises: ValueError for a public email domain, and for text that is not a domain.
    """
    words = (word.strip().lower().removeprefix("@") for word in re.split("[,;]", text))
    domains = list(dict.fromkeys(filter(None, words)))
    for domain in domains:
        if not is_domain(domain):
            raise ValueError(f"{domain!r} is not an email domain; enter one such as bank.example")
        if domain in PUBLIC_EMAIL_DOMAINS:
            raise ValueError(
                f"{domain!r} is a public email domain, in which anyone can get an address; enter a "
                "domain of the institution"
            )
    return domains


def check_text(text: str) -> str:
    """Return a text of one line.

    Raises: ValueError for control characters, also those that turn a text around.
    """
    if hidden := re.sub(outbox.ONE_LINE, "", text):
        code = f"U+{ord(hidden[0]):04X}"
        raise ValueError(f"{text!r} has a line break or another control character ({code})")
    return text


@dataclass(frozen=True)
class SheetContact:
    """The contact on a transmittal sheet, and who signed it. email: in lower case."""

    email: str
    signer_id: str
    signer_email: str


def find_sheet_contacts(leis: Iterable[str] | QuerySet[Any, Any]) -> dict[str, SheetContact]:
    """Return the contact on the transmittal sheet that each institution signed last, by LEI.

    Institutions without an email address on it are left out.
    """
    signed = (
        Submission.objects.filter(standing.is_on_record(), filing__institution__lei__in=leis)
        .order_by("signature__signed_at", "pk")
        .values_list(
            "filing__institution__lei",
            "transmittal_sheet__contact_email",
            "signature__signer_id",
            "signature__signer_email",
        )
    )
    latest = {
        lei: SheetContact(str(address or "").strip().lower(), *signer)
        for lei, address, *signer in signed
    }
    return {lei: each for lei, each in latest.items() if outbox.is_email_address(each.email)}


def find_contacts(leis: Iterable[str] | QuerySet[Any, Any]) -> dict[str, str]:
    """Return the email address of the contact of each institution, as `find_sheet_contacts`."""
    return {lei: contact.email for lei, contact in find_sheet_contacts(leis).items()}
