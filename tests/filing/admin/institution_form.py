"""The form of an institution in the admin, filled in."""

from filing.models import Institution

TYPED = {
    "activity_year": "2025",
    "lei": "529900OTHERBANK00017",
    "name": "Other Bank",
    "tax_id": "12-3456789",
    "agency": "9",
    "email_domains": "other.example, Loans.other.example",
    "rssd": "0",
    "assets": "0",
    "other_lender_code": "0",
    "parent_rssd": "0",
    "top_holder_rssd": "0",
    "reason": "The institution told us by phone.",
}


def typed(institution: Institution, **changes: str) -> dict[str, str]:
    kept = {"name": institution.name, "tax_id": institution.tax_id, "agency": "9"}
    return TYPED | kept | changes
