"""Real filing files, where they are at hand: the findings that are known of them."""

import io
import re
from pathlib import Path

import polars as pl
import pytest

from filing.edits import catalogue, engine
from filing.edits.facts import EditFacts, PanelRecord
from filing.lar.blocks import read_blocks
from filing.lar.cutting import cut_block
from filing.lar.parser import parse_transmittal_sheet
from filing.lar.years import Period
from filing.reference.census import Census

SAMPLES = Path(__file__).parents[4] / "shared" / "samples"
ROW = re.compile(
    r"\| `(?P<name>[^`]+)` \| (?P<year>\d+) \| (?:Q(?P<quarter>\d))? ?\| \S* \| \d \| \S* "
    r"\| (?P<loans>\d+) \| (?:9|11|13) \| (?P<edits>[^|]*)\| (?P<macro>[^|]*)\|"
)
MACRO = {f"Q{number}" for number in (*range(634, 641), 646, 647)}
TABLE = (SAMPLES / "README.md").read_text().splitlines() if SAMPLES.is_dir() else []
pytestmark = pytest.mark.published
KNOWN = [match for line in TABLE if (match := ROW.match(line))]


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known["name"])
def test_a_real_file_fails_what_it_is_known_to_fail(known):
    period = Period(int(known["year"]), int(known["quarter"]) if known["quarter"] else None)
    ours = {edit.code for edit in catalogue.list_edits(period)}
    named = {
        code: int(count) for code, count in re.findall(r"([SVQ][\d-]+) \((\d+)\)", known["edits"])
    }
    macro = dict.fromkeys(re.findall(r"Q\d+", known["macro"]), 1)
    expected = {code: count for code, count in (named | macro).items() if code in ours}
    report = run(SAMPLES / known["name"], period)
    failing = {o.edit.code: o.total for o in report.outcomes if o.total}
    if not macro:  # nobody looked at the macro edits of a file with other errors
        failing = {code: count for code, count in failing.items() if code not in MACRO}
    assert failing == expected
    assert report.loans == int(known["loans"])


def run(path, period):
    with path.open("rb") as file:
        parts = list(read_blocks(file))
    sheet = parse_transmittal_sheet(parts[0].data[: parts[0].lengths[0]])
    loans = pl.concat([cut_block(part).loans for part in parts])
    counties = pl.concat([loans["county"], loans["census_tract"].str.slice(0, 5)]).unique()
    census = Census(loans["census_tract"].unique(), counties, counties)
    panel = PanelRecord(sheet["lei"], sheet["federal_agency"], sheet["tax_id"])
    return engine.run_edits(path, EditFacts(period, sheet, panel, census), io.BytesIO())
