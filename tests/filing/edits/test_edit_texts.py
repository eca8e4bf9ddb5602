"""Texts of edits: the guide's field names and the codes of the rule."""

import re
from collections.abc import Callable

from filing.edits.catalogue import EDITS
from filing.edits.edit import Edit
from filing.edits.read_fields import fields_read
from filing.lar.fields import LAR, LAR_BY_NAME, TRANSMITTAL_SHEET, TS_BY_NAME

# What the text calls "any field" or "these fields": the page lists them beside it.
WITHOUT_FIELDS = {"S305", "Q646", "Q656", "Q657", "Q659-1", "Q659-2"}
# Numbers that only the rule needs, and numbers that only the text has: words in place of digits
# (two years, no record), codes with their amounts in dollars, and examples.
ONLY_IN_RULE = {
    "Q601": {"2"},
    "Q604": {"2"},
    "Q634": {"100"},
    "Q635": {"100"},
    "Q636": {"100"},
    "Q637": {"100"},
    "Q638": {"0", "100"},
    "Q639": {"0"},
    "Q640": {"100"},
    "Q646": {"0"},
    "Q647": {"0"},
    "Q659-1": {"2"},
    "Q659-2": {"2"},
    "Q660-4": set("0123456789"),
    "S305": {"0"},
    "S306": {"0"},
    "S307": {"0", "1"},
    "V608-2": {"23"},
    "V627": {"5"},
    "V695-1": {"2147483648"},
    "V716": {"2"},
}
ONLY_IN_TEXT = {
    "Q606": {"3", "10"},
    "Q623": {"200000"},
    "Q640": {"10000"},
    "Q646": {"1111"},
    "Q647": {"1111"},
    "Q651": {"0.8", "80"},
    "Q651-1": {"0.8", "80"},
    "Q652": {"0.36", "36"},
    "Q654": {"5000"},
    "Q659-1": {"8888"},
    "Q659-2": {"9999"},
    "V608-2": {"22"},
    "V718": {"1", "2", "3"},
    "V721-1": {"8888"},
    "V721-2": {"8888", "9999"},
}
WHOLE_NUMBER = " of at most 32 bits"  # said in rules only


def edits_with(text_is_wrong: Callable[[Edit], object]) -> list[str]:
    """Return the edits whose text is wrong in some way, with their periods."""
    return [f"{edit.code} {edit.periods}" for edit in EDITS if text_is_wrong(edit)]


def names(label: str) -> set[str]:
    """Return the label, and what several numbered fields are called together."""
    return {label, re.sub(r": \d$", "", label)}


LABELS = sorted(
    {name for field in (*LAR, *TRANSMITTAL_SHEET) for name in names(field.label)},
    key=len,
    reverse=True,
)
LABEL = re.compile("|".join(rf"\b{re.escape(label)}(?!\w)" for label in LABELS))


def may_name(edit: Edit) -> set[str]:
    """Return the labels of the fields that an edit lists or reads."""
    columns = (name.removeprefix("ts.") for name in (*edit.fields, *fields_read(edit)))
    fields = [table.get(name) for name in columns for table in (LAR_BY_NAME, TS_BY_NAME)]
    return {name for field in fields if field for name in names(field.label)}


def test_a_text_names_the_fields_that_the_edit_lists_or_reads_and_no_others():
    assert edits_with(lambda edit: set(LABEL.findall(edit.text)) - may_name(edit)) == []
    assert {edit.code for edit in EDITS if not LABEL.search(edit.text)} == WITHOUT_FIELDS


def wrong_labels(edit: Edit) -> list[str]:
    text = LABEL.sub("", edit.text).lower()
    return [label for label in LABELS if " " in label and label.lower() in text]


def test_a_field_is_written_as_the_guide_writes_it():
    assert edits_with(wrong_labels) == []


def numbers(text: str) -> set[str]:
    """Return the numbers of a text outside its labels, with every number of a range."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", LABEL.sub("", text).replace(WHOLE_NUMBER, ""))
    ranges = re.findall(r"from (\d+) to (\d+)", text)
    inside = {str(n) for first, last in ranges for n in range(int(first), int(last) + 1)}
    return inside | set(re.findall(r"\d+(?:\.\d+)?", text))


def other_numbers(edit: Edit) -> set[str]:
    """Return the numbers that only the rule or only the text has, without those listed above."""
    rule, text = numbers(edit.rule), numbers(edit.text)
    only_in_rule = rule - text - ONLY_IN_RULE.get(edit.code, set())
    return only_in_rule | (text - rule - ONLY_IN_TEXT.get(edit.code, set()))


def test_a_text_has_the_numbers_of_the_rule():
    assert edits_with(other_numbers) == []
