"""Validity edits of the identifiers: LEI and ULI."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, between, since
from filing.edits.vocabulary import if_then, in_any_case, length, matches, right_check_digits

EDITS = (
    Edit(
        code="V600",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("lei",),
        text="The LEI on the loan row must be exactly 20 characters long.",
        holds=length("lei") == 20,
        breaks=examples.PURCHASED | {"lei": "TOOSHORT"},
    ),
    # The length tells a ULI (23 and more) from another identifier (up to 22).
    Edit(
        code="V608-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("uli",),
        text=(
            "A loan identifier of 23 or more characters is a ULI: it must be made of letters "
            "and digits only and have at most 45 characters."
        ),
        holds=if_then(
            length("uli") >= 23,
            matches("uli", "[A-Za-z0-9]+") & (length("uli") <= 45),
        ),
        breaks=examples.PURCHASED | {"uli": "A-LOAN-WITH-A-HYPHEN-AND-MORE-THAN-22"},
    ),
    Edit(
        code="V608-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=between(2018, 2021),
        fields=("uli",),
        text=(
            "A loan identifier of up to 22 characters is a non-universal one: it must be made "
            "of letters and digits only and may not be blank."
        ),
        holds=if_then(length("uli") < 23, matches("uli", "[A-Za-z0-9]+")),
        breaks={"uli": "LOAN-1"},
    ),
    Edit(
        code="V608-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2022),
        fields=("uli",),
        text=(
            "A loan identifier of up to 22 characters must be made of letters and digits "
            "only, may not be blank and may not be NA, Exempt or 1111."
        ),
        holds=if_then(
            length("uli") < 23,
            matches("uli", "[A-Za-z0-9]+") & ~in_any_case("uli", "Exempt", "NA", "1111"),
        ),
        breaks={"uli": "na"},
    ),
    # A ULI that is too long or has other characters fails here as well as under V608-1.
    Edit(
        code="V609",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2019),
        fields=("uli",),
        text=(
            "The last two characters of a ULI must be the right check digits for the rest of it."
        ),
        holds=if_then(length("uli") > 22, right_check_digits("uli")),
        breaks=examples.PURCHASED | {"uli": "B90YWS6AFX2LGWOXJ1LD0000000000000000000000000"},
    ),
)
