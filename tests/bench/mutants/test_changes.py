"""The changes that are made to a module: what they are called, and what they leave alone."""

from pathlib import Path

import pytest

from bench.mutants.changes import Change, changes

RULE = '''"""A rule."""

from filing.edits.vocabulary import if_then, num, one_of

EDITS = (
    Edit(
        code="V999-1",
        periods=since(2018),
        fields=("loan_type", "loan_amount"),
        text="The loan type must be 1 or 2.",
        holds=if_then(one_of("loan_type", 1, 2), num("loan_amount") >= 500),
        breaks={"loan_type": 3},
    ),
)
'''


def found(folder: Path, source: str) -> list[Change]:
    (folder / "rules.py").write_text(source)
    return changes(folder, "rules.py")


def said(some: list[Change]) -> list[tuple[str, str, str]]:
    return [(change.operator, change.original, change.changed) for change in some]


def test_a_rule_is_changed_in_its_periods_fields_and_conditions(tmp_path):
    some = found(tmp_path, RULE)
    assert {change.scope for change in some} == {"V999-1 since(2018)"}
    assert {change.code for change in some} == {"V999"}
    holds = 'holds=if_then(one_of("loan_type", 1, 2), num("loan_amount") >= 500)'
    assert [change for change in said(some) if change[1] != holds] == [
        ("period", "periods=since(2018)", "periods=annual_only(2018)"),
        ("period", "periods=since(2018)", "periods=since(2019)"),
        ("period", "periods=since(2018)", "periods=since(2017)"),
        *(
            (operator, 'fields=("loan_type", "loan_amount")', f"fields=({names})")
            for operator, names in (
                ("fields", "'loan_amount', 'loan_type'"),
                ("column", "'loan_purpose', \"loan_amount\""),
                ("column", "\"loan_type\", 'action_taken'"),
            )
        ),
    ]
    assert [changed for operator, original, changed in said(some) if original == holds] == [
        'holds=iff(one_of("loan_type", 1, 2), num("loan_amount") >= 500)',
        "holds=if_then(num('loan_amount') >= 500, one_of('loan_type', 1, 2))",
        "holds=num('loan_amount') >= 500",
        'holds=if_then(one_of("loan_type", 2), num("loan_amount") >= 500)',
        'holds=if_then(one_of("loan_type", 1), num("loan_amount") >= 500)',
        'holds=if_then(one_of("loan_type", 1, 2, 3), num("loan_amount") >= 500)',
        "holds=if_then(one_of('loan_purpose', 1, 2), num(\"loan_amount\") >= 500)",
        'holds=if_then(one_of("loan_type", 2, 2), num("loan_amount") >= 500)',
        'holds=if_then(one_of("loan_type", 0, 2), num("loan_amount") >= 500)',
        'holds=if_then(one_of("loan_type", 1, 3), num("loan_amount") >= 500)',
        'holds=if_then(one_of("loan_type", 1, 1), num("loan_amount") >= 500)',
        'holds=if_then(one_of("loan_type", 1, 2), num("loan_amount") > 500)',
        'holds=if_then(one_of("loan_type", 1, 2), integer("loan_amount") >= 500)',
        "holds=if_then(one_of(\"loan_type\", 1, 2), num('action_taken') >= 500)",
        'holds=if_then(one_of("loan_type", 1, 2), num("loan_amount") >= 501)',
        'holds=if_then(one_of("loan_type", 1, 2), num("loan_amount") >= 499)',
    ]


def test_a_change_is_made_where_it_was_found(tmp_path):
    for change in found(tmp_path, RULE):
        changed = change.apply(RULE)
        assert change.changed.split("=", 1)[1] in " ".join(changed.split())
        assert len(changed.splitlines()) == len(RULE.splitlines())


def test_a_change_that_needs_a_name_the_module_does_not_know_is_none(tmp_path):
    unknown = {change.text for change in found(tmp_path, RULE) if not change.is_one(RULE)}
    assert unknown == {"annual_only", "iff", "integer"}


def test_equal_expressions_of_a_function_are_told_apart(tmp_path):
    source = "def least(a, b):\n    if a < b:\n        return 0\n    return a < b\n"
    originals = [change.original for change in found(tmp_path, source) if "<=" in change.changed]
    assert originals == ["if a < b: return 0", "return a < b"]
    source = "def least(a, b):\n    a = f(a < b)\n    a = f(a < b)\n"
    originals = [change.original for change in found(tmp_path, source) if "<=" in change.changed]
    assert originals == ["a = f(a < b)", "a = f(a < b) #2"]


def test_lines_above_do_not_change_what_a_change_is_called(tmp_path):
    keys = [change.key for change in found(tmp_path, RULE)]
    assert [change.key for change in found(tmp_path, f"LIMIT = LEAST\n\n\n{RULE}")] == keys


@pytest.mark.parametrize(
    "source",
    [
        '"""A text of 3 words."""\n',
        'def rule():\n    """Return 1."""\n',
        'raise ValueError("3 are too many: no more than 2.")\n',
        "assert limit == 3\n",
        "def rule(limit: 'int') -> 'bool': ...\n",
        "@dataclass(frozen=True)\nclass Rule: ...\n",
        "text = f'{limit} of 3'\n",
        '__all__ = ["Rule", "find"]\n',
        'Edit(code="V999", text="3 are too many.", breaks={"loan_type": 3})\n',
    ],
)
def test_texts_types_and_examples_are_left_alone(tmp_path, source):
    assert found(tmp_path, source) == []
