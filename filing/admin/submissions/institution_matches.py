"""Institutions that match a search for which there are no submissions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from filing.admin import search
from filing.models import Filing, Institution

MAX_INSTITUTIONS = 10


@dataclass(frozen=True, slots=True)
class Match:
    """An institution in its newest year, with its filings, newest first."""

    institution: Institution
    filings: list[Filing]


@dataclass(frozen=True, slots=True)
class Matches:
    """The first institutions that match. more: whether there are others."""

    institutions: list[Match]
    more: bool


def for_search(query: str, user: AbstractBaseUser | AnonymousUser) -> Matches:
    """Return the institutions that match a search, as far as the user may see them.

    Without the right to see institutions there are none; without the right to see filings they
    come without filings.
    """
    term = search.recognize(query)
    if term.shape is search.Shape.NOTHING or not _may(user, "view_institution"):
        return Matches([], more=False)
    matching = Institution.objects.filter(search.in_institutions(term))
    leis = list(
        matching.order_by("lei").values_list("lei", flat=True).distinct()[: MAX_INSTITUTIONS + 1]
    )
    more, leis = len(leis) > MAX_INSTITUTIONS, leis[:MAX_INSTITUTIONS]
    newest: dict[str, Institution] = {
        institution.lei: institution
        for institution in Institution.objects.filter(lei__in=leis).order_by("activity_year")
    }
    filings = _filings(leis) if _may(user, "view_filing") else {}
    by_name = sorted(newest.values(), key=lambda institution: (institution.name, institution.lei))
    return Matches(
        [Match(institution, filings.get(institution.lei, [])) for institution in by_name], more
    )


def _filings(leis: list[str]) -> dict[str, list[Filing]]:
    by_lei: dict[str, list[Filing]] = {}
    rows = Filing.objects.filter(institution__lei__in=leis).select_related("institution", "period")
    for filing in rows.order_by("-period__year", "period__quarter"):
        by_lei.setdefault(filing.institution.lei, []).append(filing)
    return by_lei


def _may(user: Any, permission: str) -> bool:
    return bool(user.has_perm(f"filing.{permission}"))
