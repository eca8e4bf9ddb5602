"""All graphs of loans that were counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphs.catalogue import GRAPHS
from graphs.measurement import FactsFiles, measure_all
from graphs.quarters import Measurement
from tests.graphs.loans import ANNUAL, EXPECTED, FILER, OTHER, QUARTERLY, frame, loans


def measured(folder: Path, filers: tuple[str, ...] = (FILER,), **frames) -> Measurement:
    files = {kind: folder / f"{kind}.parquet" for kind in frames}
    for kind, facts in frames.items():
        facts.write_parquet(files[kind])
    work = folder / "work"
    work.mkdir()
    return measure_all(
        FactsFiles(**{kind: [path] for kind, path in files.items()}), filers, workplace=work
    )


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory) -> Measurement:
    return measured(tmp_path_factory.mktemp("facts"), annual=ANNUAL, quarterly=QUARTERLY)


def test_every_graph_has_the_figures_that_were_worked_out_by_hand(by_hand):
    found = {
        endpoint: {
            line.name: {str(quarter): value for quarter, value in line.points.items()}
            for line in lines
            if line.points
        }
        for endpoint, lines in by_hand.lines.items()
    }
    expected = {graph.endpoint: EXPECTED.get(graph.endpoint, {}) for graph in GRAPHS}
    assert found == expected


def test_a_hundred_records_are_enough_and_one_less_is_not(tmp_path):
    facts = frame(loans(100, score=640), loans(99, type=2), loans(1, type=2, action=3))
    found = measured(tmp_path, annual=facts).lines
    assert [len(line.points) for line in found["loans"]][:3] == [1, 0, 0]
    assert [len(line.points) for line in found["applications"]][:3] == [1, 0, 1]


def test_without_quarterly_filers_only_all_filers_are_counted(tmp_path):
    found = measured(tmp_path, filers=(), annual=frame(loans(100))).lines
    assert not any(line.points for line in found["applications"])
    assert [line.name for line in found["all-applications"] if line.points] == ["All HMDA Filers"]


def test_a_record_in_several_quarterly_files_of_an_institution_counts_once(tmp_path):
    q1, corrected = loans(150, score=700), loans(120, score=640)
    q2, q3 = loans(130, quarter=2, score=720), loans(110, quarter=3, score=680)
    others = loans(140, lei=OTHER, score=660)
    files = [frame(others), frame(q1), frame(q1, q2), frame(q3), frame(corrected)]
    once = frame(others, corrected, q2, q3)
    paths = [tmp_path / f"{number}.parquet" for number in range(len(files) + 1)]
    for path, facts in zip(paths, [*files, once], strict=True):
        facts.write_parquet(path)
    filers = (FILER, OTHER)
    cumulative = measure_all(FactsFiles(quarterly=paths[:-1]), filers, workplace=tmp_path)
    counted_once = measure_all(FactsFiles(quarterly=paths[-1:]), filers, workplace=tmp_path)
    assert any(line.points for line in cumulative.lines["credit-scores"])
    assert cumulative.lines == counted_once.lines
    assert cumulative.rows == sum(map(len, files))


def test_nothing_at_all_has_no_lines(tmp_path):
    found = measured(tmp_path)
    assert found.rows == 0
    assert set(found.lines.values()) == {()}
