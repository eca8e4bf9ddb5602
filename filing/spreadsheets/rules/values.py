"""The rules by the kind of value: words and blanks, codes, dates, identifiers, numbers, places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from filing.lar.fields import EXEMPT_CODE, Field
from filing.lar.formats import is_day_column
from filing.spreadsheets.code_texts import list_state_names
from filing.spreadsheets.field_lists import takes_blank, takes_na
from filing.spreadsheets.rules.steps import (
    AFTER,
    BESIDE,
    IS_NUMBER,
    KIND,
    VALUE,
    RuleDoubt,
    RuleStep,
    fold_texts,
)
from filing.spreadsheets.sheet_rows import CellKind, fold_name

_NA = r"(?i)^(?:na|n/a|n\.a\.?|not applicable|#n/a)$"
_EXEMPT = r"(?i)^exempt$"
WORDS = r"(?i)^(?:na|n/a|n\.a\.?|not applicable|#n/a|exempt)$"
REGULAR = r'^(?:[^\s"\x00-\x1f\x7f|](?:[^"\x00-\x1f\x7f|]*[^\s"\x00-\x1f\x7f|])?)?$'
_INVISIBLE = '[\\x00-\\x1f\\x7f"\\x{feff}\\x{200b}]'
_LONG_NUMBER = r"^-?[0-9]{16,}"

# A spreadsheet keeps `'02138` and `="02138"` as text. In free text an apostrophe may belong to it.
GUARD = RuleStep("guard", VALUE.str.extract(r"""^\s*(?:'|=")+([^'"]*)"*\s*$"""))
GUARDED_TEXT = r"""^\s*'?="[^"]*"\s*$|^'[0-9]"""
TEXT_GUARD = RuleStep(
    "guard",
    pl.coalesce(VALUE.str.extract(r"""^\s*'?="([^"]*)"\s*$"""), VALUE.str.extract(r"^'([0-9].*)$")),
)
BLANKS = RuleStep(
    "blanks",
    VALUE.str.replace_all(r"\s*[\r\n]+\s*", " ").str.replace_all(_INVISIBLE, "").str.strip_chars(),
)
PIPE = RuleDoubt(
    "pipe",
    VALUE.str.contains("|", literal=True),
    "The cell has a pipe (|), which separates the fields of the file; enter it without.",
)
FORMULA = RuleDoubt(
    "formula",
    KIND.eq(int(CellKind.FORMULA)) & VALUE.eq(""),
    "The cell has a formula without a stored value; open the file in a spreadsheet program and "
    "save it, or enter the value.",
)
DATE_CELL = RuleDoubt(
    "date",
    KIND.eq(int(CellKind.DATE)),
    "The cell is a date, which this field does not take; format the cell as text and enter the "
    "value.",
)
DIGITS_LOST = RuleDoubt(
    "digits",
    IS_NUMBER & VALUE.str.contains(_LONG_NUMBER),
    "The cell is a number of more than 15 digits, of which a spreadsheet loses some; format the "
    "cell as text and enter the value.",
)
LINE_BREAK = RuleDoubt(
    "blanks",
    VALUE.str.contains(r"[\r\n]"),
    "The cell has a line break; enter the value on one line.",
)

_NUMBER = r"^([0-9]+)\.0+$"
_LED = r"^([0-9]+)\s*[-\x{2013}\x{2014}:=.)]+\s*(\D.*)$"
_YES_OR_NO = r"(?i)^(?:yes|no|y|n|true|false)$"

_MIDNIGHT = r"(?i)(?:T|\s+)(?:0{1,2}:00(?::00(?:\.0+)?)?(?:\s*am|z)?|12:00(?::00(?:\.0+)?)?\s*am)$"
_YEAR_FIRST = r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$"
_YEAR_LAST = r"^(\d{1,2})[-/](\d{1,2})[-/](\d{4})$"
_MONTH_FIRST = r"^(?:[A-Za-z]+,\s*)?([A-Za-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})$"
_DAY_FIRST = r"^(?:[A-Za-z]+,\s*)?(\d{1,2})[-\s]+([A-Za-z]{3,9})\.?,?[-\s]+(\d{4})$"
# Where the month and the day are in a date that ends in the year.
_PLACES = {"mdy": (1, 2), "dmy": (2, 1)}
_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = {
    name: f"{number:02}"
    for number, whole in enumerate(_NAMES, start=1)
    for name in (whole, whole[:3])
} | {"sept": "09"}

