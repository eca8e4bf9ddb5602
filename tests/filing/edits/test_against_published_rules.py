"""The catalogue beside the published rules: entries, which stand in their lists, and verdicts.

An edit whose code is in no list is new: only its own cases test it.
"""

import io
import random

import numpy as np
import polars as pl
import pytest

from bench.yardstick.checking import LarFile, Places, failures, judge
from bench.yardstick.reading import LOAN
from bench.yardstick.rulebook import LEFT_OUT, last_listed_year, rules, rules_as_run
from filing.edits import catalogue, engine, examples
from filing.edits.edit import EditKind, EditLevel, quarterly_only, since
from filing.edits.facts import EditFacts, PanelRecord
from filing.lar.years import Period, rulebook_periods
from filing.reference.census import Census
from tests.filing.edits.cases import ALIKE
from tests.filing.edits.random_files import files_at_a_limit, random_sheet
from tests.filing.edits.random_loans import random_loans

KINDS = ("syntactical", "validity", "quality", "macro")
LEI = "EXAMPLE0000000000001"
TRACTS = (examples.TRACT, "36061000100", "48301950100")
COUNTIES = (examples.COUNTY, "36061", "48301")
SMALL = ("48301",)
PLACES = Places(frozenset(TRACTS), frozenset(COUNTIES), frozenset(SMALL))
CENSUS = Census(*(pl.Series(values) for values in (TRACTS, COUNTIES, SMALL)))
MIXED_AT_ONCE, MIXED_SHARE = 50_000, 0.04
PANEL = PanelRecord(LEI, 7, examples.TAX_ID)
PANEL_VALUES = {"lei": PANEL.lei, "agency": PANEL.agency, "tax_id": PANEL.tax_id}

# What runs longer than published: macro edits since 2026 are those of 2025, as no list of that year
# was written; Q303 took the place of S303 in quarterly filing too.
LONGER = {f"Q{number}": since(2026) for number in (634, 635, 636, 637, 638, 639, 640)} | {
    "Q303": quarterly_only(2025),
}


def published(period, *kinds):
    return [rule for rule in rules(period, *kinds) if rule.code not in LEFT_OUT]


LISTED = {rule.code for period in rulebook_periods() for rule in published(period)}


def unlisted(period):
    """Return the codes of edits that no list of the period has: longer, new or changed later."""
    edits = catalogue.list_edits(period)
    longer = {code for code, periods in LONGER.items() if period in periods}
    listed = Period(min(period.year, last_listed_year()), period.quarter)
    changed = set(edits) ^ set(catalogue.list_edits(listed))
    return longer | {e.code for e in changed} | {e.code for e in edits if e.code not in LISTED}


def entry(edit):
    """Return what the lists say of an edit, or of a published rule, beside its years."""
    return edit.code, EditLevel(edit.level).value, EditKind(edit.kind).value, edit.fields


@pytest.mark.parametrize("period", rulebook_periods(), ids=str)
def test_each_period_has_the_published_edits_with_their_fields(period):
    left_out = unlisted(period)
    theirs = [entry(rule) for rule in published(period) if rule.code not in left_out]
    ours = [entry(edit) for edit in catalogue.list_edits(period) if edit.code not in left_out]
    assert sorted(ours) == sorted(theirs)


@pytest.mark.parametrize("code", LONGER)
def test_edits_that_run_longer_than_published_do_so_as_they_were(code):
    periods = rulebook_periods()
    ours = {p: entry(e) for p in periods for e in catalogue.list_edits(p) if e.code == code}
    listed = {p: entry(r) for p in periods for r in published(p) if r.code == code}
    assert ours.keys() - listed.keys() == {p for p in periods if p in LONGER[code]}
    assert set(ours.values()) == set(listed.values())


@pytest.mark.slow
@pytest.mark.parametrize("period", rulebook_periods(), ids=str)
def test_correct_records_pass_every_published_rule(period):
    sheet = examples.correct_transmittal_sheet(period, LEI, 1)
    loan = examples.correct_loan(period, LEI)
    file = LarFile.read(
        f"{examples.write_record_line(sheet)}\n{examples.write_record_line(loan)}\n"
    )
    panel = {"lei": LEI, "agency": examples.AGENCY, "tax_id": examples.TAX_ID}
    found = failures(file, period, PLACES, institution=panel)
    assert {code for code, _ in found} <= unlisted(period) - set(LONGER)


@pytest.mark.slow
@pytest.mark.parametrize("period", rulebook_periods(), ids=str)
def test_the_engine_and_the_published_rules_agree_on_random_loans(period, tmp_path):
    agency = {"federal_agency": 9 if period.is_quarterly else 7}
    sheet = examples.correct_transmittal_sheet(period, LEI, 0) | agency
    loans = random_loans(period, judge(period, PLACES, sheet, PANEL_VALUES))
    agree(tmp_path / "file.txt", period, loans, agency, *KINDS)
    findings_alone_are_those_in_a_block(examples.make_loan_frame(loans[:1000]), period, sheet)


