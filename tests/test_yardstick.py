"""The yardstick agrees with its notation, its source and what is known of real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.yardstick.checking import LarFile, Places, failures
from bench.yardstick.rulebook import LISTS, Rule, rules
from filing.lar.fields import LAR, STATES, TRANSMITTAL_SHEET
from filing.lar.years import Period, rulebook_periods

# They may lie beside the project.
PUBLISHED = Path(__file__).resolve().parents[2] / "shared" / "edits"
SAMPLES = PUBLISHED.parent / "samples"
needs_published = pytest.mark.published


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
