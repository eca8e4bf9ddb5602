"""The forms of the pages of the LAR tool, and what they send as `map`, `sheet` and `options`.

Their fields are named by what they are about: `field-C` is the field of column C, `fill-state` the
value for blank cells of a field, `ts-lei` a value of the transmittal sheet. All of them go from
page to page with the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from filing.lar.fields import LAR_BY_NAME, TRANSMITTAL_SHEET
from filing.spreadsheets.options import ANSWERS
from filing.storable_text import decode_json
from publicapi.forms import PeriodForm

FIELD, FILL, SHEET = "field-", "fill-", "ts-"
MATCHING = "columns"  # the columns that were matched, as JSON
# What buttons and the form for filing add, which no page carries on.
_OF_BUTTONS = {"save", "again", "filing", "csrfmiddlewaretoken", "idempotency_key"}
# Those that are set by us, or counted.
SHEET_FIELDS = [
    field for field in TRANSMITTAL_SHEET if field.name not in {"record_id", "total_lines"}
]
_VALUE = 1_000  # characters


# Of messages, by setting: what to do on these pages.
SETTING_WORDS = {
    "as_typed": "choose Save the file as typed",
    "header": "Header row gives its number",
    "hidden": "choose Leave out hidden rows if they are not meant",
    "map": "choose a field for one of them",
    "sheet": "enter its name as Sheet",
    "sheets": "enter the name of one as Sheet, or * for all with the same headers",
    "year": "Choose the Data year, or put it on the transmittal sheet.",
}


CHECK_DIGIT_CHOICES = {
    "no": "Leave the ULIs as they are",
    "loan-id": "Make ULIs from the column with the loan ID",
    "append": "Append check digits to the ULIs",
    "append-all": "Append, also where a ULI ends in valid ones by chance",
    "append-missing": "Append where a ULI has no valid ones",
}


class WishesForm(forms.Form):
    """How values are made right; each is a key of `options`."""

    check_digit = forms.ChoiceField(
        label="Check digits of ULIs", required=False, choices=CHECK_DIGIT_CHOICES
    )
    exempt = forms.BooleanField(
        label="We are partially exempt (12 CFR 1003.3(d)): write Exempt or 1111 in blank cells "
        "that the exemption covers",
        required=False,
    )
    blank_as_na = forms.BooleanField(
        label="Write NA for blank cells, where a field takes NA", required=False
    )
    nuli = forms.BooleanField(
        label="The loan IDs are non-universal loan identifiers (NULI): write them as they are",
        required=False,
    )
    without_hidden = forms.BooleanField(
        label="Leave out hidden rows of the workbook", required=False
    )
    as_is = forms.BooleanField(label="Change no value: write every cell as typed", required=False)


@dataclass(frozen=True)
class ToolState:
    """What a page of the tool sent, without the file."""

    fields: Mapping[str, str]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> ToolState:
        """Return the state of a form that was sent."""
        return cls({name: str(data[name]) for name in data if name != "file"})

    def value(self, name: str) -> str:
        """Return the value of a field, stripped; blank if it was not sent."""
        return self.fields.get(name, "").strip()

    @property
    def period_form(self) -> PeriodForm:
        """The form of the period, with what was sent."""
        initial = {name: self.value(name) for name in ("year", "quarter") if name in self.fields}
        return PeriodForm(initial=initial)

    @property
    def wishes_form(self) -> WishesForm:
        """The form of the wishes, with what was sent."""
        return WishesForm(initial=dict(self.fields))

    @property
    def chosen(self) -> dict[str, str]:
        """The fields that were chosen, by column letter; blank for a column that is not used."""
        return self._beginning_with(FIELD)

    @property
    def mapping(self) -> dict[str, str | None]:
        """The part `map`: column to field. Empty before the columns were looked at.

        A column is named by its letter; by its header if the letter is the header of another one.
        """
        headers = {
            column["column"]: column["header"] for column in self.matching.get("columns", ())
        }
        others = {header.casefold() for header in headers.values()}
        return {
            headers[letter]
            if headers.get(letter) and letter.casefold() in others
            else letter: field or None
            for letter, field in self.chosen.items()
        }

    @property
    def sheet(self) -> dict[str, str]:
        """The part `sheet`: what was entered for the transmittal sheet."""
        values = self._beginning_with(SHEET)
        names = {field.name for field in SHEET_FIELDS}
        return {name: value[:_VALUE] for name, value in values.items() if value and name in names}

    @property
    def fill(self) -> dict[str, str]:
        """The values for blank cells, by field."""
        values = self._beginning_with(FILL)
        return {
            name: value[:_VALUE] for name, value in values.items() if value and name in LAR_BY_NAME
        }

    @property
    def table_options(self) -> dict[str, Any]:
        """The part `options` for reading the table alone."""
        wishes: dict[str, Any] = {}
        if self.value("sheet"):
            wishes["sheet"] = self.value("sheet")
        if self.value("without_hidden"):
            wishes["leaveOutHidden"] = True
        if header := self.value("header"):
            wishes["header"] = int(header) if header.isdecimal() else header
        return wishes

    @property
    def options(self) -> dict[str, Any]:
        """The part `options`: a LAR is taken over as it is, and values as typed are not read."""
        if self.matching.get("kind") == "pipe":
            return {}
        choices = {"checkDigit": "check_digit"}
        flags = {"nuli": "nuli", "exempt": "exempt", "leaveOutHidden": "without_hidden"}
        if self.value("as_is"):
            return self._wishes(choices, flags, answers=()) | {"normalise": False}
        choices |= {"dates": "dates", "percent": "percent"}
        return self._wishes(choices, flags | {"blankAsNa": "blank_as_na"}, answers=ANSWERS)

    def _wishes(
        self, choices: Mapping[str, str], flags: Mapping[str, str], *, answers: Iterable[str]
    ) -> dict[str, Any]:
        wishes: dict[str, Any] = {
            key: self.value(name) for key, name in choices.items() if self.value(name)
        }
        for kind in answers:
            by_field = self._beginning_with(f"{kind}-")
            if by_field := {name: answer for name, answer in by_field.items() if answer}:
                wishes[kind] = by_field
        wishes |= {key: True for key, name in flags.items() if self.value(name)}
        if self.fill:
            wishes["fill"] = self.fill
        return wishes | self.table_options

    @property
    def matching(self) -> dict[str, Any]:
        """The columns as they were shown before; empty if they were not."""
        try:
            value = decode_json(self.fields.get(MATCHING, ""))
        except ValueError:
            return {}
        return value if _is_matching(value) else {}

    @property
    def step(self) -> str:
        """The step that the form came from: that with the result has buttons to save and file."""
        if not self.matching:
            return "bring"
        return "result" if self.value("save") or self.value("filing") else "columns"

    @property
    def filing_value(self) -> str:
        """The filing that was chosen, else that of the transmittal sheet."""
        quarter = self.value("quarter")
        period = f"{self.value('year')}-{quarter}" if quarter else self.value("year")
        return self.value("filing") or f"{self.sheet.get('lei', '').upper()}/{period}"

    def without_columns(self) -> ToolState:
        """Return the state without what belongs to the columns of one file."""
        of_columns = (FIELD, *(f"{kind}-" for kind in ANSWERS))
        return ToolState(
            {
                name: value
                for name, value in self.fields.items()
                if not name.startswith(of_columns) and name != MATCHING
            }
        )

    def without_file(self) -> ToolState:
        """Return the state for another file: without its table, fill and transmittal sheet."""
        of_file = (FILL, SHEET)
        fields = self.without_columns().fields
        return ToolState(
            {
                name: value
                for name, value in fields.items()
                if not name.startswith(of_file) and name not in ("sheet", "header")
            }
        )

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What goes on to the next page unseen: all but what has inputs there."""
        ours = {"year", "quarter", "institution", *_OF_BUTTONS}
        questions = tuple(f"{kind}-" for kind in ANSWERS)  # asked again, if not answered
        if not self.has_check_digit_wish:
            ours.add("check_digit")
        return [
            (name, value)
            for name, value in self.fields.items()
            if name not in ours and (value or not name.startswith((*questions, "sheet")))
        ]

    @property
    def institution(self) -> str:
        """The LEI of the institution that was chosen; blank for the one that the file names."""
        return self.value("institution")

    @property
    def has_check_digit_wish(self) -> bool:
        """Whether it was chosen what becomes of the check digits of ULIs."""
        return self.value("check_digit") not in ("", "no")

    def _beginning_with(self, prefix: str) -> dict[str, str]:
        return {
            name.removeprefix(prefix): value.strip()
            for name, value in self.fields.items()
            if name.startswith(prefix)
        }


def _is_matching(value: Any) -> bool:
    """Return whether a value has the columns of a matching, each with its letter and header."""
    if not isinstance(value, dict) or not isinstance(value.get("columns"), list):
        return False
    return all(
        isinstance(column, dict)
        and isinstance(column.get("column"), str)
        and isinstance(column.get("header"), str)
        and isinstance(column.get("examples"), list)
        for column in value["columns"]
    )