EXPONENT = RuleDoubt(
    "digits",
    VALUE.str.contains(r"^[0-9](?:\.[0-9]+)?[eE]\+[0-9]+$"),
    "The identifier is a number in exponent form, of which digits are lost; format the cell as "
    "text and enter the value.",
)
TAX_ID = (
    RuleStep("zeros", pl.when(VALUE.str.contains("^[0-9]{8}$")).then(VALUE.str.zfill(9))),
    RuleStep("tax-id", VALUE.str.replace(r"^([0-9]{2})([0-9]{7})$", "${1}-${2}")),
)
PHONE = RuleStep(
    "phone",
    VALUE.str.replace(r"^\(?([0-9]{3})\)?[\s.-]*([0-9]{3})[\s.-]*([0-9]{4})$", "${1}-${2}-${3}"),
)
WITHOUT_POINT = RuleStep("number", VALUE.str.extract(r"^([0-9]+)\.0+$"))

RATES = (
    "rate_spread",
    "interest_rate",
    "debt_to_income_ratio",
    "combined_loan_to_value_ratio",
)
_GROUPS = r"[0-9]{1,3}(?:[, \x{a0}\x{202f}][0-9]{3})+"
_WHOLE = rf"({_GROUPS}|[0-9]+)"
_FORM = rf"^([-(]?)\s*(-?)\s*\$?\s*(-?)\s*{_WHOLE}?((?:\.[0-9]*)?)\s*(\)?)$"
_SCIENTIFIC, _LARGEST_WHOLE = r"^(-?[0-9](?:\.[0-9]+)?[eE]\+?[0-9]{1,2})$", 1e15
_PERCENT = r"^(-?[0-9]*\.?[0-9]+)\s*%$"

_WITHOUT_POINT = RuleStep("number", VALUE.str.extract(r"^([0-9]{3,})\.0+$"))

UPPER = RuleStep("upper", VALUE.str.to_uppercase())
STATE = (
    RuleStep(
        "state",
        fold_texts(VALUE).replace_strict(list_state_names(), default=None, return_dtype=pl.String),
    ),
    RuleStep("upper", pl.when(VALUE.str.contains("^[A-Za-z]{2}$")).then(VALUE.str.to_uppercase())),
)
COUNTY = (
    _WITHOUT_POINT,
    RuleStep("zeros", pl.when(VALUE.str.contains("^[0-9]{4}$")).then(VALUE.str.zfill(5))),
)
ZIP = (
    _WITHOUT_POINT,
    RuleStep(
        "zeros",
        pl.coalesce(
            [
                pl.when(VALUE.str.contains("^[0-9]{3,4}$")).then(VALUE.str.zfill(5)),
                pl.when(VALUE.str.contains("^[0-9]{7,8}$")).then(VALUE.str.zfill(9)),
                pl.when(VALUE.str.contains("^[0-9]{3,4}-[0-9]{4}$")).then(VALUE.str.zfill(10)),
            ]
        ),
    ),
    RuleStep("zip", VALUE.str.replace(r"^([0-9]{5})\s*([0-9]{4})$", "${1}-${2}")),
)


def error_doubt(field: Field) -> RuleDoubt:
    """Return the doubt about a cell with an error of the spreadsheet."""
    is_na = VALUE == "NA" if takes_na(field) else pl.lit(False)
    return RuleDoubt(
        "error",
        KIND.eq(int(CellKind.ERROR)) & ~is_na,
        "The cell has an error of the spreadsheet; enter the value.",
    )


def word_steps(field: Field) -> list[RuleStep]:
    """Return the rules that write NA and Exempt as the column takes them."""
    steps = []
    if takes_na(field):
        steps.append(RuleStep("na", pl.when(VALUE.str.contains(_NA)).then(pl.lit("NA"))))
    if field.exempt is not None:
        code = str(EXEMPT_CODE) if field.exempt == EXEMPT_CODE else "Exempt"
        steps.append(RuleStep("exempt", pl.when(VALUE.str.contains(_EXEMPT)).then(pl.lit(code))))
    return steps


def fill_step(text: str) -> RuleStep:
    """Return the rule that gives blank cells a value."""
    is_blank = VALUE.eq("") & KIND.le(int(CellKind.TEXT))
    return RuleStep("fill", pl.when(is_blank).then(pl.lit(text)), is_silent=True)


