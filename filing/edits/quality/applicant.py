"""Quality edits of the applicant and the co-applicant: their ages."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, annual_only, since
from filing.edits.vocabulary import if_then, num, one_of

EDITS = (
    # Became Q614-1 in 2020.
    Edit(
        code="Q614",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=annual_only(2018, 2019),
        fields=("applicant_age",),
        text="The applicant's age is normally between 18 and 100.",
        holds=if_then(~one_of("applicant_age", 8888), num("applicant_age").is_between(18, 100)),
        breaks={"applicant_age": 17},
    ),
    Edit(
        code="Q614-1",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2020),
        fields=("uli", "applicant_age"),
        text="The applicant's age is normally between 18 and 100.",
        holds=if_then(~one_of("applicant_age", 8888), num("applicant_age").is_between(18, 100)),
        breaks={"applicant_age": 101},
    ),
    Edit(
        code="Q614-2",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2020),
        fields=("uli", "co_applicant_age"),
        text="The co-applicant's age is normally between 18 and 100.",
        holds=if_then(
            ~one_of("co_applicant_age", 8888, 9999),
            num("co_applicant_age").is_between(18, 100),
        ),
        breaks={"co_applicant_age": 17},
    ),
    # 8888 and 9999 are large enough.
    Edit(
        code="Q622",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("reverse_mortgage", "applicant_age"),
        text="Reverse-mortgage borrowers are normally at least 62.",
        holds=if_then(one_of("reverse_mortgage", 1), num("applicant_age") >= 62),
        breaks=examples.REVERSE_MORTGAGE | {"applicant_age": 61},
    ),
)
