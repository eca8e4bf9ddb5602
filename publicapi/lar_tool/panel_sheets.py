"""What is known of a signed-in filer: the panel, their account, their last transmittal sheet."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User

from filing import access
from filing.models import Institution, Submission
from filing.people.institutions import find_institution_names
from filing.statuses import Status
from publicapi.lar_tool.page_forms import ToolState

# How the institution is reached, which the panel does not know.
_OF_LAST_FILING = (
    *("contact_phone", "contact_street", "contact_city"),
    *("contact_state", "contact_zip_code"),
)


def list_own_institutions(user: User) -> list[tuple[str, str]]:
    """Return the LEIs that a user files for with the names of their institutions, by name."""
    leis = access.find_leis(access.caller_of(user))
    names = find_institution_names(leis)
    return sorted(((lei, names.get(lei, lei)) for lei in leis), key=lambda each: each[::-1])


def describe_filer(user: User, state: ToolState, leis: Collection[str]) -> dict[str, str]:
    """Return values of the transmittal sheet by field name; empty if the institution is not known.

    leis: those that the file names. A file of another institution gets nothing of the user's; one
        that names none is for the institution that was chosen, or the only one of the user.
    """
    own = access.find_leis(access.caller_of(user))
    chosen = own & {state.institution}
    of_file = own & set(leis) if leis else chosen or own
    if len(of_file) != 1:
        return {}
    year = state.value("year")
    institution = (
        Institution.objects.filter(
            lei__in=of_file, activity_year__lte=int(year) if year.isdecimal() else 9999
        )
        .order_by("-activity_year")
        .first()
    )
    if institution is None:
        return {}
    return _find_last_contact(institution.lei) | {
        "institution_name": institution.name,
        "lei": institution.lei,
        "tax_id": institution.tax_id,
        "federal_agency": str(institution.agency),
        "contact_name": user.get_full_name(),
        "contact_email": user.email,
    }


def _find_last_contact(lei: str) -> dict[str, str]:
    """Return phone and address of the contact in the last signed submission; empty without one."""
    sheet = (
        Submission.objects.filter(
            filing__institution__lei=lei,
            status=Status.SIGNED,
            transmittal_sheet__isnull=False,
        )
        .order_by("-signature__signed_at")
        .values_list("transmittal_sheet", flat=True)
        .first()
    )
    return {name: str(sheet[name]) for name in _OF_LAST_FILING if sheet.get(name)} if sheet else {}
