"""The examples of the edits: each fails its own edit, and others only where it cannot but do so."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import polars as pl
import pytest

from filing.edits import catalogue, engine, examples
from filing.edits.edit import Edit, EditKind, EditLevel, EditNeed
from filing.edits.facts import EditFacts, PanelRecord
from filing.lar import formats
from filing.lar.fields import LAR
from filing.lar.years import Period, rulebook_periods
from filing.reference.census import Census
from tests.filing.edits.cases import LEI, Changes

# The other county is one that every census knows.
CENSUS = Census(
    tracts=pl.Series([examples.TRACT]),
    counties=pl.Series([examples.COUNTY, "06001"]),
    small_counties=pl.Series([], dtype=pl.String),
)
PANEL = PanelRecord(LEI, examples.AGENCY, examples.TAX_ID)

# Syntactical and validity edits that the example of a quality edit fails in some period.
BESIDE_QUALITY = {
    # The county has to be one that no census knows.
    "Q604": "V626",
    # The day of the action would do as well, but that is another one in each period.
    "Q608": "V619-3",
    # In 2025 the validity edit asks for all that the quality edit asks for.
    "Q621": "V695-3",
}

# All that the example of an edit of loans fails beside it in some period.
BESIDE_LOANS = BESIDE_QUALITY | {
    # Nor is it a small one, whose tract may be left out.
    "Q604": "Q603 V626",
    # The other limit is the stricter one.
    "Q645-2": "Q628",
    "Q653-1": "Q651-2",
    "Q653-2": "Q651-2",
    "V617": "Q645-1",
    # The panel holds another agency.
    "Q647": "Q303 Q646",
    # What has not the form of a code is not the right one either.
    "V600": "S301",
    "V608-1": "V609",
    "V625-1": "V625-2",
    # With an action that is none, every reason for denial is wrong but the exempt one.
    "V618": "V670-4",
    # Both ask for the same from two sides: only a code that is none would fail but one of them.
    "V612-2": "V614-1",
    "V614-1": "V612-2",
    "V613-3": "V613-4",
    "V613-4": "V613-3",
    "V615-2": "V690-3",
    "V690-3": "V615-2",
    "V615-3": "V689-3",
    "V689-3": "V615-3",
    "V670-1": "V670-4",
    "V670-4": "V670-1",
    "V670-2": "V670-3",
    "V670-3": "V670-2",
    "V669-1": "V670-3",
    "V672-2": "V673-5",
    "V673-5": "V672-2",
    # However ethnicity, race or sex was collected, another edit looks at the same code.
    "V629-3": "V628-1",
    "V632-3": "V631-1",
    "V633": "V632-3",
    "V637": "V636-3",
    "V640": "V639-3",
    "V644-1": "V645",
    "V645": "V644-1",
    "V644-2": "V643",
    "V648-1": "V649",
    "V649": "V648-1",
    "V648-2": "V647",
    # A code that is none may neither have a free-form model nor lack one.
    "V660-2": "V662-1",
    "V662-1": "V662-2",
    "V662-2": "V662-1",
    "V665-2": "V667-1",
    "V667-1": "V667-2",
    "V667-2": "V667-1",
    # What these refuse, quality edits find unusual.
    "V651-1": "Q614 Q614-1",
    "V652-1": "Q614-2",
    "V721-1": "Q614-1",
    "V721-2": "Q614-2 Q657",
    "V720-1": "Q649-1",
    "V720-2": "Q649-2",
    "V720-3": "Q649-1",
    "V720-4": "Q649-2",
    # A manufactured home asks for what affordable units forbid.
    "V689-2": "Q619",
    "V690-2": "Q618",
    "V692-1": "V692-3",
    "V695-1": "V695-3",
    "V695-2": "Q621 V695-3",
    # Every system that all years know has results of its own.
    "V696-2": "Q643",
    "V696-3": "Q643",
    "V700-2": "Q643",
    "V701": "Q643 V696-3",
    "V699": "V700-2",
    "V704-1": "V704-2",
    "V704-2": "V700-1",
    # From 2025 on every exemption is asked about.
    "V709": "Q646",
    "V711": "Q646 V669-4",
    "V712": "Q646",
    "V713": "Q646",
    "V714": "Q646",
    "V715": "Q646",
}

# The same of an edit of the transmittal sheet: the panel and the loans still have the right values.
BESIDE_SHEETS = {
    "V600": "Q303 S301 S303",
    "V607": "Q303 S303",
    "V719-2": "Q303 S301 S303",
}


@pytest.mark.parametrize("period", rulebook_periods(), ids=str)
def test_an_example_fails_its_edit(period: Period) -> None:
    assert [edit.code for edit, codes in failing(period).items() if edit.code not in codes] == []


@pytest.mark.parametrize(
    ("level", "listed"), [(EditLevel.LAR, BESIDE_LOANS), (EditLevel.TS, BESIDE_SHEETS)]
)
def test_an_example_fails_no_other_edit_but_these(
    level: EditLevel, listed: Mapping[str, str]
) -> None:
    assert beside(level, *EditKind) == listed


def test_the_example_of_a_quality_edit_can_be_filed() -> None:
    found = beside(EditLevel.LAR, EditKind.SYNTACTICAL, EditKind.VALIDITY)
    assert {code: others for code, others in found.items() if code[0] == "Q"} == BESIDE_QUALITY


def beside(level: EditLevel, *kinds: EditKind) -> dict[str, str]:
    """Return the other edits of some kinds that examples fail, each in some period."""
    initials = {kind.value[0].upper() for kind in kinds}
    found = defaultdict(set)
    for period in rulebook_periods():
        for edit, codes in failing(period).items():
            if edit.level is level:
                found[edit.code] |= {c for c in codes if c != edit.code and c[0] in initials}
    return {code: " ".join(sorted(others)) for code, others in found.items() if others}


@cache
def failing(period: Period) -> dict[Edit, set[str]]:
    """Return the edits that each example fails, but for those that fail on nothing readable."""
    rules = catalogue.list_edits(period)
    found = {edit: of_sheet(period, edit.breaks) for edit in rules if edit.level is EditLevel.TS}
    # One pass over many loans takes as long as one over a single loan.
    by_sheet: dict[tuple[tuple[str, str | int], ...], list[Edit]] = defaultdict(list)
    for edit in readable([edit for edit in rules if edit.level is EditLevel.LAR], period):
        by_sheet[tuple(parts(edit)[0].items())].append(edit)
    for changes, edits in by_sheet.items():
        sheet = dict(changes)
        beside_all = of_sheet(period, sheet)
        loans = of_loans(period, sheet, [parts(edit)[1] for edit in edits])
        found |= {edit: codes | beside_all for edit, codes in zip(edits, loans, strict=True)}
    return found


def of_sheet(period: Period, changes: Changes) -> set[str]:
    """Return the edits that fail on a changed sheet, or on account of it on a correct loan."""
    known = facts(period, changes)
    assert known.transmittal_sheet is not None
    edits = catalogue.list_edits(period, level=EditLevel.TS)
    failed = engine.check_record(known.transmittal_sheet, edits, known)
    (of_loan,) = of_loans(period, changes, [{}], needs=EditNeed.TS)
    return {edit.code for edit in failed} | of_loan


def of_loans(
    period: Period, sheet: Changes, loans: Sequence[Changes], needs: EditNeed | None = None
) -> list[set[str]]:
    """Return the edits that fail on each changed loan: all, or those with a need."""
    edits = catalogue.list_edits(period, level=EditLevel.LAR)
    some = [edit for edit in edits if needs is None or needs in edit.needs]
    frame = examples.make_loan_frame([examples.correct_loan(period, LEI) | loan for loan in loans])
    found: list[set[str]] = [set() for _ in loans]
    for edit, rows in engine.find_failures(frame, some, facts(period, sheet)).items():
        for row in rows:
            found[row - 1].add(edit.code)
    return found


def facts(period: Period, changes: Changes) -> EditFacts:
    sheet = examples.correct_transmittal_sheet(period, LEI, 1) | changes
    return EditFacts(period, sheet, PANEL, CENSUS)


def parts(edit: Edit) -> tuple[Changes, Changes]:
    """Return what is changed on the sheet and on the loan."""
    sheet = {k.removeprefix("ts."): v for k, v in edit.breaks.items() if k.startswith("ts.")}
    return sheet, {k: v for k, v in edit.breaks.items() if not k.startswith("ts.")}


def readable(edits: Sequence[Edit], period: Period) -> list[Edit]:
    lines = [
        examples.write_record_line(examples.correct_loan(period, LEI) | parts(edit)[1])
        for edit in edits
    ]
    cells = [line.split("|") for line in lines]
    text = pl.DataFrame(cells, schema=[field.name for field in LAR], orient="row")
    faults = formats.find_unreadable(text.with_row_index("row"))
    rows = {row for some in faults.values() for row in some}
    return [edit for row, edit in enumerate(edits) if row not in rows]