def blank_na_step(field: Field) -> list[RuleStep]:
    """Return the rule that writes NA in blank cells of a column that takes NA, and not blank."""
    if not takes_na(field) or takes_blank(field):
        return []
    is_blank = VALUE.eq("") & KIND.le(int(CellKind.TEXT))
    return [RuleStep("blank-na", pl.when(is_blank).then(pl.lit("NA")))]


def code_steps(words: Mapping[int, Sequence[str]]) -> list[RuleStep]:
    """Return the rules of a column with these codes and their words."""
    return [
        RuleStep("code", VALUE.str.extract(_NUMBER)),
        RuleStep("code", pl.when(_is_known(words) & ~_is_of_another(words)).then(_led_code())),
        RuleStep("code", _code_of(VALUE, words)),
    ]


def code_doubts(words: Mapping[int, Sequence[str]]) -> list[RuleDoubt]:
    """Return the doubts about a column with these codes."""
    accepted = ", ".join(map(str, words))
    return [
        RuleDoubt(
            "code",
            VALUE.str.contains(_YES_OR_NO),
            f"The codes of this field are not yes and no; enter one of {accepted}.",
        ),
        RuleDoubt(
            "code",
            _is_known(words) & _is_of_another(words),
            f"The text belongs to another code; enter one of {accepted}.",
        ),
    ]


def _code_of(text: pl.Expr, words: Mapping[int, Sequence[str]]) -> pl.Expr:
    codes = {fold_name(word): str(code) for code, of_code in words.items() for word in of_code}
    return fold_texts(text).replace_strict(codes, default=None, return_dtype=pl.String)


def _led_code() -> pl.Expr:
    return VALUE.str.extract(_LED, 1)


def _is_known(words: Mapping[int, Sequence[str]]) -> pl.Expr:
    return _led_code().is_in([str(code) for code in words]).fill_null(False)


def _is_of_another(words: Mapping[int, Sequence[str]]) -> pl.Expr:
    """Return whether the text after a code is not of this code, but begins one of another."""
    texts = {str(code): fold_name(of_code[0]) for code, of_code in words.items()}
    after = fold_texts(VALUE.str.extract(_LED, 2))
    own = _led_code().replace_strict(texts, default="", return_dtype=pl.String)
    code = _code_of(VALUE.str.extract(_LED, 2), words)
    begins = [pl.lit(text).str.starts_with(after) for text in texts.values()]
    is_another = pl.any_horizontal(*begins, code.is_not_null())
    is_own = own.str.contains(after, literal=True) | (code == _led_code()).fill_null(False)
    return (is_another & ~is_own & (after != "")).fill_null(False)


