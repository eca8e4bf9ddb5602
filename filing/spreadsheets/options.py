"""Wishes for a conversion, and the parsers of its JSON parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from filing.lar.fields import LAR_BY_NAME, SHEET_PREFIX, TS_BY_NAME
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.field_lists import LOAN_ID
from filing.spreadsheets.names import list_sheet_names
from filing.spreadsheets.sheet_rows import fold_name

DATES = ("mdy", "dmy")
PERCENTS = ("fraction", "percent")
LOAN_ID_DIGITS = "loan-id"
CHECK_DIGITS = ("no", LOAN_ID_DIGITS, "append", "append-all", "append-missing")
LONGEST_VALUE = 1_000  # characters
ALL_SHEETS = "*"  # which is no name of a sheet in any program

_KEYS = {
    "sheet": "sheet",
    "header": "header",
    "near": "near",
    "fill": "fill",
    "normalise": "normalise",
    "dates": "dates",
    "blankAsNa": "blank_as_na",
    "percent": "percent",
    "checkDigit": "check_digit",
    "nuli": "nuli",
    "asTyped": "as_typed",
    "exempt": "exempt",
    "leaveOutHidden": "without_hidden",
}
OPTION_NAMES = tuple(_KEYS)
_OF_NORMALISING = ("dates", "percent", "blankAsNa")
_OF_RESULT = frozenset({"normalise", "asTyped"})  # which a LAR takes, too
# Questions about a column: an answer is for all of them, or for the column of one field.
ANSWERS = {"dates": DATES, "percent": PERCENTS}


@dataclass(frozen=True, slots=True)
class ConversionOptions:
    """The wishes for a conversion.

    sheet: the name of the sheet to read, or `*` for all with loans and the same headers. header:
    the number of its header row. near: whether near matches are used. fill: values for blank
    cells, by field name. dates: `mdy` or `dmy`. percent: `fraction`, or `percent` for rates that
    are right as they are. Both are blank where no one answered, and may be an answer for each
    field. check_digit: one of `CHECK_DIGITS`; `append-all` is for ULIs of which some seem to have
    check digits by chance, `append-missing` for those of which some have them. exempt: whether
    blank cells get the code of the partial exemption, where it covers the field. nuli: whether
    `loan_id` is taken as a NULI. as_typed: whether a file is written although cells have findings.
    with_sheet: of a CSV written back, whether the fields of the transmittal sheet lead each row.
    without_hidden: whether hidden rows are left out.
    """

    sheet: str = ""
    header: int = 0
    near: bool = False
    fill: Mapping[str, str] = field(default_factory=dict)
    normalise: bool = True
    dates: str | Mapping[str, str] = ""
    blank_as_na: bool = False
    percent: str | Mapping[str, str] = ""
    check_digit: str = "no"
    nuli: bool = False
    as_typed: bool = False
    with_sheet: bool = False
    exempt: bool = False
    without_hidden: bool = False

    def answer(self, question: str, name: str) -> str:
        """Return the answer to a question of `ANSWERS` for the column of a field, or a blank."""
        answers: str | Mapping[str, str] = getattr(self, question)
        return answers if isinstance(answers, str) else answers.get(name, "")

    def require_none_of_cells(self, kind: str) -> None:
        """Raises: SpreadsheetRefusal, for an option about cells or columns, which a LAR has not."""
        none = ConversionOptions()
        given = [
            key
            for key, name in _KEYS.items()
            if key not in _OF_RESULT and getattr(self, name) != getattr(none, name)
        ]
        if given:
            raise SpreadsheetRefusal(400, f"{kind}: leave out the option {given[0]}.")


def parse_options(values: Mapping[str, Any] | None) -> ConversionOptions:
    """Return the options of a JSON object with the keys of the contract (`blankAsNa`).

    `sheet` is a text for a file that is read, and a boolean for one that is written back.
    Raises: SpreadsheetRefusal, naming an unknown option or a wrong value.
    """
    values = _object("options", values)
    if unknown := [key for key in values if key not in _KEYS]:
        raise SpreadsheetRefusal(
            400, f"There is no option {shorten_text(unknown[0])}: options are {', '.join(_KEYS)}."
        )
    ignored = [key for key in _OF_NORMALISING if values.get(key)]
    if ignored and values.get("normalise") is False:
        raise SpreadsheetRefusal(
            400, f"Option normalise false leaves every value as typed: leave out {ignored[0]}."
        )
    if values.get("nuli") is True and values.get("checkDigit", "no") != "no":
        raise SpreadsheetRefusal(
            400, "Loan IDs are either written as NULIs or made into ULIs with check digits."
        )
    if isinstance(values.get("sheet"), bool):
        rest = {key: value for key, value in values.items() if key != "sheet"}
        return ConversionOptions(with_sheet=values["sheet"], **_arguments(rest))
    return ConversionOptions(**_arguments(values))


def _arguments(values: Mapping[str, Any]) -> dict[str, Any]:
    return {_KEYS[key]: _value(key, value) for key, value in values.items()}


def _value(key: str, value: Any) -> Any:
    if key == "fill":
        return _fill(value)
    if key in ANSWERS:
        if isinstance(value, Mapping):
            return {_loan_field(name): _choice(key, one) for name, one in value.items()}
        return _choice(key, value)
    if key == "checkDigit":
        require_choice(key, value, CHECK_DIGITS)
        return value
    if key == "sheet":
        if not isinstance(value, str):
            raise SpreadsheetRefusal(400, "Option sheet takes the name of a sheet.")
        return value
    if key == "header":
        if type(value) is not int or value < 1:
            raise SpreadsheetRefusal(400, "Option header takes the number of a row, from 1 on.")
        return value
    if not isinstance(value, bool):
        raise SpreadsheetRefusal(400, f"Option {key} takes true or false.")
    return value


def _fill(values: Any) -> dict[str, str]:
    fill = {}
    for name, value in _object("options.fill", values).items():
        fill[_loan_field(name)] = _text(f"options.fill.{name}", value)
    return fill


def _choice(key: str, value: Any) -> str:
    require_choice(key, value, ANSWERS[key])
    return str(value)


def _loan_field(name: str) -> str:
    if name not in LAR_BY_NAME:
        raise SpreadsheetRefusal(400, f"There is no field {shorten_text(name)}.")
    return name


def parse_mapping(values: Mapping[str, Any] | None) -> dict[str, str | None]:
    """Return the JSON object `map`: header or column letter to field name, or None for unused.

    Raises: SpreadsheetRefusal, naming an unknown field.
    """
    return {header: _field(name) for header, name in _object("map", values).items()}


def _field(name: Any) -> str | None:
    if name is None:
        return None
    if not isinstance(name, str):
        raise SpreadsheetRefusal(
            400, "Part map takes names of fields, or null for a column that is not used."
        )
    if name in LAR_BY_NAME or name == LOAN_ID:
        return name
    plain = name.removeprefix(SHEET_PREFIX)
    if plain in TS_BY_NAME:
        return f"{SHEET_PREFIX}{plain}"
    raise SpreadsheetRefusal(400, f"There is no field {shorten_text(name)}.")


def parse_sheet(values: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the JSON object `sheet`: the fields of a transmittal sheet by name, as text.

    Keys are names or labels. Blank values are left out.
    Raises: SpreadsheetRefusal, naming an unknown field.
    """
    fields = {}
    for name, value in _object("sheet", values).items():
        key = name if name in TS_BY_NAME else list_sheet_names().get(fold_name(name))
        if key is None:
            raise SpreadsheetRefusal(
                400, f"There is no field {shorten_text(name)} in the transmittal sheet."
            )
        if text := _text(f"sheet.{name}", value).strip():
            fields[key] = text
    return fields


def _object(part: str, values: Any) -> Mapping[str, Any]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise SpreadsheetRefusal(400, f"Part {part} is not a JSON object.")
    return values


def _text(part: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise SpreadsheetRefusal(400, f"{shorten_text(part)} takes a text or a number.")
    text = str(value)
    if len(text) > LONGEST_VALUE:
        raise SpreadsheetRefusal(
            400, f"{shorten_text(part)} has more than {LONGEST_VALUE:,} characters."
        )
    return text


def require_choice(option: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raises: SpreadsheetRefusal, for a value that is not among the choices."""
    if value not in choices:
        choices_in_words = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise SpreadsheetRefusal(400, f"Option {option} takes {choices_in_words}.")


def shorten_text(text: str, most: int = 100) -> str:
    """Return a text of the caller for a message, cut off if it is longer than `most`."""
    return text if len(text) <= most else f"{text[:most]}…"
