"""The rules of identifiers: LEI, ULI, taxpayer number, telephone number."""

from __future__ import annotations

from filing.spreadsheets.rules.steps import VALUE, Doubt, Step

EXPONENT = Doubt(
    "digits",
    VALUE.str.contains(r"^[0-9](?:\.[0-9]+)?[eE]\+[0-9]+$"),
    "The identifier is a number in exponent form, of which digits are lost; format the cell as "
    "text and enter the value.",
)
TAX_ID = Step("tax-id", VALUE.str.replace(r"^([0-9]{2})([0-9]{7})$", "${1}-${2}"))
PHONE = Step(
    "phone",
    VALUE.str.replace(r"^\(?([0-9]{3})\)?[\s.-]*([0-9]{3})[\s.-]*([0-9]{4})$", "${1}-${2}-${3}"),
)
WITHOUT_POINT = Step("number", VALUE.str.extract(r"^([0-9]+)\.0+$"))