def date_parts(value: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return the first and second number of dates that end in the year; nulls for other values."""
    core = value.str.replace(_MIDNIGHT, "").str.strip_chars(" '")
    return core.str.extract(_YEAR_LAST, 1).cast(pl.Int32), core.str.extract(_YEAR_LAST, 2).cast(
        pl.Int32
    )


def date_step(order: str) -> RuleStep:
    """Return the rule. order: of dates that end in the year, `mdy` or `dmy`; else these stay.

    A date cell is the day that it shows: a time behind it is not shown.
    """
    is_cell = KIND.eq(int(CellKind.DATE))
    core = pl.when(is_cell).then(VALUE.str.head(10)).otherwise(VALUE.str.replace(_MIDNIGHT, ""))
    forms = [
        _written(core, _YEAR_FIRST, 1, 2, 3),
        *([_written(core, _YEAR_LAST, 3, *_PLACES[order])] if order in _PLACES else []),
        _written(core, _MONTH_FIRST, 3, 1, 2),
        _written(core, _DAY_FIRST, 3, 2, 1),
        core.str.extract(r"^(\d{8})(?:\.0+)?$"),
    ]
    return RuleStep("date", pl.coalesce(forms), holds=is_day_column(AFTER))


def _written(text: pl.Expr, form: str, year: int, month: int, day: int) -> pl.Expr:
    months = text.str.extract(form, month)
    by_name = months.str.to_lowercase().replace_strict(
        _MONTHS, default=None, return_dtype=pl.String
    )
    number = pl.when(months.str.contains(r"^\d")).then(months.str.zfill(2)).otherwise(by_name)
    return pl.concat_str(
        text.str.extract(form, year), number, text.str.extract(form, day).str.zfill(2)
    )


def date_doubt(order: str) -> RuleDoubt:
    """Return the doubt about a date without a single reading, or a day that does not exist."""
    example = "21/7/2024" if order == "dmy" else "7/21/2024"
    is_asked = pl.lit(order not in _PLACES) & date_parts(VALUE)[0].is_not_null()
    return RuleDoubt(
        "date",
        VALUE.str.contains(r"\d") & ~VALUE.str.contains(r"^[-+]?\d+(?:\.\d+)?$") & ~is_asked,
        "The date does not exist or has more than one reading; enter it as YYYYMMDD, with four "
        f"digits for the year and without a time, or as {example}.",
    )


def number_steps(*, is_whole: bool, is_rate: bool) -> list[RuleStep]:
    """Return the rules of a column of numbers."""
    number = _plain(VALUE)
    if is_whole:
        number = number.str.replace(r"\.0*$", "")
    # `1.105E+05` stands for a whole number, which is read back exactly.
    size = VALUE.str.extract(_SCIENTIFIC).cast(pl.Float64, strict=False)
    is_exact = (size == size.round()) & (size.abs() < _LARGEST_WHOLE)
    scientific = pl.when(is_exact).then(size.cast(pl.Int64, strict=False).cast(pl.String))
    steps = [RuleStep("number", scientific), RuleStep("number", number)]
    if is_rate:
        steps.insert(0, RuleStep("number", VALUE.str.extract(_PERCENT)))
    return steps


def _plain(value: pl.Expr) -> pl.Expr:
    """Return the number without its ornaments; null for what has another form."""
    first, second, third = (value.str.extract(_FORM, group) for group in (1, 2, 3))
    whole = value.str.extract(_FORM, 4).str.replace_all(r"[^0-9]", "").fill_null("")
    fraction, last = value.str.extract(_FORM, 5), value.str.extract(_FORM, 6)
    signs = (first != "").cast(pl.Int8) + (second != "").cast(pl.Int8) + (third != "").cast(pl.Int8)
    is_closed = (first == "(") == (last == ")")
    has_digits = (whole != "") | (fraction.str.len_bytes() > 1)
    text = pl.concat_str(
        pl.when(signs == 1).then(pl.lit("-")).otherwise(pl.lit("")),
        pl.when(whole == "").then(pl.lit("0")).otherwise(whole),
        fraction.str.replace(r"^\.$", ""),
    )
    # A number that has no ornament stays as it is, also `.5` and `5.`, which the parser reads.
    is_plain = value.str.contains(r"^-?[0-9]*\.?[0-9]*$")
    return pl.when(is_closed & has_digits & (signs <= 1)).then(
        pl.when(is_plain).then(value).otherwise(text)
    )


def multiply_by_hundred(text: pl.Expr) -> pl.Expr:
    """Return numbers times 100, exactly, without zeros at the end."""
    number = text.cast(pl.Decimal(38, 20), strict=False) * pl.lit(100).cast(pl.Decimal(38, 0))
    plain = number.cast(pl.String)
    has_point = plain.str.contains(".", literal=True)
    return pl.when(has_point).then(plain.str.replace(r"\.?0+$", "")).otherwise(plain)


def _tract() -> tuple[RuleStep, ...]:
    whole = r"^([0-9]{5})[-\s]?([0-9]{1,4})\.([0-9]{2})$"
    short = r"^([0-9]{1,4})\.([0-9]{2})$"
    # A number cell shows 2640.00, and holds 2640; it shows 12.10, and holds 12.1.
    number = r"^([0-9]{1,4})(?:\.([0-9]{1,2}))?$"
    county = pl.when(BESIDE.str.contains("^[0-9]{5}$")).then(BESIDE)
    hundredths = pl.concat_str(VALUE.str.extract(number, 2).fill_null(""), pl.lit("00")).str.head(2)
    return (
        RuleStep("number", VALUE.str.extract(r"^([0-9]{10,11})\.0+$")),
        RuleStep("zeros", pl.when(VALUE.str.contains("^[0-9]{10}$")).then(VALUE.str.zfill(11))),
        RuleStep(
            "tract",
            pl.coalesce(
                [
                    pl.concat_str(
                        VALUE.str.extract(whole, 1),
                        VALUE.str.extract(whole, 2).str.zfill(4),
                        VALUE.str.extract(whole, 3),
                    ),
                    pl.concat_str(
                        county,
                        VALUE.str.extract(short, 1).str.zfill(4),
                        VALUE.str.extract(short, 2),
                    ),
                    pl.when(IS_NUMBER).then(
                        pl.concat_str(county, VALUE.str.extract(number, 1).str.zfill(4), hundredths)
                    ),
                ]
            ),
        ),
    )


TRACT = _tract()
