"""Edits of the transmittal sheet, of every kind."""

from filing.edits.edit import Edit, Kind, Level, Need, annual_only, between, quarterly_only, since
from filing.edits.vocabulary import (
    any_of,
    blank,
    length,
    lower,
    matches,
    num,
    number,
    one_of,
    postal_state,
    value,
)

_AGREES_WITH_PANEL = (
    (lower("lei") == lower("institution.lei"))
    & (value("federal_agency") == value("institution.agency"))
    & (value("tax_id") == value("institution.tax_id"))
)

EDITS = (
    # Took the place of S303 in 2025, in quarterly filing as in annual filing.
    Edit(
        code="Q303",
        kind=Kind.QUALITY,
        level=Level.TS,
        periods=since(2025),
        fields=("federal_agency", "tax_id", "lei"),
        text=(
            "LEI, agency and tax id on the transmittal sheet should agree with the panel "
            "record of the institution that is filing."
        ),
        holds=_AGREES_WITH_PANEL,
        needs=frozenset({Need.INSTITUTION}),
        breaks={"tax_id": "99-9999999"},
    ),
    Edit(
        code="S300",
        kind=Kind.SYNTACTICAL,
        level=Level.TS,
        periods=since(2018),
        fields=("record_id",),
        text=(
            "The opening row of a file is its transmittal sheet and has to carry record "
            "identifier 1."
        ),
        holds=one_of("record_id", 1),
        breaks={"record_id": 2},
    ),
    Edit(
        code="S302",
        kind=Kind.SYNTACTICAL,
        level=Level.TS,
        periods=since(2018),
        fields=("calendar_year",),
        text=(
            "The year on the transmittal sheet has to be the year of the filing the file was "
            "uploaded to."
        ),
        holds=value("calendar_year") == value("filing_year"),
        breaks={"calendar_year": 1999},
    ),
    # Without a panel record there is nothing to compare with, and the edit does not run.
    Edit(
        code="S303",
        kind=Kind.SYNTACTICAL,
        level=Level.TS,
        periods=between(2018, 2024),
        fields=("federal_agency", "tax_id", "lei"),
        text=(
            "LEI, federal agency and tax id on the transmittal sheet have to agree with what "
            "the panel holds for the institution that is filing."
        ),
        holds=_AGREES_WITH_PANEL,
        needs=frozenset({Need.INSTITUTION}),
        breaks={"tax_id": "99-9999999"},
    ),
    # Only the length is tested, here and in the edit of loans with the same code.
    Edit(
        code="V600",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=since(2018),
        fields=("lei",),
        text="The LEI on the transmittal sheet must be exactly 20 characters long.",
        holds=length("lei") == 20,
        breaks={"lei": "TOOSHORT"},
    ),
    Edit(
        code="V601",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=since(2018),
        fields=(
            "institution_name",
            "contact_name",
            "contact_email",
            "contact_street",
            "contact_city",
        ),
        text=(
            "Institution name and the contact's name, e-mail, street and city must all be "
            "filled in."
        ),
        holds=~any_of(
            blank("institution_name"),
            blank("contact_name"),
            blank("contact_email"),
            blank("contact_street"),
            blank("contact_city"),
        ),
        breaks={"contact_city": ""},
    ),
    Edit(
        code="V602",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=annual_only(2018),
        fields=("calendar_quarter",),
        text="An annual filing must carry calendar quarter 4.",
        holds=one_of("calendar_quarter", 4),
        breaks={"calendar_quarter": 1},
    ),
    Edit(
        code="V603",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=since(2018),
        fields=("contact_phone",),
        text="The contact phone number must look like 999-999-9999.",
        holds=matches("contact_phone", r"\d{3}-\d{3}-\d{4}"),
        breaks={"contact_phone": "5555550100"},
    ),
    Edit(
        code="V604",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=since(2018),
        fields=("contact_state",),
        text=(
            "The contact's state must be given by its postal abbreviation (states, DC and "
            "territories)."
        ),
        holds=postal_state("contact_state"),
        breaks={"contact_state": "ca"},
    ),
    Edit(
        code="V605",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=since(2018),
        fields=("contact_zip_code",),
        text="The contact's ZIP code must have 5 digits, or 5 and 4 digits joined by a hyphen.",
        holds=matches("contact_zip_code", r"\d{5}(-\d{4})?"),
        breaks={"contact_zip_code": "9001"},
    ),
    Edit(
        code="V606",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=since(2018),
        fields=("total_lines",),
        text="The declared number of entries must be at least 1.",
        holds=num("total_lines") > 0,
        breaks={"total_lines": 0},
    ),
    Edit(
        code="V607",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=since(2018),
        fields=("tax_id",),
        text="The federal tax id must look like 99-9999999.",
        holds=matches("tax_id", r"\d{2}-\d{7}"),
        breaks={"tax_id": "123456789"},
    ),
    # A plus sign is taken only before the first dot of the mailbox, a hyphen only in the first
    # label of the host. Both are narrower than e-mail is, but that is how the edit is run.
    Edit(
        code="V717",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=since(2020),
        fields=("contact_email",),
        text="The contact's e-mail address must be a well-formed address.",
        holds=matches(
            "contact_email",
            r"[\w+-]+(\.[\w-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9]+)*\.[A-Za-z]{2,}",
        ),
        breaks={"contact_email": "ann.bank.example"},
    ),
    Edit(
        code="V718",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=quarterly_only(2020),
        fields=("calendar_quarter",),
        text="A quarterly filing must carry the number of the quarter being filed (1, 2 or 3).",
        holds=value("calendar_quarter") == value("filing_quarter"),
        breaks={"calendar_quarter": 4},
    ),
    Edit(
        code="V719",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=between(2021, 2022),
        fields=("institution_name",),
        text="The institution name may not consist of a number only.",
        holds=~number("institution_name"),
        breaks={"institution_name": "12345"},
    ),
    Edit(
        code="V719-1",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=since(2023),
        fields=("institution_name",),
        text="The institution name may not consist of a number only.",
        holds=~number("institution_name"),
        breaks={"institution_name": "12345"},
    ),
    Edit(
        code="V719-2",
        kind=Kind.VALIDITY,
        level=Level.TS,
        periods=since(2023),
        fields=("institution_name",),
        text="The institution name may not be a copy of the LEI.",
        holds=value("institution_name") != value("lei"),
        breaks={"institution_name": "ABCDEFGHIJKLMNOPQRST", "lei": "ABCDEFGHIJKLMNOPQRST"},
    ),
)
