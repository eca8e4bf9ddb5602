"""No spreadsheet takes a text for a formula, and what is none stays as it is."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filing.lar import formulas

SIGNS = ["=", "+", "-", "@"]
LEADING = ["\t", "\r"]
HARMLESS = ["", "a=1", "1-2", "'a", "\N{FULLWIDTH EQUALS SIGN}1", "é@"]


@pytest.mark.parametrize("begin", [*SIGNS, *LEADING])
def test_a_text_that_begins_as_a_formula_is_led_by_an_apostrophe(begin):
    assert formulas.guard_formula(f"{begin}1+1") == f"'{begin}1+1"
    assert formulas.mark_formula(f"{begin}1+1") == f"'{begin}1+1"


@pytest.mark.parametrize("text", HARMLESS)
def test_any_other_text_stays(text):
    assert formulas.guard_formula(text) == text
    assert pl.DataFrame({"text": [text]}).select(formulas.guard_column("text")).item() == text
    assert formulas.guard_line(text) == text


@given(st.text(st.sampled_from("=+-@'\t\ra1") | st.characters(), max_size=5))
def test_a_marked_text_is_read_as_it_was(text):
    marked = formulas.mark_formula(text)
    assert formulas.unmark_formula(marked) == text
    assert not marked.startswith((*SIGNS, *LEADING))


@pytest.mark.parametrize(
    ("line", "guarded"),
    [
        ("=1,a,-b", "'=1,a,'-b"),
        ("-1.5,+2,.5,-,+.", "-1.5,+2,.5,-,+."),  # numbers, as far as they are any
        (" =1,\t@x", "' =1,'\t@x"),
        ("\x1c=1,\x1f@,\x85-a", "'\x1c=1,'\x1f@,'\x85-a"),
        ("-1-1,1e5", "'-1-1,1e5"),
        ("a=1,b", "a=1,b"),
        ('"=1","-2.5",x;=1', '"\'=1","-2.5",x;\'=1'),
        ('a\t=1,"" =1', 'a\t\'=1,"" =1'),
        ("", ""),
        ("-\N{ARABIC-INDIC DIGIT ONE}", "'-\N{ARABIC-INDIC DIGIT ONE}"),
    ],
)
def test_of_a_line_each_cell_is_guarded_but_no_number(line, guarded):
    assert formulas.guard_line(line) == guarded
    assert formulas.guard_lines(pl.Series([line])).to_list() == [guarded]


def test_of_many_lines_the_risky_ones_are_guarded():
    guarded = formulas.guard_lines(pl.Series(["1,2", "a,=1+1", "b"]))
    assert guarded.to_list() == ["1,2", "a,'=1+1", "b"]


# No column holds half a surrogate pair.
_TEXTS = st.text(
    st.sampled_from('=+-@, \t1.a;"') | st.characters(exclude_categories=["Cs"]), max_size=8
)


@given(st.lists(_TEXTS, max_size=5))
def test_many_lines_are_guarded_as_each_is(lines):
    guarded = formulas.guard_lines(pl.Series(lines, dtype=pl.String))
    assert guarded.to_list() == [formulas.guard_line(line) for line in lines]
