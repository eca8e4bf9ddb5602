"""The yardstick agrees with its notation, its source and what is known of real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.yardstick.checking import LarFile, Places, failures
from bench.yardstick.notation import Notation, Scope
from bench.yardstick.rulebook import EXEMPTION_TAKEN, LISTS, Rule, notation, rules
from filing.lar.fields import LAR, STATES, TRANSMITTAL_SHEET
from filing.lar.years import Period, rulebook_periods

# They may lie beside the project.
PUBLISHED = Path(__file__).resolve().parents[2] / "shared" / "edits"
SAMPLES = PUBLISHED.parent / "samples"
needs_published = pytest.mark.published
NOTATION = Notation({"a": frozenset({1, 2, 11})}, {"NY": "36"}, {"odd": "a in {1, 3}"})
RECORD = {"a": 1, "b": 0, "c": 11, "t": "NA", "d": "80.50", "uli": "BANK1LEIFORTEST12345800126"}


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("a == 1", True),
        ("a == 1 and not blank(b) or blank(b)", True),
        ("if a == 2 then b == 9 and c == 9", True),
        ("if a == 1 then b == 0 and c == 9", False),
        ("(if a == 2 then b == 9) and c == 9", False),
        ("a == 1 iff t == \"NA\"", True),
        ("t > 0 or t <= 0", False),
        ("number(d) and d > 80", True),
        ("num(d) == 80.5 and places(d) == 1 and typed_places(d) == 2", True),
        ("round_half_up(a / 8 * 100, 1) == 12.5 and round_half_up(a / 8 * 100, 0) == 13", True),
        ("a not in {2, 11} and c in {2, 11}", True),
        ("all_distinct(a, b, b)", True),
        ("all_distinct(a, c, 11)", False),
        ("count(a == 1, b == 1, c == 11) == count(blank(b), not blank(c))", True),
        ("matches(d, /\\d{2}\\.5/) or contains(d, /\\.5/)", True),
        ("first(uli, 4) == \"BANK\" and uli_check(uli) and len(uli) == 26", True),
        ("STATE_FIPS(\"NY\") == \"36\" and STATE_FIPS(t) == \"\"", True),
        ("valid_date(20240229) and not valid_date(20230229)", True),
        ("odd and any(a == 2, c == 11)", True),
    ],
)  # fmt: skip
def test_a_rule_reads_as_its_notation_says(rule: str, holds: bool) -> None:
    assert NOTATION.compile(rule)(Scope(RECORD)) is holds


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("count(rows) == 3 and count(rows where a == 1) == 2", True),
        ("share(rows where t < 10 among rows where integer(t)) <= 0.5", True),
        ("share(rows where a == 1 among rows where a == 7) == 0", True),
        ("all_distinct(upper(r.t) for r in rows where r.a == 1)", True),
        ("ts.total_lines == count_distinct((r.a, lower(r.t)) for r in rows)", False),
    ],
)
def test_a_rule_over_all_rows_reads_as_its_notation_says(rule: str, holds: bool) -> None:
    rows = [{"a": 1, "t": "x"}, {"a": 1, "t": "5"}, {"a": 2, "t": "50"}]
    scope = Scope({}, rows, {"ts": {"total_lines": 2}})
    assert NOTATION.compile(rule)(scope) is holds


@pytest.mark.parametrize("rule", ["a ==", "a == 1 b == 2", "a ~ 1", "count(rows where a == 1"])
def test_a_rule_outside_the_notation_is_refused(rule: str) -> None:
    with pytest.raises((ValueError, IndexError)):
        NOTATION.compile(rule)


def test_every_published_rule_can_be_read() -> None:
    for period in rulebook_periods():
        assert all(callable(rule.holds) for rule in rules(period))


def published(name: str) -> Any:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load((PUBLISHED / f"{name}.yaml").read_text(), Loader=loader)


def years(spans: list[Any] | None) -> tuple[tuple[int, int], ...]:
    if spans is None:
        return ()
    return tuple((a, b) for a, b in (spans if isinstance(spans[0], list) else [spans]))


def said(rule: Rule) -> tuple[Any, ...]:
    spoken = (rule.code, rule.level, rule.kind, rule.annual, rule.quarterly, rule.fields)
    return (*spoken, rule.text.split())


@needs_published
@pytest.mark.parametrize("kind", LISTS)
def test_the_rules_are_those_of_the_published_list(kind: str) -> None:
    entries = [
        Rule(
            *(entry["code"], entry["level"], kind, years(entry["annual"])),
            *(years(entry["quarterly"]), tuple(entry["fields"]), entry["pass"]),
        )
        for entry in published(kind)
    ]
    run = {rule: None for period in rulebook_periods() for rule in rules(period, kind)}
    assert sorted(map(said, run)) == sorted(map(said, entries))


@needs_published
def test_columns_codes_and_states_are_as_published() -> None:
    columns = published("fields")
    assert columns["states"] == STATES
    for level, fields in (("lar", LAR), ("ts", TRANSMITTAL_SHEET)):
        assert [(c["name"], tuple(c["valid_values"] or ())) for c in columns[level]] == [
            (field.name, field.codes) for field in fields
        ]


@needs_published
def test_the_exemption_is_taken_as_the_head_of_the_quality_list_says() -> None:
    head = (PUBLISHED / "quality.yaml").read_text().split("\n- code", 1)[0]
    text = "".join(head.partition("is short for")[2].partition(" with X =")[0].split())
    text = text.replace("#", "").replace("inX", 'in{"exempt","1111"}')
    assert "".join(EXEMPTION_TAKEN.read_text().split()) == text
    assert notation().words.keys() == {"exemption_taken"}


REAL_FILES = [
    (
        "2018-FRONTENDTESTBANK9999.txt",
        Period(2018),
        {"Q605-2": 1, "Q607": 1, "Q613": 1, "Q614": 1, "Q618": 8, "Q619": 7, "Q620": 4, "Q627": 4}
        | {"Q630": 1, "Q631": 5, "Q632": 3, "Q633": 3, "Q635": 1, "Q637": 1, "Q638": 1},
    ),
    ("2022-FRONTENDTESTBANK9999.txt", Period(2022), {"Q637": 1, "Q638": 1}),
    ("2022-Q1-FRONTENDTESTBANK9999.txt", Period(2022, 1), {"Q637": 1, "Q638": 1}),
    ("2024-FRONTENDTESTBANK9999.txt", Period(2024), {"Q637": 1, "Q638": 1}),
    ("2024-Q2-FRONTENDTESTBANK9999.txt", Period(2024, 2), {"Q637": 1, "Q638": 1}),
    ("Bank_1_2024_V662-1.txt", Period(2024), {"V662-1": 1, "V662-2": 1, "V663": 1}),
    ("Bank.1_2024.Q660-1.txt", Period(2024), {"Q660-1": 1, "Q638": 1, "Q646": 1}),
    (
        "Bank0_clean_100_rows_2025_annual.txt",
        Period(2025),
        {"Q646": 30, "Q637": 1, "Q638": 1},
    ),
]  # fmt: skip


@needs_published
@pytest.mark.parametrize(("name", "period", "expected"), REAL_FILES)
def test_real_files_fail_what_they_are_known_to_fail(
    name: str,
    period: Period,
    expected: dict[str, int],
) -> None:
    found = _failures(name, period)
    blocking = {code for code, _ in found if code[0] in "SV"}
    counted = {
        code: len(rows)
        for (code, _), rows in found.items()
        if not blocking or code[0] in "SV"  # quality edits run on files without the others
    }
    assert counted == expected


@needs_published
def test_a_thousand_real_rows_fail_what_they_are_known_to_fail() -> None:
    found = _failures("clean_file_1000_rows_Bank0_syntax_validity.txt", Period(2018), "macro")
    assert {code: len(rows) for (code, _), rows in found.items()} == {"Q637": 1, "Q638": 1}
    found = _failures(
        "clean_file_1000_rows_Bank0_syntax_validity.txt",
        Period(2018),
        "syntactical",
        "validity",
        "quality",
    )
    assert {code: len(rows) for (code, _), rows in found.items()} == (
        {"Q600": 1, "Q605-1": 30, "Q605-2": 30, "Q607": 210, "Q608": 80, "Q609": 20, "Q610": 10}
        | {"Q611": 20, "Q612": 10, "Q613": 80, "Q614": 230, "Q617": 140, "Q618": 740, "Q619": 740}
        | {"Q620": 380, "Q622": 170, "Q627": 230, "Q628": 10, "Q629": 30, "Q630": 190}
        | {"Q631": 540, "Q632": 120, "Q633": 70, "S304": 1}
    )


def _failures(name: str, period: Period, *kinds: str) -> dict[tuple[str, str], list[int]]:
    file = LarFile.read((SAMPLES / name).read_text())
    places = Places(
        frozenset(loan["census_tract"] for loan in file.loans),
        frozenset(loan["county"] for loan in file.loans),
    )
    return failures(file, period, places, *kinds)
