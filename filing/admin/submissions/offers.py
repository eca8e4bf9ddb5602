"""What a search that finds no submission offers: the institutions that its words match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from filing.admin import search
from filing.models import Filing, Institution

MOST_INSTITUTIONS = 10


@dataclass(frozen=True, slots=True)
class Offer:
    """An institution as in its newest year, with its filings, newest first."""

    institution: Institution
    filings: list[Filing]


@dataclass(frozen=True, slots=True)
class Offers:
    """The first institutions that a search matches. more: whether there are others."""

    institutions: list[Offer]
    more: bool


def for_search(typed: str, user: AbstractBaseUser | AnonymousUser) -> Offers:
    """Return the institutions that a text matches, as far as the user may see them.

    Whoever may not see institutions gets none; whoever may not see filings gets none of these.
    """
    asked = search.recognise(typed)
    if asked.shape is search.Shape.NOTHING or not _may(user, "view_institution"):
        return Offers([], more=False)
    matching = Institution.objects.filter(search.in_institutions(asked))
    leis = list(
        matching.order_by("lei").values_list("lei", flat=True).distinct()[: MOST_INSTITUTIONS + 1]
    )
    more, leis = len(leis) > MOST_INSTITUTIONS, leis[:MOST_INSTITUTIONS]
    newest: dict[str, Institution] = {
        institution.lei: institution
        for institution in Institution.objects.filter(lei__in=leis).order_by("activity_year")
    }
    filings = _filings(leis) if _may(user, "view_filing") else {}
    named = sorted(newest.values(), key=lambda institution: (institution.name, institution.lei))
    return Offers([Offer(each, filings.get(each.lei, [])) for each in named], more)


def _filings(leis: list[str]) -> dict[str, list[Filing]]:
    found: dict[str, list[Filing]] = {}
    rows = Filing.objects.filter(institution__lei__in=leis).select_related("institution", "period")
    for filing in rows.order_by("-period__year", "period__quarter"):
        found.setdefault(filing.institution.lei, []).append(filing)
    return found


def _may(user: Any, permission: str) -> bool:
    return bool(user.has_perm(f"filing.{permission}"))
