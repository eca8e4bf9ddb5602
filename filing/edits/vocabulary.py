"""The vocabulary in which edits are written.

Each word answers true or false on every row, also for NA, Exempt, a blank and nonsense; so any
sentence made of them by `&`, `|`, `~` and the words below does. Words take names of columns. A
costly value is in a derived column named `<field>#<derivation>`, which `facts` computes once per
block for the edits that use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

import polars as pl

from filing.edits.sentences import (
    Binding,
    ColumnValue,
    Condition,
    NumericValue,
    join_conditions,
    listed,
)
from filing.lar.fields import (
    DATES,
    DECIMALS,
    EXEMPT_CODE,
    LAR_BY_NAME,
    SHEET_PREFIX,
    STATES,
    TS_BY_NAME,
    WHOLE_NUMBERS,
    Parse,
)

_FIELDS = {**TS_BY_NAME, **LAR_BY_NAME}
_CALLED = {
    "filing_year": "the filing year",
    "filing_quarter": "the filing quarter",
    "quarter_start": "the first day of the quarter",
    "quarter_end": "the last day of the quarter",
    "institution.lei": "the LEI in the panel",
    "institution.agency": "the agency in the panel",
    "institution.tax_id": "the taxpayer identification number in the panel",
    "line": "the line as filed",
}

NOT_NATURAL_APPLICANT = (
    "the applicant or borrower is not a natural person (Ethnicity of Applicant or Borrower: 1 is "
    "4, Race of Applicant or Borrower: 1 is 7, and Sex of Applicant or Borrower is 4)"
)
NOT_NATURAL_CO_APPLICANT = (
    "the co-applicant or co-borrower is not a natural person (Ethnicity of Co-Applicant or "
    "Co-Borrower: 1 is 4, Race of Co-Applicant or Co-Borrower: 1 is 7, and Sex of Co-Applicant or "
    "Co-Borrower is 4)"
)
NO_CO_APPLICANT = (
    "there is no co-applicant or co-borrower (Ethnicity of Co-Applicant or Co-Borrower: 1 is 5, "
    "Race of Co-Applicant or Co-Borrower: 1 is 8, and Sex of Co-Applicant or Co-Borrower is 5)"
)


def value(column: str) -> ColumnValue:
    """Return the column as it is, to be compared by `==` and `!=` with text, a code or a column."""
    return ColumnValue(pl.col(column), called(column))


def one_of(field: str, *values: str | int) -> Condition:
    """Hold where the value is one of these; text compares with regard to case."""
    column, words = pl.col(field), listed(values)
    expr = column == values[0] if len(values) == 1 else column.is_in(values)
    return Condition(expr, f"{called(field)} is {words}", f"{called(field)} is not {words}")


def blank(field: str) -> Condition:
    """Hold where the field is blank, which a coded column stores as 0."""
    expr = pl.col(field) == (0 if _is_integer(field) else "")
    return Condition(expr, f"{called(field)} is blank", f"{called(field)} is not blank")


def if_then(condition: Condition, consequence: Condition) -> Condition:
    """Hold where the condition does not, or where both do."""
    words = f"if {condition.words}, then {consequence.words}"
    return Condition(~condition.expr | consequence.expr, words, binding=Binding.IF)


def iff(one: Condition, other: Condition) -> Condition:
    """Hold where both conditions hold and where neither does."""
    words = f"{one.inside(Binding.IF)} if and only if {other.inside(Binding.IF)}"
    return Condition(one.expr == other.expr, words, binding=Binding.IF)


def any_of(*conditions: Condition) -> Condition:
    """Hold where at least one of the conditions does."""
    # A maximum of many is planned faster than a nest of `or`, and computed alike.
    expr = pl.max_horizontal(*(condition.expr for condition in conditions))
    return join_conditions(Binding.OR, conditions, expr)


def all_of(*conditions: Condition) -> Condition:
    """Hold where every one of the conditions does."""
    expr = pl.min_horizontal(*(condition.expr for condition in conditions))
    return join_conditions(Binding.AND, conditions, expr)


def any_reads(fields: Iterable[str], *numbers: int, zeros: int = 0) -> Condition:
    """Hold where one of many fields, also of text, is typed as one of these whole numbers.

    zeros: how many may follow a decimal point. In a column of numbers the value counts.
    """
    fields = tuple(fields)
    expr = pl.max_horizontal(
        *(same for field in fields for number in numbers for same in _reads(field, number, zeros))
    )
    after = f" (with up to {zeros} zeros after the decimal point)" if zeros else ""
    labels, values = listed(map(called, fields), "and"), f"{listed(numbers)}{after}"
    return Condition(expr, f"one of {labels} is {values}", f"none of {labels} is {values}")


def how_many(*conditions: Condition) -> NumericValue:
    """Return the number of conditions that hold."""
    count = pl.sum_horizontal(*(condition.expr.cast(pl.Int32) for condition in conditions))
    words = "; ".join(condition.words for condition in conditions)
    return NumericValue(
        count, is_decimal=False, words=f"the number of these that are true ({words})"
    )


def all_distinct(*fields: str) -> Condition:
    """Hold where no valid code occurs twice; blanks and invalid codes may.

    Valid are the codes of the first field, with those that only its co-applicant's twin has.
    """
    twin = f"co_{fields[0]}"
    codes = LAR_BY_NAME[twin if twin in LAR_BY_NAME else fields[0]].codes
    expr = ~pl.max_horizontal(
        *(
            pl.col(first_field).is_in(codes) & (pl.col(first_field) == pl.col(second_field))
            for first_field, second_field in combinations(fields, 2)
        )
    )
    return Condition(expr, f"no valid code occurs twice in {listed(map(called, fields), 'and')}")


def not_natural_person(prefix: str = "") -> Condition:
    """Hold where the applicant, or with `co_` the co-applicant, is not a natural person.

    Source: § 1003.4(a)(10)(i) of Regulation C and the codes of ethnicity, race and sex.
    """
    return all_of(
        one_of(f"{prefix}applicant_ethnicity_1", 4),
        one_of(f"{prefix}applicant_race_1", 7),
        one_of(f"{prefix}applicant_sex", 4),
    )


def no_co_applicant() -> Condition:
    """Hold where ethnicity, race, and sex all have the code for no co-applicant."""
    return all_of(
        one_of("co_applicant_ethnicity_1", 5),
        one_of("co_applicant_race_1", 8),
        one_of("co_applicant_sex", 5),
    )


def num(column: str) -> NumericValue:
    """Return the value of a field or a fact as a number; a date counts as the number YYYYMMDD."""
    words = called(column)
    if column not in _FIELDS or _is_integer(column):
        return NumericValue(pl.col(column), is_decimal=False, words=words, is_date=_is_date(column))
    if _is_date(column):
        return NumericValue(pl.col(f"{column}#date"), is_decimal=False, words=words, is_date=True)
    return NumericValue(pl.col(f"{column}#number"), is_decimal=True, words=words)


def number(field: str) -> Condition:
    """Hold where the field reads as a decimal number: not for NA, Exempt and a blank."""
    expr, words = num(field).expr.is_not_null(), called(field)
    return Condition(expr, f"{words} is a number", f"{words} is not a number")


def whole_number(field: str) -> Condition:
    """Hold where a field of whole numbers, NA and Exempt has a number, of any size."""
    words, expr = called(field), num(field).expr.is_not_null()
    return Condition(expr, f"{words} is a whole number", f"{words} is not a whole number")


def int32(field: str) -> Condition:
    """Hold where the field is a whole number that fits 32 bits with a sign."""
    expr = whole_number(field) & (num(field) >= -(2**31)) & (num(field) < 2**31)
    words = called(field)
    return Condition(
        expr.expr, f"{words} is a whole number of at most 32 bits", f"{words} is not such a number"
    )


def integer(field: str) -> NumericValue:
    """Return the value of a free text as a whole number, null beyond 64 bits."""
    whole = pl.col(field).cast(pl.Int64, strict=False)
    return NumericValue(whole, is_decimal=False, words=called(field))


def valid_date(field: str) -> Condition:
    """Hold where the field is a day of the calendar written YYYYMMDD."""
    expr, words = pl.col(f"{field}#date").is_not_null(), called(field)
    date = "a valid date in the format YYYYMMDD"
    return Condition(expr, f"{words} is {date}", f"{words} is not {date}")


def year_of(date: str) -> NumericValue:
    """Return the year of a column that is always a date."""
    return NumericValue(
        pl.col(date) // 10_000, is_decimal=False, words=f"the year of {called(date)}"
    )


def length(field: str) -> NumericValue:
    """Return the number of characters of a text."""
    count = pl.col(field).str.len_chars().cast(pl.Int32)
    return NumericValue(count, is_decimal=False, words=f"the length of {called(field)}")


def first(field: str, characters: int) -> ColumnValue:
    """Return the first characters of a text, all of it where it is shorter."""
    begin = pl.col(field).str.slice(0, characters)
    return ColumnValue(begin, f"the first {characters} characters of {called(field)}")


def lower(column: str) -> ColumnValue:
    """Return the text in lower case."""
    return ColumnValue(pl.col(column).str.to_lowercase(), f"{called(column)} in lower case")


def upper(column: str) -> ColumnValue:
    """Return the text in upper case."""
    return ColumnValue(pl.col(column).str.to_uppercase(), f"{called(column)} in upper case")


def matches(field: str, pattern: str, words: str = "") -> Condition:
    r"""Hold where the whole text matches; `\d` and `\w` mean ASCII.

    words: the pattern in plain words, as a predicate.
    """
    return Condition(
        _whole(field, pattern), f"{called(field)} {words or f'has the form {pattern}'}"
    )


def contains(field: str, pattern: str, words: str = "") -> Condition:
    r"""Hold where some part of the text matches; `\d`, `\w` and `\b` mean ASCII.

    words: the pattern in plain words.
    """
    expr, label = pl.col(field).str.contains(rf"(?-u:{pattern})"), called(field)
    part = words or pattern
    return Condition(expr, f"{label} contains {part}", f"{label} does not contain {part}")


def contains_any(field: str, *parts: str) -> Condition:
    """Hold where the text contains one of these ASCII texts, in upper or lower case."""
    expr = pl.col(field).str.contains_any(list(parts), ascii_case_insensitive=True)
    label, texts = called(field), " ".join(parts)
    return Condition(expr, f"{label} contains one of {texts}", f"{label} contains none of {texts}")


def in_any_case(field: str, *words: str) -> Condition:
    """Hold where the text is one of some short words, however its letters are cased."""
    # To look all spellings up is ten times faster than to change the case of every value.
    expr = pl.col(field).is_in(sorted({text for word in words for text in _spellings(word)}))
    spellings = f"{listed(words)} in upper or lower case"
    return Condition(expr, f"{called(field)} is {spellings}", f"{called(field)} is not {spellings}")


def postal_state(field: str) -> Condition:
    """Hold where the text is the postal abbreviation of a state, of DC or of a territory."""
    words = "the postal abbreviation of a state or territory"
    return Condition(pl.col(field).is_in(list(STATES)), f"{called(field)} is {words}")


def fips_of(state: str) -> ColumnValue:
    """Return the two-digit code of a state given by its postal abbreviation, or a blank."""
    code = pl.col(state).replace_strict(STATES, default="", return_dtype=pl.String)
    return ColumnValue(code, f"the FIPS code of {called(state)}")


def known_tract(field: str) -> Condition:
    """Hold where the text is the 11-digit code of a tract in the census of the year."""
    return _looked_up(field, "known_tract", "a census tract in the census data of the year")


def known_county(field: str) -> Condition:
    """Hold where the text is the 5-digit code of a county in the census of the year."""
    return _looked_up(field, "known_county", "a county in the census data of the year")


def small_county(field: str) -> Condition:
    """Hold where the text is the code of a county with a population of 30,000 or less."""
    return _looked_up(field, "small_county", "a county with a population of 30,000 or less")


def right_check_digits(field: str) -> Condition:
    """Hold where the text is a ULI whose last two characters are its check digits."""
    return _looked_up(field, "check_digits", "a ULI with valid check digits")


def exemption_taken() -> Condition:
    """Hold where some field has the code of the partial exemption.

    Source: quality edit Q646; state, loan identifier, credit scores, county and tract do not count.
    """
    not_counted = {"applicant_credit_score", "co_applicant_credit_score"}
    fields = [f for f in LAR_BY_NAME.values() if f.exempt is not None and f.name not in not_counted]
    codes = [f.name for f in fields if f.exempt == EXEMPT_CODE]
    # Only free text can hold the word in another spelling: no other column would have been parsed.
    words = [f.name for f in fields if f.exempt == "Exempt" and f.parse is not Parse.TEXT]
    texts = [f.name for f in fields if f.exempt == "Exempt" and f.parse is Parse.TEXT]
    expr = pl.max_horizontal(
        *(pl.col(name) == EXEMPT_CODE for name in codes),
        *(pl.col(name) == word for name in words for word in ("Exempt", str(EXEMPT_CODE))),
        *(in_any_case(name, "Exempt", str(EXEMPT_CODE)).expr for name in texts),
    )
    return Condition(expr, "some field has an exemption code", "no field has an exemption code")


def figure(name: str) -> NumericValue:
    """Return a figure of the file; its words are for `Edit.rule` to fill in."""
    return NumericValue(pl.col(name), is_decimal=False, words=f"{{{name}}}")


def called(column: str) -> str:
    """Return the label of a column, or the words for a fact."""
    if column in _FIELDS:
        return _FIELDS[column].label
    if column.startswith(SHEET_PREFIX):
        return f"{TS_BY_NAME[column.removeprefix(SHEET_PREFIX)].label} on the transmittal sheet"
    return _CALLED[column]


def _looked_up(field: str, derivation: str, words: str) -> Condition:
    expr = pl.col(f"{field}#{derivation}")
    return Condition(expr, f"{called(field)} is {words}", f"{called(field)} is not {words}")


def _whole(field: str, pattern: str) -> pl.Expr:
    return pl.col(field).str.contains(rf"\A(?-u:{pattern})\z")


def _spellings(word: str) -> Iterator[str]:
    return map("".join, product(*zip(word.lower(), word.upper(), strict=True)))


def _reads(field: str, number: int, zeros: int) -> Iterator[pl.Expr]:
    spellings = [str(number), *(f"{number}.{n * '0'}" for n in range(1, zeros + 1))]
    parse = _FIELDS[field].parse
    if _is_integer(field) or parse in WHOLE_NUMBERS:
        yield (num(field) == number).expr
    elif parse in DECIMALS:
        # The longest spelling is the one with the most zeros: all in two comparisons.
        short = pl.col(field).str.len_bytes() <= len(spellings[-1])
        yield (num(field) == number).expr & short
    else:
        yield from (pl.col(field) == spelling for spelling in spellings)


def _is_date(column: str) -> bool:
    return column in _FIELDS and _FIELDS[column].parse in DATES


def _is_integer(field: str) -> bool:
    return _FIELDS[field].dtype == pl.Int32
