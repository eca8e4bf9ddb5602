"""Quality edits of the dwelling: manufactured homes and numbers of units."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import if_then, num, one_of, whole_number

EDITS = (
    Edit(
        code="Q618",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("construction_method", "manufactured_home_secured_property_type"),
        text="For a manufactured home, 'not applicable' is a doubtful secured property type.",
        holds=if_then(
            one_of("construction_method", 2),
            ~one_of("manufactured_home_secured_property_type", 3),
        ),
        breaks=examples.MANUFACTURED_HOME | {"manufactured_home_secured_property_type": 3},
    ),
    Edit(
        code="Q619",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("construction_method", "manufactured_home_land_property_interest"),
        text="For a manufactured home, 'not applicable' is a doubtful land property interest.",
        holds=if_then(
            one_of("construction_method", 2),
            ~one_of("manufactured_home_land_property_interest", 5),
        ),
        breaks=examples.MANUFACTURED_HOME | {"manufactured_home_land_property_interest": 5},
    ),
    Edit(
        code="Q630",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("total_units", "hoepa_status"),
        text="HOEPA status is normally 'not applicable' for five or more units.",
        holds=if_then(num("total_units") >= 5, one_of("hoepa_status", 3)),
        breaks=examples.MULTIFAMILY | {"hoepa_status": 2},
    ),
    Edit(
        code="Q631",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("loan_type", "total_units"),
        text="Government-backed loans normally concern at most four units.",
        holds=if_then(one_of("loan_type", 2, 3, 4), num("total_units") <= 4),
        breaks=examples.MULTIFAMILY | {"loan_type": 4},
    ),
    Edit(
        code="Q655",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2021),
        fields=("total_units", "multifamily_affordable_units"),
        text="For five or more units the number of affordable units is normally given or exempt.",
        holds=if_then(
            num("total_units") >= 5,
            one_of("multifamily_affordable_units", "Exempt")
            | whole_number("multifamily_affordable_units"),
        ),
        breaks=examples.MULTIFAMILY | {"multifamily_affordable_units": "NA"},
    ),
)
