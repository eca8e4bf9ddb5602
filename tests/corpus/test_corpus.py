"""Files as people have them: each gets its one right answer.

The first of each kind of question is asked by page, API and client, and most others once: what
lies behind them is the same.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from ratespread.models import AporKind
from tests.conversions_here import conversions_here  # noqa: F401 -- a fixture
from tests.corpus import batch_lists, file_check, lar_tool, public_files
from tests.corpus.case_files import (
    OPEN,
    TOOLS,
    Case,
    find_difference,
    is_refusal,
    list_cases,
    list_open_names,
)
from tests.ratespread import conftest as apor_tables

pytestmark = pytest.mark.django_db

WAYS = {
    "spreadsheets": [lar_tool.ask_pages, lar_tool.ask_api, lar_tool.ask_client],
    "lar": [file_check.ask_pages, file_check.ask_api, file_check.ask_client],
    "batch": [batch_lists.ask_pages, batch_lists.ask_api],
    "public": [public_files.ask_command],
}
MOST_BYTES = 10_000
CASES = [case for folder in TOOLS for case in list_cases(folder)]


def kind_of_question(case: Case) -> tuple[str, ...]:
    """Return the names of what a case asks and of what is answered."""
    found = [name for name, part in (case.answer or {}).items() if part]
    return case.tool, *sorted({*case.body} - {"about"}), *sorted(case.options), *sorted(found)


FIRST = {kind_of_question(case): case for case in reversed(CASES)}
# The page or the API has a way of its own with what is peculiar to these.
OF_THEIR_OWN = {
    *("batch/spread_header_quoted", "lar/windows_1252"),
    *("spreadsheets/bureau_tool_97", "spreadsheets/column_of_notes"),
    *("spreadsheets/excel_two_sheets_unsaid", "spreadsheets/fractions_beside_percent_signs"),
    *("spreadsheets/google_sheets", "spreadsheets/lar_lines_quoted_csv"),
    *("spreadsheets/nul_characters", "spreadsheets/transmittal_among_columns"),
    "spreadsheets/vendor_cra_wiz",
}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_each_file_has_its_right_answer(case: Case, client: Client, tmp_path: Path) -> None:
    ways = WAYS[case.description.parent.name]
    if case != FIRST[kind_of_question(case)] and case.name not in OF_THEIR_OWN:
        ways = ways[-1:]
    if case.tool == "rate-spreads":
        for kind in AporKind:
            apor_tables.load(kind, apor_tables.examples(kind))
    if case.answer is None:
        case.write_answer(ways[-1](case, client, tmp_path))
        pytest.fail(f"{case.name} had no answer. The present one was written: correct it.")
    faults = {}
    for ask in ways:
        way = f"{ask.__module__.rpartition('.')[2]}.{ask.__name__}"
        try:
            difference = find_difference(case.answer, ask(case, client, tmp_path))
        except Exception as error:
            difference = f"{type(error).__name__}: {error}"
        if difference:
            faults[way] = difference
    is_open = case.name in list_open_names()
    if is_open and not faults:
        pytest.fail(f"{case.name} is right now: delete it in {OPEN.name}.", pytrace=False)
    report = "\n".join(f"{way}: {fault}" for way, fault in faults.items())
    if is_open:
        pytest.xfail(report)
    if faults:
        pytest.fail(report, pytrace=False)


@pytest.mark.parametrize("folder", TOOLS)
def test_each_description_is_complete_and_its_file_small(folder: str) -> None:
    for case in list_cases(folder):
        assert case.tool in TOOLS[folder], case.name
        assert case.body["about"].endswith("."), case.name
        assert case.file.stat().st_size <= MOST_BYTES, case.name
        if case.answer and is_refusal(case.answer):
            assert set(case.answer["refusal"]) == {"status", "words"}, case.name
