"""The words in which edits are written.

Each word answers true or false on every row, also for NA, Exempt, a blank and nonsense; so any
sentence made of them by `&`, `|`, `~` and the words below does. Words take names of columns. What
is costly to compute stands in a derived column named `<field>#<what>`, which `facts` fills once
per block for the edits that ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

import polars as pl

from filing.edits.sentences import Binding, Condition, Number, Value, joined
from filing.lar.fields import LAR_BY_NAME, STATES, TS_BY_NAME, Parse

EXEMPT_CODE = 1111

_FIELDS = {**TS_BY_NAME, **LAR_BY_NAME}
_WHOLE_NUMBERS = {Parse.INTEGER_OR_NA, Parse.INTEGER_NA_OR_EXEMPT}
_DECIMALS = {Parse.DECIMAL, Parse.DECIMAL_NA_OR_EXEMPT, Parse.DECIMAL_NA_EXEMPT_OR_BLANK}
_CALLED = {
    "filing_year": "the filing year",
    "filing_quarter": "the filing quarter",
    "quarter_start": "the first day of the quarter",
    "quarter_end": "the last day of the quarter",
    "institution.lei": "the LEI in the panel",
    "institution.agency": "the agency in the panel",
    "institution.tax_id": "the tax id in the panel",
    "line": "the line as it was filed",
}


def value(column: str) -> Value:
    """Return the column as it is, to be compared by `==` and `!=` with text, a code or a column."""
    return Value(pl.col(column), called(column))


def one_of(field: str, *values: str | int) -> Condition:
    """Hold where the value is one of these; text compares with regard to case."""
    column, words = pl.col(field), _choice(map(str, values))
    found = column == values[0] if len(values) == 1 else column.is_in(values)
    return Condition(found, f"{called(field)} is {words}", f"{called(field)} is not {words}")


def blank(field: str) -> Condition:
    """Hold where nothing was filed; in a coded column that is stored as 0."""
    found = pl.col(field) == (0 if _is_integer(field) else "")
    return Condition(found, f"{called(field)} is blank", f"{called(field)} is not blank")


def if_then(condition: Condition, consequence: Condition) -> Condition:
    """Hold where the condition does not, or where both do."""
    words = f"if {condition.words} then {consequence.words}"
    return Condition(~condition.expr | consequence.expr, words, binding=Binding.IF)


def iff(one: Condition, other: Condition) -> Condition:
    """Hold where both hold and where neither does."""
    words = f"either both or neither: {one.words}; {other.words}"
    return Condition(one.expr == other.expr, words, binding=Binding.IF)


def any_of(*conditions: Condition) -> Condition:
    """Hold where at least one of the conditions does."""
    # A maximum of many is planned faster than a nest of `or`, and computed alike.
    found = pl.max_horizontal(*(condition.expr for condition in conditions))
    return joined(Binding.OR, conditions, found)


def all_of(*conditions: Condition) -> Condition:
    """Hold where every one of the conditions does."""
    found = pl.min_horizontal(*(condition.expr for condition in conditions))
    return joined(Binding.AND, conditions, found)


def any_reads(fields: Iterable[str], *numbers: int, zeros: int = 0) -> Condition:
    """Hold where one of many fields, texts as well, is typed as one of these whole numbers.

    zeros: how many may follow after a point. In a column of numbers it is the value that counts.
    """
    fields = tuple(fields)
    found = pl.max_horizontal(
        *(same for field in fields for number in numbers for same in _reads(field, number, zeros))
    )
    after = f" (with up to {zeros} zeros after a point)" if zeros else ""
    where, what = _choice(map(called, fields), "and"), _choice(map(str, numbers))
    return Condition(
        found, f"one of {where} reads {what}{after}", f"none of {where} reads {what}{after}"
    )


def how_many(*conditions: Condition) -> Number:
    """Return how many of the conditions hold."""
    count = pl.sum_horizontal(*(condition.expr.cast(pl.Int32) for condition in conditions))
    words = "; ".join(condition.words for condition in conditions)
    return Number(count, is_decimal=False, words=f"the number of these that hold ({words})")


def all_distinct(*fields: str) -> Condition:
    """Hold where no code occurs twice; blanks and codes nobody knows may.

    Known are the codes of the first field, with those that only its co-applicant's twin has.
    """
    twin = f"co_{fields[0]}"
    known = LAR_BY_NAME[twin if twin in LAR_BY_NAME else fields[0]].codes
    found = ~pl.max_horizontal(
        *(
            pl.col(one).is_in(known) & (pl.col(one) == pl.col(other))
            for one, other in combinations(fields, 2)
        )
    )
    return Condition(found, f"no known code stands twice in {_choice(map(called, fields), 'and')}")


def not_natural_person(prefix: str = "") -> Condition:
    """Hold where the applicant is no natural person; `co_` in front asks it of the co-applicant.

    Source: § 1003.4(a)(10)(i) of Regulation C and the codes of ethnicity, race and sex.
    """
    return all_of(
        one_of(f"{prefix}applicant_ethnicity_1", 4),
        one_of(f"{prefix}applicant_race_1", 7),
        one_of(f"{prefix}applicant_sex", 4),
    )


def no_co_applicant() -> Condition:
    """Hold where ethnicity, race and sex of the co-applicant all say that there is none."""
    return all_of(
        one_of("co_applicant_ethnicity_1", 5),
        one_of("co_applicant_race_1", 8),
        one_of("co_applicant_sex", 5),
    )


def num(column: str) -> Number:
    """Return the value of a field or a fact as a number; a date counts as the number YYYYMMDD."""
    words = called(column)
    if column not in _FIELDS or _is_integer(column):
        return Number(pl.col(column), is_decimal=False, words=words)
    if _FIELDS[column].parse is Parse.DATE_OR_NA:
        return Number(pl.col(f"{column}#date"), is_decimal=False, words=words)
    return Number(pl.col(f"{column}#number"), is_decimal=True, words=words)


def number(field: str) -> Condition:
    """Hold where the field reads as a decimal number: not for NA, Exempt and a blank."""
    found, words = num(field).expr.is_not_null(), called(field)
    return Condition(found, f"{words} is a number", f"{words} is not a number")


def whole_number(field: str) -> Condition:
    """Hold where the field is digits with an optional sign, of any size."""
    words = called(field)
    if _is_integer(field):
        found = pl.col(field).is_not_null()
    elif _FIELDS[field].parse in _WHOLE_NUMBERS:
        found = num(field).expr.is_not_null()
    else:
        found = _whole(field, r"[+-]?[0-9]+")
    return Condition(found, f"{words} is a whole number", f"{words} is not a whole number")


def int32(field: str) -> Condition:
    """Hold where the field is a whole number that fits 32 bits with a sign."""
    found = whole_number(field) & (num(field) >= -(2**31)) & (num(field) < 2**31)
    words = called(field)
    return Condition(
        found.expr, f"{words} is a whole number of at most 32 bits", f"{words} is not such a number"
    )


def integer(field: str) -> Number:
    """Return the value of a free text as a whole number; one that needs over 64 bits is none."""
    whole = pl.col(field).cast(pl.Int64, strict=False)
    return Number(whole, is_decimal=False, words=called(field))


def valid_date(field: str) -> Condition:
    """Hold where the field is a day of the calendar written YYYYMMDD."""
    found, words = pl.col(f"{field}#date").is_not_null(), called(field)
    return Condition(found, f"{words} is a date YYYYMMDD", f"{words} is not a date YYYYMMDD")


def year_of(date: str) -> Number:
    """Return the year of a column that is a date in any case."""
    return Number(pl.col(date) // 10_000, is_decimal=False, words=f"the year of {called(date)}")


def length(field: str) -> Number:
    """Return the number of characters of a text."""
    count = pl.col(field).str.len_chars().cast(pl.Int32)
    return Number(count, is_decimal=False, words=f"the length of {called(field)}")


def first(field: str, characters: int) -> Value:
    """Return the first characters of a text, all of it where it is shorter."""
    begin = pl.col(field).str.slice(0, characters)
    return Value(begin, f"the first {characters} characters of {called(field)}")


def lower(column: str) -> Value:
    """Return the text in lower case."""
    return Value(pl.col(column).str.to_lowercase(), f"{called(column)} in lower case")


def upper(column: str) -> Value:
    """Return the text in upper case."""
    return Value(pl.col(column).str.to_uppercase(), f"{called(column)} in upper case")


def matches(field: str, pattern: str) -> Condition:
    r"""Hold where the whole text matches; `\d` and `\w` mean ASCII."""
    words = called(field)
    return Condition(
        _whole(field, pattern), f"{words} has the form {pattern}", f"{words} is not {pattern}"
    )


def contains(field: str, pattern: str, what: str = "") -> Condition:
    r"""Hold where some part of the text matches; `\d`, `\w` and `\b` mean ASCII.

    what: the pattern in words, where it is hard to read.
    """
    found, words = pl.col(field).str.contains(rf"(?-u:{pattern})"), called(field)
    part = what or pattern
    return Condition(found, f"{words} contains {part}", f"{words} does not contain {part}")


def contains_any(field: str, *parts: str) -> Condition:
    """Hold where one of these ASCII texts stands somewhere in the text, in any case of letters."""
    found = pl.col(field).str.contains_any(list(parts), ascii_case_insensitive=True)
    words, some = called(field), " ".join(parts)
    return Condition(found, f"{words} contains one of {some}", f"{words} contains none of {some}")


def in_any_case(field: str, *words: str) -> Condition:
    """Hold where the text is one of some short words, however its letters are cased."""
    # To look all spellings up is ten times faster than to change the case of every value.
    found = pl.col(field).is_in(sorted({text for word in words for text in _spellings(word)}))
    such = f"{_choice(words)} in any case of letters"
    return Condition(found, f"{called(field)} is {such}", f"{called(field)} is not {such}")


def postal_state(field: str) -> Condition:
    """Hold where the text is the postal abbreviation of a state, of DC or of a territory."""
    words = "the postal abbreviation of a state or territory"
    return Condition(pl.col(field).is_in(list(STATES)), f"{called(field)} is {words}")


def fips_of(state: str) -> Value:
    """Return the two-digit code of a state given by its postal abbreviation, or a blank."""
    code = pl.col(state).replace_strict(STATES, default="", return_dtype=pl.String)
    return Value(code, f"the FIPS code of {called(state)}")


def known_tract(field: str) -> Condition:
    """Hold where the text is the 11-digit code of a tract in the census of the year."""
    return _looked_up(field, "known_tract", "a tract in the census of the year")


def known_county(field: str) -> Condition:
    """Hold where the text is the 5-digit code of a county in the census of the year."""
    return _looked_up(field, "known_county", "a county in the census of the year")


def small_county(field: str) -> Condition:
    """Hold where the text is the code of a county of 30,000 inhabitants or fewer."""
    return _looked_up(field, "small_county", "a county of 30,000 inhabitants or fewer")


def right_check_digits(field: str) -> Condition:
    """Hold where the text is a ULI whose last two characters are its check digits."""
    return _looked_up(field, "check_digits", "a ULI that ends in its check digits")


def exemption_taken() -> Condition:
    """Hold where some column says that the partial exemption was used.

    Source: quality edit Q646; state, loan identifier, credit scores, county and tract do not count.
    """
    not_counted = {"applicant_credit_score", "co_applicant_credit_score"}
    marked = [f for f in LAR_BY_NAME.values() if f.exempt is not None and f.name not in not_counted]
    codes = [f.name for f in marked if f.exempt == EXEMPT_CODE]
    # Only free text can hold the word in another spelling: no other column would have been parsed.
    words = [f.name for f in marked if f.exempt == "Exempt" and f.parse is not Parse.TEXT]
    texts = [f.name for f in marked if f.exempt == "Exempt" and f.parse is Parse.TEXT]
    found = pl.max_horizontal(
        *(pl.col(name) == EXEMPT_CODE for name in codes),
        *(pl.col(name) == word for name in words for word in ("Exempt", str(EXEMPT_CODE))),
        *(in_any_case(name, "Exempt", str(EXEMPT_CODE)).expr for name in texts),
    )
    return Condition(found, "some column has an exemption code", "no column has an exemption code")


def figure(name: str) -> Number:
    """Return a figure of the file."""
    return Number(pl.col(name), is_decimal=False, words=name.replace("_", " "))


def called(column: str) -> str:
    """Return what people call a column."""
    if column in _FIELDS:
        return _FIELDS[column].label
    if column.startswith("ts."):
        return f"{TS_BY_NAME[column.removeprefix('ts.')].label} of the transmittal sheet"
    return _CALLED[column]


def _looked_up(field: str, what: str, words: str) -> Condition:
    found = pl.col(f"{field}#{what}")
    return Condition(found, f"{called(field)} is {words}", f"{called(field)} is not {words}")


def _choice(words: Iterable[str], word: str = "or") -> str:
    *others, last = words
    return f"{', '.join(others)} {word} {last}" if others else last


def _whole(field: str, pattern: str) -> pl.Expr:
    return pl.col(field).str.contains(rf"\A(?-u:{pattern})\z")


def _spellings(word: str) -> Iterator[str]:
    return map("".join, product(*zip(word.lower(), word.upper(), strict=True)))


def _reads(field: str, number: int, zeros: int) -> Iterator[pl.Expr]:
    spellings = [str(number), *(f"{number}.{n * '0'}" for n in range(1, zeros + 1))]
    parse = _FIELDS[field].parse
    if _is_integer(field) or parse in _WHOLE_NUMBERS:
        yield (num(field) == number).expr
    elif parse in _DECIMALS:
        # The longest spelling is the one with the most zeros: all in two comparisons.
        short = pl.col(field).str.len_bytes() <= len(spellings[-1])
        yield (num(field) == number).expr & short
    else:
        yield from (pl.col(field) == spelling for spelling in spellings)


def _is_integer(field: str) -> bool:
    return _FIELDS[field].dtype == pl.Int32
