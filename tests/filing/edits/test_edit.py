"""Edits as values: periods as data, codes and fields that exist."""

import pytest

from filing.edits.edit import (
    Count,
    Edit,
    Kind,
    Level,
    Periods,
    annual_only,
    between,
    quarterly_only,
    since,
)
from filing.edits.vocabulary import one_of
from filing.lar.period import Period
from filing.lar.years import RULEBOOKS

LAST = RULEBOOKS[-1]


def edit(**changes):
    value = {
        "code": "V617",
        "kind": Kind.VALIDITY,
        "level": Level.LAR,
        "periods": since(2018),
        "fields": ("loan_amount",),
        "text": "A sentence.",
        "holds": one_of("loan_type", 1),
    }
    return Edit(**(value | changes))


@pytest.mark.parametrize(
    ("periods", "annual", "quarterly"),
    [
        (since(2018), (2018, LAST), (2020, LAST)),
        (since(2022), (2022, LAST), (2022, LAST)),
        (between(2019, 2021), (2019, 2021), (2020, 2021)),
        (between(2018, 2019), (2018, 2019), None),
        (annual_only(2020, 2020), (2020, 2020), None),
        (quarterly_only(2018), None, (2020, LAST)),
    ],
)
def test_periods_are_written_by_their_years(periods, annual, quarterly):
    def years(pair):
        return set(range(pair[0], pair[1] + 1)) if pair else set()

    assert (periods.annual, periods.quarterly) == (years(annual), years(quarterly))


def test_periods_can_be_joined_and_know_what_lies_in_them():
    periods = annual_only(2018) + quarterly_only(2020, 2020) + quarterly_only(2024)
    assert Period(2022) in periods
    assert Period(2022, 1) not in periods
    assert Period(2024, 3) in periods
    assert str(periods) == f"annual 2018-{LAST}; quarterly 2020, 2024-{LAST}"
    assert str(Periods()) == ""


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        (between(2018, 2020), since(2021), False),
        (between(2018, 2021), since(2021), True),
        (annual_only(2018), quarterly_only(2018), False),
    ],
)
def test_periods_overlap_where_one_period_lies_in_both(one, other, overlap):
    assert one.overlaps(other) is overlap
    assert other.overlaps(one) is overlap


def test_an_edit_knows_its_parent_and_when_it_runs():
    part = edit(code="V614-2", periods=between(2020, 2021))
    assert (part.parent, edit().parent) == ("V614", "V617")
    assert part.runs_in(Period(2021, 1))
    assert not part.runs_in(Period(2022))
    assert (part.annual, part.quarterly) == ({2020, 2021}, {2020, 2021})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"code": "Q600-warning"}, "'Q600-warning' is not an edit code"),
        ({"fields": ("loan_amount", "price")}, "V617 names unknown fields: price"),
        ({"level": Level.FILE}, "an edit of the file has figures, and only such an edit"),
        ({"figures": {"loans": Count()}}, "an edit of the file has figures"),
    ],
)
def test_an_edit_that_makes_no_sense_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        edit(**changes)
