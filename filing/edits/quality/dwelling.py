"""Quality edits of the dwelling: manufactured homes and numbers of units."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, num, one_of, whole_number

EDITS = (
    Edit(
        code="Q618",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("construction_method", "manufactured_home_secured_property_type"),
        text=(
            "If Construction Method is 2 (manufactured home), then Manufactured Home Secured "
            "Property Type should generally not be 3 (not applicable)."
        ),
        holds=if_then(
            one_of("construction_method", 2),
            ~one_of("manufactured_home_secured_property_type", 3),
        ),
        breaks=examples.MANUFACTURED_HOME | {"manufactured_home_secured_property_type": 3},
    ),
    Edit(
        code="Q619",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("construction_method", "manufactured_home_land_property_interest"),
        text=(
            "If Construction Method is 2 (manufactured home), then Manufactured Home Land Property "
            "Interest should generally not be 5 (not applicable)."
        ),
        holds=if_then(
            one_of("construction_method", 2),
            ~one_of("manufactured_home_land_property_interest", 5),
        ),
        breaks=examples.MANUFACTURED_HOME | {"manufactured_home_land_property_interest": 5},
    ),
    Edit(
        code="Q630",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("total_units", "hoepa_status"),
        text=(
            "If Total Units is 5 or greater, then HOEPA Status should generally be 3 (not "
            "applicable)."
        ),
        holds=if_then(num("total_units") >= 5, one_of("hoepa_status", 3)),
        breaks=examples.MULTIFAMILY | {"hoepa_status": 2},
    ),
    Edit(
        code="Q631",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_type", "total_units"),
        text=(
            "If Loan Type is 2, 3, or 4 (FHA, VA, or RHS or FSA), then Total Units should "
            "generally be 4 or less."
        ),
        holds=if_then(one_of("loan_type", 2, 3, 4), num("total_units") <= 4),
        breaks=examples.MULTIFAMILY | {"loan_type": 4},
    ),
    Edit(
        code="Q655",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2021),
        fields=("total_units", "multifamily_affordable_units"),
        text=(
            "If Total Units is 5 or greater, then Multifamily Affordable Units should generally be "
            "a whole number or Exempt."
        ),
        holds=if_then(
            num("total_units") >= 5,
            one_of("multifamily_affordable_units", "Exempt")
            | whole_number("multifamily_affordable_units"),
        ),
        breaks=examples.MULTIFAMILY | {"multifamily_affordable_units": "NA"},
    ),
)
