"""Quality edits of the results of automated underwriting systems."""

from collections.abc import Mapping

from filing.edits.edit import Edit, EditKind, EditLevel, EditPeriods, annual_only, since
from filing.edits.sentences import listed
from filing.edits.vocabulary import all_of, if_then, one_of

_SYSTEMS = ("aus_1", "aus_2", "aus_3", "aus_4", "aus_5")
_RESULTS = ("aus_result_1", "aus_result_2", "aus_result_3", "aus_result_4", "aus_result_5")
_NAMES = {
    1: "Desktop Underwriter",
    2: "Loan Prospector or Loan Product Advisor",
    3: "TOTAL Scorecard",
    4: "Guaranteed Underwriting System",
}


def _returns(
    code: str,
    periods: EditPeriods,
    *,
    system: int,
    results: tuple[int, ...],
    breaks: Mapping[str, str | int],
) -> Edit:
    """Return the edit that a system has one of its results, in the same position."""
    return Edit(
        code=code,
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=periods,
        fields=(*_SYSTEMS, *_RESULTS),
        text=(
            f"If any Automated Underwriting System is {system} ({_NAMES[system]}), then the "
            "Automated Underwriting System Result in the same position should generally be "
            f"{listed(results)}."
        ),
        holds=all_of(
            *(
                if_then(one_of(field, system), one_of(result, *results))
                for field, result in zip(_SYSTEMS, _RESULTS, strict=True)
            )
        ),
        breaks=breaks,
    )


# The lists since 2019 have the newer results, 18 to 24; that of Q633 lost some older ones.
EDITS = (
    _returns(
        "Q632",
        annual_only(2018, 2018),
        system=3,
        results=(8, 13),
        breaks={"aus_1": 3, "aus_result_1": 1},
    ),
    _returns(
        "Q632",
        since(2019),
        system=3,
        results=(1, 2, 3, 4, 8, 13, 16, 18, 19),
        breaks={"aus_1": 3, "aus_result_1": 5},
    ),
    _returns(
        "Q633",
        annual_only(2018, 2018),
        system=4,
        results=(5, 8, 10, 13, 14, 15, 16),
        breaks={"aus_1": 4, "aus_result_1": 1},
    ),
    _returns(
        "Q633",
        since(2019),
        system=4,
        results=(3, 4, 10, 15, 16, 18, 19, 20, 21, 22, 23, 24),
        breaks={"aus_1": 4, "aus_result_1": 1},
    ),
    _returns(
        "Q643",
        annual_only(2018, 2018),
        system=1,
        results=(1, 2, 3, 4, 5, 6, 7, 15),
        breaks={"aus_1": 1, "aus_result_1": 8},
    ),
    _returns(
        "Q643",
        since(2019),
        system=1,
        results=(1, 2, 3, 4, 5, 6, 7, 15, 16),
        breaks={"aus_1": 1, "aus_result_1": 8},
    ),
    _returns(
        "Q644",
        annual_only(2018, 2018),
        system=2,
        results=(8, 9, 10, 11, 12),
        breaks={"aus_1": 2, "aus_result_1": 1},
    ),
    _returns(
        "Q644",
        since(2019),
        system=2,
        results=(8, 9, 10, 11, 12, 13, 16),
        breaks={"aus_1": 2, "aus_result_1": 1},
    ),
)
