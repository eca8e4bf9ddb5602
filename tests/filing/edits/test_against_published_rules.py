"""The catalogue beside the published rules, where these are at hand: entries and verdicts."""

import io
import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from filing.edits import catalogue, engine, sample
from filing.edits.facts import Facts, Panel
from filing.lar.fields import LAR, Parse
from filing.lar.period import LAST_YEAR, QUARTERS, Period, known_periods
from filing.reference.census import Census
from tests.edits_oracle import LarFile, Places, failures, needs_published, rules

pytestmark = needs_published

LEI = "EXAMPLE0000000000001"
TRACTS = (sample.TRACT, "36061000100", "48301950100")
COUNTIES = (sample.COUNTY, "36061", "48301")
SMALL = ("48301",)

# Its code is none by the rules for codes, and S306 came in its place.
LEFT_OUT = {"Q600-warning"}
# Macro edits of 2026 are those of 2025, as no list of that year was written; Q303 took the place
# of S303 in quarterly filing too.
LATER = [Period(LAST_YEAR), *(Period(LAST_YEAR, quarter) for quarter in QUARTERS)]
ADDED = {f"Q{number}": LATER for number in (634, 635, 636, 637, 638, 639, 640)} | {
    "Q303": [Period(year, quarter) for year in (2025, LAST_YEAR) for quarter in QUARTERS],
}


def is_written(rule):
    """Whether the rule is one of those that the catalogue has so far."""
    if rule.level != "lar" or rule.code in {"V709", "V716", "Q646", "Q647"}:
        return rule.code not in LEFT_OUT
    last = {"S": 999, "V": 627, "Q": 614}[rule.code[0]]
    return int(rule.code[1:4]) <= last


@pytest.mark.parametrize("period", known_periods(), ids=str)
def test_each_period_has_the_published_edits_with_their_fields(period):
    theirs = {(r.code, r.level, r.kind, r.fields) for r in rules(period) if is_written(r)}
    ours = {
        (edit.code, edit.level.value, edit.kind.value, edit.fields)
        for edit in catalogue.edits(period)
        if period not in ADDED.get(edit.code, ())
    }
    assert ours == theirs


@pytest.mark.parametrize("code", ADDED)
def test_edits_that_run_longer_than_published_do_so(code):
    running = {p for p in known_periods() if any(e.code == code for e in catalogue.edits(p))}
    published = {p for p in known_periods() if any(r.code == code for r in rules(p))}
    assert running - published == set(ADDED[code])


@pytest.mark.parametrize("period", known_periods(), ids=str)
def test_correct_records_pass_every_published_rule(period, tmp_path):
    text = file_text(period, [sample.correct_loan(period, LEI)])
    file, places = LarFile.read(text), Places(frozenset(TRACTS), frozenset(COUNTIES))
    panel = {"lei": LEI, "agency": sample.AGENCY, "tax_id": sample.TAX_ID}
    assert failures(file, period, places, institution=panel) == {}


@pytest.mark.parametrize("period", known_periods(), ids=str)
def test_the_engine_and_the_published_rules_agree_on_made_up_loans(period, tmp_path):
    draw = random.Random(f"{period}")
    some = [changed(sample.correct_loan(period, LEI), period, draw) for _ in range(300)]
    loans = some + draw.choices(some, k=30)
    sheet = {"federal_agency": draw.choice([7, 9]), "calendar_quarter": draw.choice([1, 4])}
    text = file_text(period, loans, **sheet)
    path = tmp_path / "file.txt"
    path.write_text(text)
    panel = Panel(LEI, 7, sample.TAX_ID)
    assert found(path, period, panel, sheet, len(loans)) == expected(text, period, panel)


def file_text(period, loans, **sheet):
    first = sample.correct_transmittal_sheet(period, LEI, len(loans)) | sheet
    return "\n".join([sample.line(first), *map(sample.line, loans)]) + "\n"


def found(path: Path, period, panel, sheet, loans):
    """Return the failing rows that the engine found, by code and level; row 0 is the file's."""
    census = Census(*(pl.Series(values) for values in (TRACTS, COUNTIES, SMALL)))
    first = sample.correct_transmittal_sheet(period, LEI, loans) | sheet
    findings = io.BytesIO()
    report = engine.run(path, Facts(period, first, panel, census), findings)
    rows = np.frombuffer(findings.getvalue(), "<u4").tolist()
    return {
        (o.edit.code, o.edit.level.value): [0]
        if o.edit.level.value == "file"
        else rows[o.position : o.position + o.listed]
        for o in report.outcomes
        if o.total and period not in ADDED.get(o.edit.code, ())
    }


