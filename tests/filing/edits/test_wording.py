"""How edits are worded: as sentences, which name columns as people do."""

import pytest

from filing.edits import catalogue
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME

COLUMNS = {name for name in (*LAR_BY_NAME, *TS_BY_NAME) if "_" in name}


@pytest.mark.parametrize("edit", catalogue.EDITS, ids=lambda edit: f"{edit.code} {edit.periods}")
def test_an_edit_is_a_sentence_without_names_from_the_code(edit):
    assert edit.text.endswith(".")
    assert edit.text[0].isupper() or edit.text[0].isdigit()
    for text in (edit.text, edit.rule):
        assert not [name for name in COLUMNS if name in text]
        assert "_applicant" not in text
        assert "  " not in text
