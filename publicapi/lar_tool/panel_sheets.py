"""What is known of a signed-in filer for the transmittal sheet: the panel, and their account."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User

from filing import access
from filing.models import Institution
from publicapi.lar_tool.page_forms import ToolState


def describe_filer(user: User, state: ToolState, leis: Collection[str]) -> dict[str, str]:
    """Return values of the transmittal sheet by field name; empty if the institution is not known.

    leis: those that the file names. A file of another institution gets nothing of the user's.
    """
    own = access.find_leis(access.caller_of(user))
    of_file = own & set(leis) if leis else own
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
    return {
        "institution_name": institution.name,
        "lei": institution.lei,
        "tax_id": institution.tax_id,
        "federal_agency": str(institution.agency),
        "contact_name": user.get_full_name(),
        "contact_email": user.email,
    }
