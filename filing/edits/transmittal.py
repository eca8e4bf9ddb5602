"""Edits of the transmittal sheet, of every kind."""

from filing.edits.edit import (
    Edit,
    EditKind,
    EditLevel,
    EditNeed,
    annual_only,
    between,
    quarterly_only,
    since,
)
from filing.edits.vocabulary import (
    any_of,
    blank,
    length,
    matches,
    num,
    number,
    one_of,
    postal_state,
    upper,
    value,
)

_AGREES_WITH_PANEL = (
    (upper("lei") == upper("institution.lei"))
    & (value("federal_agency") == value("institution.agency"))
    & (value("tax_id") == value("institution.tax_id"))
)

EDITS = (
    # Replaced S303 in 2025, in quarterly filing as in annual filing.
    Edit(
        code="Q303",
        kind=EditKind.QUALITY,
        level=EditLevel.TS,
        periods=since(2025),
        fields=("federal_agency", "tax_id", "lei"),
        text=(
            "Federal Agency, Federal Taxpayer Identification Number, and Legal Entity Identifier "
            "(LEI) on the transmittal sheet should match the institution's record in the panel."
        ),
        holds=_AGREES_WITH_PANEL,
        needs=frozenset({EditNeed.INSTITUTION}),
        breaks={"tax_id": "99-9999999"},
    ),
    Edit(
        code="S300",
        kind=EditKind.SYNTACTICAL,
        level=EditLevel.TS,
        periods=since(2018),
        fields=("record_id",),
        text="Record Identifier must be 1 on the first line of the file, the transmittal sheet.",
        holds=one_of("record_id", 1),
        breaks={"record_id": 2},
    ),
    Edit(
        code="S302",
        kind=EditKind.SYNTACTICAL,
        level=EditLevel.TS,
        periods=since(2018),
        fields=("calendar_year",),
        text="Calendar Year must be the year of the filing period.",
        holds=value("calendar_year") == value("filing_year"),
        breaks={"calendar_year": 1999},
    ),
    # Without a panel record there is nothing to compare, and the edit does not run.
    Edit(
        code="S303",
        kind=EditKind.SYNTACTICAL,
        level=EditLevel.TS,
        periods=between(2018, 2024),
        fields=("federal_agency", "tax_id", "lei"),
        text=(
            "Federal Agency, Federal Taxpayer Identification Number, and Legal Entity Identifier "
            "(LEI) on the transmittal sheet must match the institution's record in the panel."
        ),
        holds=_AGREES_WITH_PANEL,
        needs=frozenset({EditNeed.INSTITUTION}),
        breaks={"tax_id": "99-9999999"},
    ),
    # Only the length is checked, here and in the edit of loans with the same code.
    Edit(
        code="V600",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=since(2018),
        fields=("lei",),
        text=(
            "Legal Entity Identifier (LEI) on the transmittal sheet must have 20 characters, and "
            "cannot be left blank."
        ),
        holds=length("lei") == 20,
        breaks={"lei": "TOOSHORT"},
    ),
    Edit(
        code="V601",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=since(2018),
        fields=(
            "institution_name",
            "contact_name",
            "contact_email",
            "contact_street",
            "contact_city",
        ),
        text=(
            "Financial Institution Name, Contact Person's Name, Contact Person's E-mail Address, "
            "Contact Person's Office Street Address, and Contact Person's Office City cannot be "
            "left blank."
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
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=annual_only(2018),
        fields=("calendar_quarter",),
        text="Calendar Quarter must be 4 in an annual filing, and cannot be left blank.",
        holds=one_of("calendar_quarter", 4),
        breaks={"calendar_quarter": 1},
    ),
    Edit(
        code="V603",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=since(2018),
        fields=("contact_phone",),
        text=(
            "Contact Person's Phone Number must have the format 999-999-9999, and cannot be left "
            "blank."
        ),
        holds=matches("contact_phone", r"\d{3}-\d{3}-\d{4}", "has the format 999-999-9999"),
        breaks={"contact_phone": "5555550100"},
    ),
    Edit(
        code="V604",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=since(2018),
        fields=("contact_state",),
        text=(
            "Contact Person's Office State must be the two-letter code of a state, the District of "
            "Columbia, or a territory, and cannot be left blank."
        ),
        holds=postal_state("contact_state"),
        breaks={"contact_state": "ca"},
    ),
    Edit(
        code="V605",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=since(2018),
        fields=("contact_zip_code",),
        text=(
            "Contact Person's Office Zip Code must have the format 12345 or 12345-6789, and cannot "
            "be left blank."
        ),
        holds=matches("contact_zip_code", r"\d{5}(-\d{4})?", "has the format 12345 or 12345-6789"),
        breaks={"contact_zip_code": "9001"},
    ),
    Edit(
        code="V606",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=since(2018),
        fields=("total_lines",),
        text=(
            "Total Number of Entries Contained in Submission must be a whole number greater than "
            "0, and cannot be left blank."
        ),
        holds=num("total_lines") > 0,
        breaks={"total_lines": 0},
    ),
    Edit(
        code="V607",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=since(2018),
        fields=("tax_id",),
        text=(
            "Federal Taxpayer Identification Number must have the format 99-9999999, and cannot be "
            "left blank."
        ),
        holds=matches("tax_id", r"\d{2}-\d{7}", "has the format 99-9999999"),
        breaks={"tax_id": "123456789"},
    ),
    # A plus sign is taken only before the first dot of the mailbox, a hyphen only in the first
    # label of the host. Both are narrower than email is, but that is how the edit runs.
    Edit(
        code="V717",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=since(2020),
        fields=("contact_email",),
        text=(
            "Contact Person's E-mail Address must be a valid email address, such as "
            "ann@bank.example."
        ),
        holds=matches(
            "contact_email",
            r"[\w+-]+(\.[\w-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9]+)*\.[A-Za-z]{2,}",
            "has the format of an email address",
        ),
        breaks={"contact_email": "ann.bank.example"},
    ),
    Edit(
        code="V718",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=quarterly_only(2020),
        fields=("calendar_quarter",),
        text=(
            "Calendar Quarter must be the quarter being filed (1, 2, or 3) in a quarterly filing, "
            "and cannot be left blank."
        ),
        holds=value("calendar_quarter") == value("filing_quarter"),
        breaks={"calendar_quarter": 4},
    ),
    Edit(
        code="V719",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=between(2021, 2022),
        fields=("institution_name",),
        text="Financial Institution Name cannot be only a number.",
        holds=~number("institution_name"),
        breaks={"institution_name": "12345"},
    ),
    Edit(
        code="V719-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=since(2023),
        fields=("institution_name",),
        text="Financial Institution Name cannot be only a number.",
        holds=~number("institution_name"),
        breaks={"institution_name": "12345"},
    ),
    Edit(
        code="V719-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.TS,
        periods=since(2023),
        fields=("institution_name",),
        text="Financial Institution Name cannot be the Legal Entity Identifier (LEI).",
        holds=value("institution_name") != value("lei"),
        breaks={"institution_name": "ABCDEFGHIJKLMNOPQRST", "lei": "ABCDEFGHIJKLMNOPQRST"},
    ),
)
