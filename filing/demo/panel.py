"""The made-up institutions of every year, and valid LEIs for more of them."""

from __future__ import annotations

from typing import TypedDict


class DemoInstitution(TypedDict):
    """The fields of an institution of one year, by the names of the model."""

    lei: str
    name: str
    tax_id: str
    agency: int
    email_domains: list[str]
    quarterly_filer: bool
    city: str
    state: str
    rssd: int
    assets: int


def make_institutions() -> tuple[DemoInstitution, ...]:
    """Return three fictional institutions, the first a quarterly filer."""
    return (
        {
            "lei": "DEMO00LAKESIDEBANK44",
            "name": "Lakeside Demo Bank",
            "tax_id": "00-1000001",
            "agency": 9,
            "email_domains": ["lakeside.example"],
            "quarterly_filer": True,
            "city": "Los Angeles",
            "state": "CA",
            "rssd": 9_000_001,
            "assets": 12_500_000,
        },
        {
            "lei": "DEMO00PRAIRIEUNION43",
            "name": "Prairie Demo Credit Union",
            "tax_id": "00-1000002",
            "agency": 5,
            "email_domains": ["prairie.example"],
            "quarterly_filer": False,
            "city": "Lincoln",
            "state": "NE",
            "rssd": 9_000_002,
            "assets": 310_000,
        },
        {
            "lei": "DEMO00HARBORMORTGA28",
            "name": "Harbor Demo Mortgage",
            "tax_id": "00-1000003",
            "agency": 7,
            "email_domains": ["harbor.example", "mail.harbor.example"],
            "quarterly_filer": False,
            "city": "Baltimore",
            "state": "MD",
            "rssd": 0,
            "assets": 0,
        },
    )


def make_lei(start: str) -> str:
    """Return an LEI: the 18 letters and digits of `start`, then the check digits.

    Source: ISO 17442; ISO/IEC 7064, MOD 97-10.
    """
    digits = "".join(str(int(character, 36)) for character in f"{start}00")
    return f"{start}{98 - int(digits) % 97:02d}"
