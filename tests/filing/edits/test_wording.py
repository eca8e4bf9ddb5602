"""How edits are worded: as sentences, which name columns as people do."""

import re

from filing.edits import catalogue
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME

COLUMNS = {name for name in (*LAR_BY_NAME, *TS_BY_NAME) if "_" in name}


def test_an_edit_is_a_sentence():
    texts = {edit.text for edit in catalogue.EDITS}
    assert {text for text in texts if not re.fullmatch(r"[A-Z0-9].*\.", text)} == set()


def test_no_text_or_rule_has_names_from_the_code():
    texts = {text for edit in catalogue.EDITS for text in (edit.text, edit.rule)}
    names = {*COLUMNS, "_applicant", "  "}
    assert {text for text in texts if any(name in text for name in names)} == set()
