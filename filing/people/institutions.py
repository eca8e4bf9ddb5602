"""The panel: which institutions there are in a year, and what may be said of one.

What a person types and what a file says is read by the same functions, in the same words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from filing.access.email_domains import PUBLIC_EMAIL_DOMAINS, is_domain, is_of_domain
from filing.models import Institution
from uliapi import checkdigit

_LEI = re.compile(r"[A-Z0-9]{20}")
_TAX_ID = re.compile(r"[0-9]{2}-[0-9]{7}")


@dataclass(frozen=True)
class Criteria:
    """What institutions are searched by, all of it at once; blank where it does not matter.

    name, city: a part of it, in capital or small letters. All others are whole.
    """

    name: str = ""
    lei: str = ""
    city: str = ""
    state: str = ""
    domain: str = ""
    tax_id: str = ""


def matching(criteria: Criteria, *, year: int | None = None) -> QuerySet[Institution]:
    """Return the institutions that meet all criteria, by name: as in a year, else in their newest.

    What an older year says no longer holds. None for public email domains.
    """
    meets = Q()
    if criteria.name:
        meets &= Q(name__icontains=criteria.name)
    if criteria.city:
        meets &= Q(city__icontains=criteria.city)
    if criteria.state:
        meets &= Q(state__iexact=criteria.state)
    if criteria.lei:
        meets &= Q(lei=criteria.lei.upper())
    if criteria.tax_id:
        meets &= Q(tax_id=criteria.tax_id)
    found = Institution.objects.filter(meets).order_by("name", "lei")
    if criteria.domain:
        found = with_domain(found, criteria.domain.lower())
    if year is not None:
        return found.filter(activity_year=year)
    newer = Institution.objects.filter(
        lei=OuterRef("lei"), activity_year__gt=OuterRef("activity_year")
    )
    return found.filter(~Exists(newer))


def with_domain(institutions: QuerySet[Institution], domain: str) -> QuerySet[Institution]:
    """Return those whose users have addresses in an email domain. None for public domains."""
    if not is_domain(domain) or domain in PUBLIC_EMAIL_DOMAINS:
        return institutions.none()
    # Domains are a list in JSON, and not every database looks into one: found as text.
    as_text = institutions.annotate(domains=Cast("email_domains", TextField()))
    return as_text.filter(domains__contains=f'"{domain}"')


def of_mail_domain(domain: str) -> list[Institution]:
    """Return the institutions whose users have addresses in an email domain, by name.

    Each stands there once, as in the newest year it is in. None for public email domains.
    """
    domain = domain.strip().lower()
    found = matching(Criteria(domain=domain)) if domain else ()
    return [each for each in found if is_of_domain(domain, each.email_domains)]


def names_of(leis: Iterable[str]) -> dict[str, str]:
    """Return the newest name of each institution of the panel among these."""
    rows = Institution.objects.filter(lei__in=leis).order_by("activity_year")
    return dict(rows.values_list("lei", "name"))


def is_lei(text: str) -> bool:
    """Tell whether a text has the shape of an LEI."""
    return _LEI.fullmatch(text) is not None


def check_lei(text: str) -> str:
    """Return the LEI. Where made-up LEIs are let in, only its shape is looked at.

    Raises: ValueError.
    Source: ISO 17442 for the check digits.
    """
    if not is_lei(text):
        raise ValueError(f"{text!r} is no LEI: write 20 capital letters and digits")
    if not settings.TEST_LEIS and not checkdigit.is_valid_lei(text):
        raise ValueError(
            f"{text!r} is no LEI: its last two characters are check digits and do not fit the rest"
        )
    return text


def check_tax_id(text: str) -> str:
    """Return the tax id, which may be blank.

    Raises: ValueError.
    """
    if text and not _TAX_ID.fullmatch(text):
        raise ValueError(f"{text!r} is no tax id: write 99-9999999, or leave it blank")
    return text


def check_domains(text: str) -> list[str]:
    """Return the email domains in a text that separates them with commas or semicolons.

    Raises: ValueError for a public email domain, and for what is no domain.
    """
    words = (word.strip().lower().removeprefix("@") for word in re.split("[,;]", text))
    domains = list(dict.fromkeys(filter(None, words)))
    for domain in domains:
        if not is_domain(domain):
            raise ValueError(f"{domain!r} is no email domain: write for example bank.example")
        if domain in PUBLIC_EMAIL_DOMAINS:
            raise ValueError(
                f"{domain!r} is a public email domain, anybody can have an address in it"
            )
    return domains


def check_text(text: str) -> str:
    """Return a text of one line.

    Raises: ValueError for characters that nobody sees.
    """
    if hidden := [character for character in text if unicodedata.category(character) == "Cc"]:
        code = f"U+{ord(hidden[0]):04X}"
        raise ValueError(f"{text!r} has a line break or another control character ({code})")
    return text
