"""What is changed, how often, and which tests have to notice: first the nearest, then others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.mutants.changes import Change

EDITS, LAR = "tests/filing/edits", "tests/filing/lar"

# They compare with what lies beside the project, or take minutes for what others take seconds.
NEVER = (
    f"{EDITS}/test_fuzz.py",
    f"{EDITS}/test_against_published_rules.py",
    f"{EDITS}/test_real_files.py",
)
# The list of edits with their periods and fields notices these kinds of change at once.
_BY_LIST = {"fields", "member", "period"}
_CODE = re.compile(r"[SVQ]\d{3}")
_LIST = f"{EDITS}/test_edit_fields.py"
# What is slow here says nothing about the values of a single edit.
_NOT_OF_RULES = tuple(
    f"{EDITS}/test_{name}.py"
    for name in (
        "check",
        "details",
        "engine",
        "repeats",
        "rounding",
        "vocabulary",
        "breaks",
        "reading",
        "facts",
        "edit",
        "sentences",
    )
)


@dataclass(frozen=True, slots=True)
class Area:
    """Modules that are tested alike.

    count: how many of 1,000 changes are made here. modules: patterns of paths. tests: patterns,
    the likeliest first, `{kind}` and `{name}` standing for the folder and the name of the module.
    wider: run where these notice nothing. flow: the same, with Django and a database. without:
    tests that are left out. is_rules: whether the list of edits says what the modules say.
    is_django: whether even the nearest tests need Django.
    """

    name: str
    count: int
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    wider: tuple[str, ...] = ()
    flow: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    is_rules: bool = False
    is_django: bool = False

    def nearest(self, root: Path, path: str) -> list[str]:
        """Return the test files that are nearest to a module, the likeliest first."""
        module = Path(path)
        patterns = [each.format(kind=module.parent.name, name=module.stem) for each in self.tests]
        return _files(root, patterns, without=())

    def further(self, root: Path, path: str) -> list[str]:
        """Return the test files that are run where the nearest ones notice nothing."""
        return _files(root, self.wider, without=(*self.without, *self.nearest(root, path)))

    def parts(self, root: Path, change: Change) -> tuple[tuple[str, ...], ...]:
        """Return the test files for a change, part after part: the likeliest are cheap to try."""
        nearest, further = self.nearest(root, change.path), self.further(root, change.path)
        if self.is_rules and (change.operator in _BY_LIST or not change.code):
            return (_LIST,), tuple(nearest), tuple(further)
        if not self.is_rules:
            return tuple(nearest), tuple(further)
        # The test of the module, and then the tables that name the edit.
        naming = [path for path in nearest[1:] if change.code in _read(root, path)]
        left = [path for path in nearest[1:] if path not in naming]
        return tuple(nearest[:1]), tuple(naming), (*further, *left)

    def codes(self, root: Path, change: Change) -> frozenset[str]:
        """Return the codes of the edits that a change is about; none where it may be about any."""
        if not self.is_rules:
            return frozenset()
        return frozenset([change.code] if change.code else _CODE.findall(_read(root, change.path)))

    def by_flow(self, root: Path) -> list[str]:
        """Return the test files that need Django."""
        return _files(root, self.flow, without=())


AREAS = (
    Area(
        "engine",
        140,
        ("filing/edits/*.py",),
        (
            f"{EDITS}/test_{{name}}.py",
            f"{EDITS}/test_{{name}}_*.py",
            *(
                f"{EDITS}/test_{name}.py"
                for name in ("numbers", "codes", "texts", "boundaries", "counts")
            ),
        ),
        (f"{EDITS}/*/test_[ac]*.py", f"{EDITS}/*.py", f"{EDITS}/*/*.py", f"{LAR}/*.py"),
        ("tests/publicapi/*.py", "tests/filing/submissions/test_findings*.py"),
        without=tuple(f"{EDITS}/test_{name}.py" for name in ("breaks", "repeats", "rounding")),
    ),
    Area(
        "fields",
        60,
        ("filing/lar/fields.py",),
        (f"{LAR}/test_accepted_values.py", f"{LAR}/*.py", f"{EDITS}/test_codes.py"),
        (_LIST, f"{EDITS}/*/*.py", f"{EDITS}/*.py"),
        ("tests/publicapi/*.py",),
        without=_NOT_OF_RULES,
    ),
    Area(
        "formats",
        120,
        ("filing/lar/*.py",),
        (f"{LAR}/test_{{name}}.py", f"{LAR}/test_{{name}}_*.py", f"{LAR}/*.py"),
        (f"{LAR}/*.py", f"{EDITS}/*.py"),
        ("tests/publicapi/*.py", "tests/filing/submissions/test_comparison.py"),
        without=(f"{EDITS}/test_repeats.py", f"{EDITS}/test_rounding.py"),
    ),
    Area(
        "check digits",
        25,
        ("uliapi/checkdigit.py",),
        ("tests/uliapi/test_checkdigit.py", "tests/uliapi/test_lei.py"),
        (f"{EDITS}/*/test_identifiers.py",),
        ("tests/uliapi/*.py",),
    ),
    Area(
        "rate spread",
        35,
        ("ratespread/calculator.py", "ratespread/apor.py"),
        ("tests/ratespread/test_numbers.py", "tests/ratespread/test_calculator.py"),
        ("tests/ratespread/*.py",),
        is_django=True,
    ),
    Area(
        "public records",
        50,
        ("databrowser/publication/records/*.py",),
        (
            "tests/databrowser/publication/records/test_{name}*.py",
            "tests/databrowser/publication/records/*.py",
        ),
        flow=(
            "tests/databrowser/publication/*/*.py",
            "tests/config/test_reference.py",
        ),
    ),
    Area(
        "deadlines",
        10,
        ("filing/seasons/deadlines.py",),
        ("tests/filing/seasons/test_deadlines.py",),
        ("tests/filing/seasons/*.py",),
        is_django=True,
    ),
    Area(
        "rules",
        560,
        (
            *("filing/edits/validity/*.py", "filing/edits/quality/*.py", "filing/edits/macro.py"),
            *("filing/edits/transmittal.py", "filing/edits/syntactical.py"),
        ),
        (
            f"{EDITS}/{{kind}}/test_{{name}}.py",
            f"{EDITS}/test_{{name}}.py",
            f"{EDITS}/test_codes.py",
            f"{EDITS}/{{kind}}/test_conditions*.py",
            f"{EDITS}/{{kind}}/test_applicants.py",
            *(
                f"{EDITS}/test_{name}.py"
                for name in ("boundaries", "texts", "characters", "census")
            ),
            *(f"{EDITS}/test_{name}.py" for name in ("counts", "needs")),
            f"{EDITS}/{{kind}}/test_street.py",
        ),
        (_LIST, f"{EDITS}/*/*.py", f"{EDITS}/*.py"),
        without=_NOT_OF_RULES,
        is_rules=True,
    ),
)


def modules(root: Path, areas: Sequence[Area] = AREAS) -> Iterator[tuple[str, Area]]:
    """Yield the path of each module that is changed, with its area."""
    named = [(pattern, area) for area in areas for pattern in area.modules]
    seen = set()
    # What is named alone belongs there, and not where a pattern says so as well.
    for pattern, area in sorted(named, key=lambda each: "*" in each[0]):
        for path in _files(root, [pattern], without=(), names="*.py"):
            if path not in seen and not path.endswith("__init__.py"):
                seen.add(path)
                yield path, area


def _read(root: Path, path: str) -> str:
    return (root / path).read_text()


def _files(
    root: Path, patterns: tuple[str, ...] | list[str], *, without: tuple[str, ...], names: str = ""
) -> list[str]:
    """Return the files that match, in the order of the patterns, each once."""
    found: dict[str, None] = {}
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            if path.match(names or "test_*.py"):
                found[path.relative_to(root).as_posix()] = None
    return [path for path in found if path not in {*NEVER, *without}]
