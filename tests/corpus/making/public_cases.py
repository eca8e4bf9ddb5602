"""The official files of others in the corpus: public loan records, panels, transmittal sheets."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Sequence
from typing import Any

from databrowser.publication.columns import BY_NAME, SCHEMA
from tests.corpus.making.plain import Made, as_csv

MADE: list[Made] = []
FIRST, SECOND = "DEMO00PUBLIC00000273", "DEMO00PUBLIC00003959"
# Made-up records, in the order of the public layout.
RECORDS = [
    (
        "2022|DEMO00PUBLIC00000273|33860|AL|01001|01001020100|C|Conventional:First Lien|Singl"
        "e Family (1-4 Units):Site-Built|Ethnicity Not Available|Race Not Available|Sex Not A"
        "vailable|1|1|2|1|1|1|2|2|2|325000.0|31.83|3.375|0.058|2|10371.51|NA|2909.33|NA|NA|36"
        "0|NA|NA|2|2|2|2|1015000|1|1|3|5|1|NA|97|20%-<30%|3|9|4|||||5|||||2|4|5|||||8|||||2|4"
        "|4|5|2|4|25-34|25-34|No|No|1|1|1|||||10||||2201|71.0|79000|188|1666|543|24"
    ),
    (
        "2022|DEMO00PUBLIC00003959|33860|AL|01001|01001020100|C|Conventional:First Lien|Singl"
        "e Family (1-4 Units):Site-Built|Not Hispanic or Latino|White|Joint|4|0|2|1|1|1|2|2|2"
        "|175000.0|82.46|NA|NA|3|NA|NA|NA|NA|NA|300|NA|NA|2|2|2|2|205000|1|1|3|5|1|NA|74|47|2"
        "|10|2|||||2|||||2|2|5|||||5|||||2|2|1|2|2|2|>74|9999|Yes|NA|1|1|6|||||10||||5600|53."
        "63|63000|60|508|922|63"
    ),
]
LOANS = [dict(zip(SCHEMA, record.split("|"), strict=True)) for record in RECORDS]
CELLS = ["state_code", "county_code", "census_tract", "action_taken"]
BANK, LENDER = "First Invented Bank, N.A.", "Invented Mortgage LLC"
PANEL = [
    ["activity_year", "lei", "tax_id", "agency_code", "id_2017", "arid_2017", "respondent_rssd",
     "respondent_name", "respondent_state", "respondent_city", "assets", "other_lender_code",
     "parent_rssd", "parent_name", "topholder_rssd", "topholder_name"],
    ["2022", FIRST, "99-0000001", "9", "9-0000000001", "90000001", "1", BANK, "LA", "TOWN",
     "1000", "0", "-1", "", "-1", ""],
    ["2022", SECOND, "99-0000002", "7", "-1", "-1", "-1", LENDER, "FL", "TOWN", "-1", "3", "-1",
     "", "-1", ""],
]  # fmt: skip
SHEETS = [
    ["activity_year", "calendar_quarter", "lei", "tax_id", "agency_code", "respondent_name",
     "respondent_state", "respondent_city", "respondent_zip_code", "lar_count"],
    ["2022", "4", FIRST, "99-0000001", "9", BANK, "LA", "TOWN", "70000", "16"],
    ["2022", "4", SECOND, "99-0000002", "7", LENDER, "FL", "TOWN", "32000", "8"],
]  # fmt: skip


def load(
    name: str,
    content: bytes,
    about: str,
    answer: dict[str, Any],
    *,
    ending: str = "csv",
    tool: str = "load_public_lar",
    **asked: Any,
) -> None:
    """Add a file that is loaded."""
    body = {"about": about, "tool": tool, **asked}
    if "rows" in answer:
        body["cells"] = CELLS
    MADE.append(Made(name, ending, content, {**body, "answer": answer}))


def refused(*words: str) -> dict[str, Any]:
    return {"refusal": {"status": None, "words": list(words)}}


def table(
    separator: str = ",",
    *,
    header: Sequence[str] | None = tuple(SCHEMA),
    end: str = "\n",
    quotes_all: bool = False,
    **changes: str,
) -> bytes:
    """Return the public records as a file. changes: cells of the first one, by column."""
    rows = [list(header)] if header else []
    rows += [list((LOANS[0] | changes).values()), list(LOANS[1].values())]
    return as_csv(rows, separator=separator, end=end, quotes_all=quotes_all)


plain = table()
right = {"rows": [["2022", loan["lei"], *(loan[name] for name in CELLS)] for loan in LOANS]}
named = {**right, "names": [[FIRST, BANK], [SECOND, LENDER]]}

load("loans_comma", plain, "The national file, commas and a header.", right)
load("loans_pipe", table("|"), "The national file, pipes and a header.", right, ending="txt")
load("loans_pipe_without_header", table("|", header=None),
     "The national file, pipes, without a header: columns by place.", right,
     ending="txt")  # fmt: skip
load("loans_comma_without_header", table(header=None),
     "The national file, commas, without a header.", right)  # fmt: skip
load("loans_of_the_data_browser", table(header=[BY_NAME[name].browser for name in SCHEMA]),
     "A download of the data browser, with its names.", right)  # fmt: skip
load("loans_crlf_and_mark", "\ufeff".encode() + table(end="\r\n"),
     "Opened and saved on Windows: a byte order mark, CRLF.", right)  # fmt: skip
load("loans_cr", table(end="\r"), "Saved on an old Mac: lines end in CR.", right)
load("loans_quoted", table(quotes_all=True), "Every cell in quotes.", right)
load("loans_lost_zeros", table(county_code="1001", census_tract="1001020100"),
     "Opened in a spreadsheet program and saved: county and tract without their zeros.",
     right)  # fmt: skip
load("loans_of_pandas",
     table(derived_msa_md="33860.0", county_code="1001.0", census_tract="1001020100.0",
           action_taken="1.0", loan_type="1.0"),
     "Saved by pandas: codes as decimals.", right)  # fmt: skip
load("loans_exponent_tract", table(census_tract="1.00102E+09"),
     "A tract in exponent form: its digits are lost.",
     refused("census_tract", "line 2", "1.00102E+09"))  # fmt: skip
load("loans_wrong_code", table(loan_type="9"), "A loan type that no year has.",
     refused("loan_type", "line 2", "9"))  # fmt: skip
load("loans_words_for_codes", table(action_taken="Originated"), "A word for a code.",
     refused("action_taken", "line 2", "Originated"))  # fmt: skip
load("loans_wrong_county", table(county_code="Adams"), "The name of a county.",
     refused("county_code", "line 2", "Adams"))  # fmt: skip
load("loans_without_a_column",
     as_csv([[*SCHEMA][:-1], *([*loan.values()][:-1] for loan in LOANS)], end="\n"),
     "The last column was cut off.", refused([*SCHEMA][-1]))  # fmt: skip
load("loans_line_too_short", plain.replace(b",Joint,", b",", 1), "A line with a cell too few.",
     refused("line 3"))  # fmt: skip


def zip_of_a_mac() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("public_lar.csv", plain)
        archive.writestr("__MACOSX/._public_lar.csv", b"\0\5\26\7")
    return data.getvalue()


load("loans_zip_of_a_mac", zip_of_a_mac(), "Packed on a Mac: a folder __MACOSX beside the file.",
     right, ending="zip")  # fmt: skip
load("loans_gzip", gzip.compress(plain, mtime=0), "A gzip file.", right, ending="gz")
load("loans_with_panel", plain, "The national file, and the panel for the names.", named,
     panel="panel_comma.csv")  # fmt: skip
load("loans_with_panel_of_pipes", plain, "The same with the panel in pipes.", named,
     panel="panel_pipe.txt")  # fmt: skip
load("panel_as_loans", as_csv(PANEL), "A panel where loans are expected.", refused("panel"))
load("sheets_as_loans", as_csv(SHEETS, separator="|"),
     "Transmittal sheets where loans are expected.", refused("transmittal sheet"),
     ending="txt")  # fmt: skip

panel = {"institutions": [f"2022 {FIRST} {BANK}", f"2022 {SECOND} {LENDER}"]}
for kind, rows, about in (("panel", PANEL, "The public panel"),
                          ("sheets", SHEETS, "Public transmittal sheets")):  # fmt: skip
    load(f"{kind}_comma", as_csv(rows), f"{about}, commas.", panel, tool="load_institutions")
    load(f"{kind}_pipe", as_csv(rows, separator="|", end="\n"), f"{about}, pipes.", panel,
         ending="txt", tool="load_institutions")  # fmt: skip
load("panel_quoted", as_csv(PANEL, quotes_all=True), "The public panel, every cell in quotes.",
     panel, tool="load_institutions")  # fmt: skip
load("loans_as_panel", plain, "Loans where a panel is expected.", refused("loan"),
     tool="load_institutions")  # fmt: skip