def findings_alone_are_those_in_a_block(loans, period, sheet):
    facts = EditFacts(period, sheet, PANEL, CENSUS)
    edits = catalogue.list_edits(period, level=EditLevel.LAR)
    together = {e: {*rows} for e, rows in engine.find_failures(loans, edits, facts).items()}
    for at, row in enumerate(loans["row"]):
        alone = engine.find_failures(loans[at : at + 1], edits, facts)
        assert [*alone] == [edit for edit, rows in together.items() if row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("period", ALIKE, ids=str)
def test_the_engine_and_the_published_rules_agree_on_random_sheets(period):
    draw = random.Random(f"{period}")
    edits = catalogue.list_edits(period, level=EditLevel.TS)
    for _ in range(40):
        sheet = examples.correct_transmittal_sheet(period, LEI, 0) | random_sheet(period, draw)
        facts = EditFacts(period, sheet, PANEL, CENSUS)
        failing = engine.check_record(sheet, edits, facts)
        ours = {e.code for e in failing} - unlisted(period)
        theirs = failures(
            LarFile.read(examples.write_record_line(sheet)),
            period,
            PLACES,
            institution=PANEL_VALUES,
        )
        assert ours == {code for code, level in theirs if level == "ts"} - unlisted(period)


@pytest.mark.slow
@pytest.mark.parametrize("period", ALIKE, ids=str)
def test_the_engine_and_the_published_rules_agree_on_random_files(period, tmp_path):
    draw = random.Random(f"{period}")
    for loans in files_at_a_limit(period):
        total = len(loans) + draw.choice([0, 1])
        sheet = {"federal_agency": draw.choice([7, 9]), "total_lines": total}
        agree(tmp_path / "file.txt", period, loans, sheet, "syntactical", "macro")


@pytest.mark.slow
@pytest.mark.parametrize("period", rulebook_periods(), ids=str)
def test_the_engine_and_the_published_rules_agree_on_mixed_loans(period, tmp_path, request):
    rows = request.config.getoption("--mixed-rows")
    path = tmp_path / "file.txt"
    sheet = examples.correct_transmittal_sheet(period, LEI, rows) | {
        "federal_agency": 9 if period.is_quarterly else 7
    }
    loans = random_loans(period, judge(period, PLACES, sheet, PANEL_VALUES))
    lines = np.array([examples.write_record_line(loan).split("|") for loan in loans], object)
    draw = np.random.default_rng(period.year * 10 + (period.quarter or 0))
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"{examples.write_record_line(sheet)}\n")
        for begin in range(0, rows, MIXED_AT_ONCE):
            file.writelines(mixed(lines, min(MIXED_AT_ONCE, rows - begin), draw))
    assert found(path, period, sheet, KINDS) == judged(path, period, sheet)


def mixed(lines, number, draw):
    """Yield lines, some of whose columns are those of other lines."""
    cells = lines[draw.integers(0, len(lines), number)].copy()
    for column in range(1, cells.shape[1]):
        others = draw.random(number) < MIXED_SHARE
        cells[others, column] = lines[draw.integers(0, len(lines), others.sum()), column]
    for line in cells:
        yield f"{'|'.join(line)}\n"


def judged(path, period, sheet):
    """Return what the published rules find in a file, which is read line by line."""
    with path.open(encoding="utf-8", newline="\n") as file:
        next(file)
        loans = (LOAN.record(line.rstrip("\n")) for line in file)
        return expected(LarFile(sheet, loans), period, KINDS)


def agree(path, period, loans, sheet, *kinds):
    """Assert that engine and published rules find the same in a file of these loans."""
    first = examples.correct_transmittal_sheet(period, LEI, len(loans)) | sheet
    path.write_text(
        "\n".join([examples.write_record_line(first), *map(examples.write_record_line, loans)])
        + "\n"
    )
    assert found(path, period, first, kinds) == expected(
        LarFile.read(path.read_text()), period, kinds
    )


def found(path, period, sheet, kinds):
    """Return the failing rows that the engine found, by code and level; row 0 is the file's."""
    findings = io.BytesIO()
    edits = [edit for edit in catalogue.list_edits(period) if edit.kind.value in kinds]
    report = engine.run_edits(path, EditFacts(period, sheet, PANEL, CENSUS), findings, edits=edits)
    rows = np.frombuffer(findings.getvalue(), "<u4").tolist()
    return {
        (o.edit.code, o.edit.level.value): [0]
        if o.edit.level.value == "file"
        else rows[o.position : o.position + o.listed]
        for o in report.outcomes
        if o.total and o.edit.code not in unlisted(period)
    }


def expected(file, period, kinds):
    """Return what the published rules find, with what Q657 finds beyond them."""
    run = [rule for rule in rules_as_run(period, *kinds) if rule.code not in unlisted(period)]
    return failures(file, period, PLACES, among=run, institution=PANEL_VALUES)
