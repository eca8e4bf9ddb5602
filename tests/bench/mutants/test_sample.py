"""The sample: the same in every run, of every kind of change, and steady when code is added."""

from collections import Counter
from pathlib import Path

from bench.mutants.sample import sample
from bench.mutants.targets import AREAS, Area, modules

ROOT = Path(__file__).resolve().parents[3]

LIMITS = Area("limits", 1_000, ("limits/*.py",), ())


def write(folder, name, limits):
    path = folder / "limits" / f"{name}.py"
    path.parent.mkdir(exist_ok=True)
    lines = [f"def limit_{n}(amount):\n    return amount >= {n} and amount < {n}00" for n in limits]
    path.write_text("\n".join(lines))


def test_a_sample_is_the_same_in_every_run(tmp_path):
    write(tmp_path, "loans", range(20))
    first = sample(tmp_path, [LIMITS], count=40)
    assert list(first) == list(sample(tmp_path, [LIMITS], count=40))
    assert list(first) != list(sample(tmp_path, [LIMITS], count=40, seed="other"))
    assert len(first) == 40
    assert {change.operator for change in first} == {"comparison", "condition", "logic", "number"}


def test_a_rule_that_is_added_changes_few_of_the_others(tmp_path):
    write(tmp_path, "loans", range(40))
    before = set(sample(tmp_path, [LIMITS], count=40))
    write(tmp_path, "others", range(2))
    after = {change for change in sample(tmp_path, [LIMITS], count=40) if "loans" in change.path}
    assert len(before - after) < 8
    assert len(after - before) < 3


def test_areas_make_up_the_thousand_and_each_module_has_one():
    assert sum(area.count for area in AREAS) == 1_000
    paths = Counter(path for path, _ in modules(ROOT))
    assert set(paths.values()) == {1}
    assert {"filing/edits/macro.py", "filing/lar/fields.py", "uliapi/checkdigit.py"} <= set(paths)


def test_each_module_has_tests_that_are_nearest():
    for path, area in modules(ROOT):
        assert area.nearest(ROOT, path), path
