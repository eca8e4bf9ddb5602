"""The vocabulary in which edits are written.

Each word answers true or false on every row, also for NA, Exempt, a blank and nonsense; so any
sentence made of them by `&`, `|`, `~` and the words below does. Words take names of columns.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

import polars as pl

from filing.edits import texts
from filing.edits.numbers import is_number, read_numbers
from filing.edits.sentences import (
    Binding,
    ColumnValue,
    Condition,
    NumericValue,
    join_conditions,
    listed,
)
from filing.edits.trees import Node, all_true, any_true, column, count_true, is_between, node
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
_FEW = 2  # texts that are compared faster one by one than looked up
_EXEMPT_WORDS = ("Exempt", str(EXEMPT_CODE))

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


def value(name: str) -> ColumnValue:
    """Return the column as it is, to be compared by `==` and `!=` with text, a code or a column."""
    return ColumnValue(column(name), called(name))


def one_of(field: str, *values: str | int) -> Condition:
    """Hold where the value is one of these; text compares with regard to case."""
    words, label = listed(values), called(field)
    return Condition(_is_in(field, values), f"{label} is {words}", f"{label} is not {words}")


def blank(field: str) -> Condition:
    """Hold where the field is blank, which a coded column stores as 0."""
    is_blank = _is_in(field, [0 if _is_integer(field) else ""])
    return Condition(is_blank, f"{called(field)} is blank", f"{called(field)} is not blank")


def if_then(condition: Condition, consequence: Condition) -> Condition:
    """Hold where the condition does not, or where both do."""
    words = f"if {condition.words}, then {consequence.words}"
    return Condition(~condition.node | consequence.node, words, binding=Binding.IF)


def iff(one: Condition, other: Condition) -> Condition:
    """Hold where both conditions hold and where neither does."""
    words = f"{one.inside(Binding.IF)} if and only if {other.inside(Binding.IF)}"
    return Condition(node(operator.eq, one.node, other.node), words, binding=Binding.IF)


def any_of(*conditions: Condition) -> Condition:
    """Hold where at least one of the conditions does."""
    return join_conditions(Binding.OR, conditions, _any(one.node for one in conditions))


def all_of(*conditions: Condition) -> Condition:
    """Hold where every one of the conditions does."""
    joined = node(all_true, *(condition.node for condition in conditions))
    return join_conditions(Binding.AND, conditions, joined)


def any_reads(fields: Iterable[str], *numbers: int, zeros: int = 0) -> Condition:
    """Hold where one of many fields, also of text, is typed as one of these whole numbers.

    zeros: how many may follow a decimal point. In a column of numbers the value counts.
    """
    fields = tuple(fields)
    reads = _any(same for field in fields for same in _reads(field, numbers, zeros))
    after = f" (with up to {zeros} zeros after the decimal point)" if zeros else ""
    labels, values = listed(map(called, fields), "and"), f"{listed(numbers)}{after}"
    return Condition(reads, f"one of {labels} is {values}", f"none of {labels} is {values}")


def how_many(*conditions: Condition) -> NumericValue:
    """Return the number of conditions that hold."""
    count = node(count_true, *(condition.node for condition in conditions))
    words = "; ".join(condition.words for condition in conditions)
    return NumericValue(count, f"the number of these that are true ({words})")


def all_distinct(*fields: str) -> Condition:
    """Hold where no valid code occurs twice; blanks and invalid codes may.

    Valid are the codes of the first field, with those that only its co-applicant's twin has.
    """
    twin = f"co_{fields[0]}"
    codes = LAR_BY_NAME[twin if twin in LAR_BY_NAME else fields[0]].codes
    twice = _any(
        _is_in(one, codes) & node(operator.eq, column(one), column(other))
        for one, other in combinations(fields, 2)
    )
    return Condition(~twice, f"no valid code occurs twice in {listed(map(called, fields), 'and')}")


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


def num(name: str) -> NumericValue:
    """Return the value of a field or a fact as a number; a date counts as the number YYYYMMDD."""
    words = called(name)
    if name not in _FIELDS or _is_integer(name):
        return NumericValue(column(name), words, _is_date(name))
    if _is_date(name):
        return NumericValue(node(texts.DAY, column(name)), words, is_date=True)
    return NumericValue(node(read_numbers, column(name)), words)


def number(field: str) -> Condition:
    """Hold where the field reads as a decimal number: not for NA, Exempt and a blank."""
    return _is(field, node(is_number, num(field).node), "a number")


def whole_number(field: str) -> Condition:
    """Hold where a field of whole numbers, NA and Exempt has a number, of any size."""
    return _is(field, node(is_number, num(field).node), "a whole number")


def int32(field: str) -> Condition:
    """Hold where the field is a whole number that fits 32 bits with a sign."""
    fits = num(field).is_between(-(2**31), 2**31 - 1)
    words = called(field)
    return Condition(
        fits.node, f"{words} is a whole number of at most 32 bits", f"{words} is not such a number"
    )


def integer(field: str) -> NumericValue:
    """Return the value of a free text as a whole number, none beyond 64 bits."""
    return NumericValue(node(texts.INTEGER, column(field)), called(field))


def valid_date(field: str) -> Condition:
    """Hold where the field is a day of the calendar written YYYYMMDD."""
    is_day = node(is_number, node(texts.DAY, column(field)))
    return _is(field, is_day, "a valid date in the format YYYYMMDD")


def year_of(date: str) -> NumericValue:
    """Return the year of a column that is always a date."""
    year = node(operator.floordiv, column(date), 10_000)
    return NumericValue(year, f"the year of {called(date)}")


def length(field: str) -> NumericValue:
    """Return the number of characters of a text."""
    return NumericValue(node(texts.LENGTH, column(field)), f"the length of {called(field)}")


def first(field: str, characters: int) -> ColumnValue:
    """Return the first characters of a text, all of it where it is shorter."""
    begin = node(texts.FIRST, column(field), characters)
    return ColumnValue(begin, f"the first {characters} characters of {called(field)}")


def upper(name: str) -> ColumnValue:
    """Return the text in upper case."""
    return ColumnValue(node(texts.UPPER, column(name)), f"{called(name)} in upper case")


def matches(field: str, pattern: str, words: str = "") -> Condition:
    r"""Hold where the whole text matches; `\d` and `\w` mean ASCII.

    words: the pattern in plain words, as a predicate.
    """
    does_match = node(texts.MATCHES, column(field), pattern)
    return Condition(does_match, f"{called(field)} {words or f'has the form {pattern}'}")


def contains(field: str, pattern: str, words: str = "") -> Condition:
    r"""Hold where some part of the text matches; `\d`, `\w` and `\b` mean ASCII.

    words: the pattern in plain words.
    """
    found, label = node(texts.CONTAINS, column(field), pattern), called(field)
    part = words or pattern
    return Condition(found, f"{label} contains {part}", f"{label} does not contain {part}")


def contains_any(field: str, *parts: str) -> Condition:
    """Hold where the text contains one of these ASCII texts, in upper or lower case."""
    found = node(texts.CONTAINS_ANY, column(field), parts)
    label, words = called(field), " ".join(parts)
    return Condition(found, f"{label} contains one of {words}", f"{label} contains none of {words}")


def in_any_case(field: str, *words: str) -> Condition:
    """Hold where the text is one of some short words, however its letters are cased."""
    # To look all spellings up is ten times faster than to change the case of every value.
    spellings = frozenset(text for word in words for text in _spellings(word))
    is_word = node(texts.IS_IN, column(field), spellings)
    return _is(field, is_word, f"{listed(words)} in upper or lower case")


def postal_state(field: str) -> Condition:
    """Hold where the text is the postal abbreviation of a state, of DC or of a territory."""
    words = "the postal abbreviation of a state or territory"
    is_state = node(texts.IS_IN, column(field), frozenset(STATES))
    return Condition(is_state, f"{called(field)} is {words}")


def fips_of(state: str) -> ColumnValue:
    """Return the two-digit code of a state given by its postal abbreviation, or a blank."""
    code = node(texts.FIPS, column(state))
    return ColumnValue(code, f"the FIPS code of {called(state)}")


def known_tract(field: str) -> Condition:
    """Hold where the text is the 11-digit code of a tract in the census of the year."""
    return _is_listed(field, "census.tracts", "a census tract in the census data of the year")


def known_county(field: str) -> Condition:
    """Hold where the text is the 5-digit code of a county in the census of the year."""
    return _is_listed(field, "census.counties", "a county in the census data of the year")


def small_county(field: str) -> Condition:
    """Hold where the text is the code of a county with a population of 30,000 or less."""
    return _is_listed(
        field, "census.small_counties", "a county with a population of 30,000 or less"
    )


def right_check_digits(field: str) -> Condition:
    """Hold where the text is a ULI whose last two characters are its check digits."""
    is_right = node(texts.HAS_CHECK_DIGITS, column(field))
    return _is(field, is_right, "a ULI with valid check digits")


def exemption_taken() -> Condition:
    """Hold where some field has the code of the partial exemption.

    Source: quality edit Q646; state, loan identifier, credit scores, county and tract do not count.
    """
    not_counted = {"applicant_credit_score", "co_applicant_credit_score"}
    fields = [f for f in LAR_BY_NAME.values() if f.exempt is not None and f.name not in not_counted]
    # Only free text can hold the word in another spelling: no other column would have been parsed.
    taken = _any(
        one_of(f.name, EXEMPT_CODE).node
        if f.exempt == EXEMPT_CODE
        else (in_any_case if f.parse is Parse.TEXT else one_of)(f.name, *_EXEMPT_WORDS).node
        for f in fields
    )
    return Condition(taken, "some field has an exemption code", "no field has an exemption code")


def figure(name: str) -> NumericValue:
    """Return a figure of the file; its words are for `Edit.rule` to fill in."""
    return NumericValue(column(name), f"{{{name}}}")


def called(column: str) -> str:
    """Return the label of a column, or the words for a fact."""
    if column in _FIELDS:
        return _FIELDS[column].label
    if column.startswith(SHEET_PREFIX):
        return f"{TS_BY_NAME[column.removeprefix(SHEET_PREFIX)].label} on the transmittal sheet"
    return _CALLED[column]


def _is(field: str, holds: Node, words: str) -> Condition:
    return Condition(holds, f"{called(field)} is {words}", f"{called(field)} is not {words}")


def _is_listed(field: str, codes: str, words: str) -> Condition:
    return _is(field, node(texts.IS_LISTED, column(field), column(codes)), words)


def _any(nodes: Iterable[Node]) -> Node:
    several = tuple(nodes)
    return node(any_true, *several) if len(several) > 1 else several[0]


def _is_in(field: str, values: Sequence[str | int]) -> Node:
    """Return where a field has one of a few values; codes in a row are compared at once."""
    codes = sorted(value for value in values if isinstance(value, int))
    if codes:
        firsts = [code for code in codes if code - 1 not in codes]
        lasts = [code for code in codes if code + 1 not in codes]
        return _any(
            node(is_between, column(field), first, last)
            if first < last
            else node(operator.eq, column(field), first)
            for first, last in zip(firsts, lasts, strict=True)
        )
    if len(values) > _FEW:
        return node(texts.IS_IN, column(field), frozenset(values))
    return _any(node(operator.eq, column(field), value) for value in values)


def _spellings(word: str) -> Iterator[str]:
    return map("".join, product(*zip(word.lower(), word.upper(), strict=True)))


def _reads(field: str, numbers: Sequence[int], zeros: int) -> Iterator[Node]:
    ends = ["", *(f".{count * '0'}" for count in range(1, zeros + 1))]
    parse = _FIELDS[field].parse
    if parse in DECIMALS:
        # The longest spelling is the one with the most zeros: all in two comparisons.
        for number in numbers:
            longest = len(f"{number}{ends[-1]}")
            short = node(operator.le, node(texts.BYTES, column(field)), longest)
            yield (num(field) == number).node & short
    elif _is_integer(field) or parse in WHOLE_NUMBERS:
        yield from ((num(field) == number).node for number in numbers)
    else:
        yield _is_in(field, [f"{number}{end}" for number in numbers for end in ends])


def _is_date(column: str) -> bool:
    return column in _FIELDS and _FIELDS[column].parse in DATES


def _is_integer(field: str) -> bool:
    return _FIELDS[field].dtype == pl.Int32
