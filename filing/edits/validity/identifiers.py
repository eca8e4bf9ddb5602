"""Validity edits of the identifiers: LEI and ULI."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, between, since
from filing.edits.vocabulary import if_then, in_any_case, length, matches, right_check_digits

_ALPHANUMERIC = "consists of letters and digits"

EDITS = (
    Edit(
        code="V600",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("lei",),
        text=(
            "Legal Entity Identifier (LEI) of the record must have 20 characters, and cannot be "
            "left blank."
        ),
        holds=length("lei") == 20,
        breaks=examples.PURCHASED | {"lei": "TOOSHORT"},
    ),
    # The length distinguishes a ULI (23 or more) from a NULI (up to 22).
    Edit(
        code="V608-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("uli",),
        text=(
            "If Universal Loan Identifier (ULI) has 23 or more characters (a ULI), then it must "
            "consist of letters and digits, and cannot have more than 45 characters."
        ),
        holds=if_then(
            length("uli") >= 23,
            matches("uli", "[A-Za-z0-9]+", _ALPHANUMERIC) & (length("uli") <= 45),
        ),
        breaks=examples.PURCHASED | {"uli": "A-LOAN-WITH-A-HYPHEN-AND-MORE-THAN-22"},
    ),
    Edit(
        code="V608-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=between(2018, 2021),
        fields=("uli",),
        text=(
            "If Universal Loan Identifier (ULI) has 22 or fewer characters (a non-universal loan "
            "identifier, NULI), then it must consist of letters and digits, and cannot be left "
            "blank."
        ),
        holds=if_then(length("uli") < 23, matches("uli", "[A-Za-z0-9]+", _ALPHANUMERIC)),
        breaks={"uli": "LOAN-1"},
    ),
    Edit(
        code="V608-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2022),
        fields=("uli",),
        text=(
            "If Universal Loan Identifier (ULI) has 22 or fewer characters (a non-universal loan "
            "identifier, NULI), then it must consist of letters and digits, and cannot be NA, "
            "Exempt, 1111, or left blank."
        ),
        holds=if_then(
            length("uli") < 23,
            matches("uli", "[A-Za-z0-9]+", _ALPHANUMERIC)
            & ~in_any_case("uli", "Exempt", "NA", "1111"),
        ),
        breaks={"uli": "na"},
    ),
    # A ULI that is too long or has other characters fails here and in V608-1.
    Edit(
        code="V609",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2019),
        fields=("uli",),
        text=(
            "If Universal Loan Identifier (ULI) has more than 22 characters, then the last two "
            "must be the check digits calculated from the others."
        ),
        holds=if_then(length("uli") > 22, right_check_digits("uli")),
        breaks=examples.PURCHASED | {"uli": "B90YWS6AFX2LGWOXJ1LD0000000000000000000000000"},
    ),
)