def expected(text, period, panel):
    file = LarFile.read(text)
    places = Places(frozenset(TRACTS), frozenset(COUNTIES), frozenset(SMALL))
    institution = {"lei": panel.lei, "agency": panel.agency, "tax_id": panel.tax_id}
    written = {(rule.code, rule.level) for rule in rules(period) if is_written(rule)}
    judged = failures(file, period, places, institution=institution)
    return {key: rows for key, rows in judged.items() if key in written}


# --- made-up loans -------------------------------------------------------------------------------

LONG = "EXAMPLE0000000000001LOAN"
TEXTS = ("", "NA", "na", "Na", "Exempt", "exempt", "1111", "Main Street", "1 Main")
WHOLE = (0, 1, 2, 3, 5, 6, 7, 9, -1, 17, 18, 31, 100, 101, 1111, 8888, 9999)
DECIMALS = ("0", "-1", "+6.5", "6.50000000000000000001", "8.5", "8.51", "1e1", "10.000", "10.01")
AMOUNTS = ("250000", "250000.00000000000000001", "-0.01", "0", "2.5e5", "499.99", "00300000")
NUMBERS = ("9", "10", "2999", "3000", "+3000", "9999", "10000", "-5", "99999999999999999999999999")
DAYS = ("0105", "0229", "0331", "0401", "0630", "0701", "0930", "1001", "1231")
POOLS = {
    "record_id": (2, 2, 2, 1, 3),
    "lei": (LEI, LEI.lower(), "", "EXAMPLE", "é" * 20),
    "uli": (
        *("", "LOAN1", "LOAN-1", "na", "NA", "Exempt", "1111", "A" * 22, "é" * 23),
        *(sample.numbered_uli(LEI, 7), sample.numbered_uli(LEI, 7).lower(), LONG, LONG + "-"),
        *("A" * 46, LONG + "é", "1" * 45, "99DEMOLENDER00000006601"),
    ),
    "loan_amount": AMOUNTS,
    "state": ("CA", "NY", "TX", "ca", "NA", "na", "", "XX", "Exempt"),
    "zip_code": (
        "90001",
        "90001-1234",
        "9000",
        "NA",
        "na",
        "Exempt",
        "exempt",
        "",
        "\N{FULLWIDTH DIGIT NINE}0001",
    ),
    "county": (*COUNTIES, "99999", "NA", "na", "nA", "", "0603", "060370"),
    "census_tract": (*TRACTS, "06037999999", "NA", "na", "Na", "", "0603", "x" * 11),
}
BY_PARSE = {
    Parse.INTEGER: WHOLE,
    Parse.DECIMAL: DECIMALS,
    Parse.INTEGER_OR_NA: (*NUMBERS, "NA"),
    Parse.INTEGER_NA_OR_EXEMPT: (*NUMBERS, "NA", "Exempt"),
    Parse.DECIMAL_NA_OR_EXEMPT: (*DECIMALS, "NA", "Exempt", "1111"),
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: (*DECIMALS, "NA", "Exempt", "1111", ""),
    Parse.TEXT: TEXTS,
}


def changed(loan, period, draw):
    """Return the loan with other values here and there, of which every one can be read."""
    for field in LAR:
        if draw.random() < (0.25 if field.number <= 18 else 0.05):
            loan[field.name] = draw.choice(pool(field, period))
    return loan


def pool(field, period):
    if field.name in POOLS:
        return POOLS[field.name]
    if field.parse in {Parse.CODE, Parse.CODE_OR_BLANK}:
        return (*field.codes, *WHOLE)
    if field.parse in {Parse.DATE, Parse.DATE_OR_NA}:
        years = (period.year, period.year, period.year - 1, period.year - 2, period.year + 1)
        days = [f"{year}{day}" for year in years for day in DAYS if day != "0229" or not year % 4]
        return [int(day) for day in days] if field.parse is Parse.DATE else [*days, "NA"]
    return BY_PARSE[field.parse]
