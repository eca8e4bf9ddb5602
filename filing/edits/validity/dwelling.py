"""Validity edits of the dwelling: its value in dollars, manufactured homes and the units."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, int32, num, number, one_of

_SECURED_PROPERTY_TYPE = (
    "manufactured_home_secured_property_type",
    "multifamily_affordable_units",
    "construction_method",
)
_LAND_PROPERTY_INTEREST = (
    "manufactured_home_land_property_interest",
    "multifamily_affordable_units",
    "construction_method",
)
_AFFORDABLE_UNITS = ("multifamily_affordable_units", "total_units")

EDITS = (
    Edit(
        code="V688-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("property_value", "action_taken"),
        text=(
            "Property Value must be a number greater than 0, Exempt, or NA, and cannot be left "
            "blank."
        ),
        holds=one_of("property_value", "NA", "Exempt") | (num("property_value") > 0),
        breaks={"property_value": "0"},
    ),
    Edit(
        code="V688-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("property_value", "action_taken"),
        text=(
            "If Action Taken is 4 or 5 (application withdrawn, or file closed for incompleteness), "
            "then Property Value must be Exempt or NA."
        ),
        holds=if_then(one_of("action_taken", 4, 5), one_of("property_value", "NA", "Exempt")),
        breaks=examples.WITHDRAWN | {"property_value": "312500"},
    ),
    Edit(
        code="V689-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_SECURED_PROPERTY_TYPE,
        text=(
            "Manufactured Home Secured Property Type must be 1, 2, 3, or 1111 (exempt), and cannot "
            "be left blank."
        ),
        holds=one_of("manufactured_home_secured_property_type", 1, 2, 3, 1111),
        breaks=examples.MANUFACTURED_HOME | {"manufactured_home_secured_property_type": 4},
    ),
    Edit(
        code="V689-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_SECURED_PROPERTY_TYPE,
        text=(
            "If Multifamily Affordable Units is a number, then Manufactured Home Secured Property "
            "Type must be 3 (not applicable) or 1111 (exempt)."
        ),
        holds=if_then(
            number("multifamily_affordable_units"),
            one_of("manufactured_home_secured_property_type", 3, 1111),
        ),
        breaks=examples.MULTIFAMILY
        | {"construction_method": 2, "manufactured_home_secured_property_type": 1},
    ),
    Edit(
        code="V689-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_SECURED_PROPERTY_TYPE,
        text=(
            "If Construction Method is 1 (site-built), then Manufactured Home Secured Property "
            "Type must be 3 (not applicable) or 1111 (exempt)."
        ),
        holds=if_then(
            one_of("construction_method", 1),
            one_of("manufactured_home_secured_property_type", 3, 1111),
        ),
        breaks={"manufactured_home_secured_property_type": 1},
    ),
    Edit(
        code="V690-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_LAND_PROPERTY_INTEREST,
        text=(
            "Manufactured Home Land Property Interest must be 1, 2, 3, 4, 5, or 1111 (exempt), and "
            "cannot be left blank."
        ),
        holds=one_of("manufactured_home_land_property_interest", 1, 2, 3, 4, 5, 1111),
        breaks=examples.MANUFACTURED_HOME | {"manufactured_home_land_property_interest": 6},
    ),
    Edit(
        code="V690-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_LAND_PROPERTY_INTEREST,
        text=(
            "If Multifamily Affordable Units is a number, then Manufactured Home Land Property "
            "Interest must be 5 (not applicable) or 1111 (exempt)."
        ),
        holds=if_then(
            number("multifamily_affordable_units"),
            one_of("manufactured_home_land_property_interest", 5, 1111),
        ),
        breaks=examples.MULTIFAMILY
        | {"construction_method": 2, "manufactured_home_land_property_interest": 1},
    ),
    Edit(
        code="V690-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_LAND_PROPERTY_INTEREST,
        text=(
            "If Construction Method is 1 (site-built), then Manufactured Home Land Property "
            "Interest must be 5 (not applicable) or 1111 (exempt)."
        ),
        holds=if_then(
            one_of("construction_method", 1),
            one_of("manufactured_home_land_property_interest", 5, 1111),
        ),
        breaks={"manufactured_home_land_property_interest": 1},
    ),
    Edit(
        code="V691",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("total_units",),
        text="Total Units must be a whole number greater than 0, and cannot be left blank.",
        holds=num("total_units") > 0,
        breaks={"total_units": 0},
    ),
    Edit(
        code="V692-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_AFFORDABLE_UNITS,
        text=(
            "Multifamily Affordable Units must be a whole number, Exempt, or NA, and cannot be "
            "left blank."
        ),
        # Everything else is a formatting error, except numbers beyond 32 bits.
        holds=one_of("multifamily_affordable_units", "NA", "Exempt")
        | int32("multifamily_affordable_units"),
        breaks=examples.MULTIFAMILY | {"multifamily_affordable_units": "-2147483649"},
    ),
    Edit(
        code="V692-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_AFFORDABLE_UNITS,
        text=(
            "If Total Units is less than 5, then Multifamily Affordable Units must be Exempt or NA."
        ),
        holds=if_then(
            num("total_units") < 5, one_of("multifamily_affordable_units", "NA", "Exempt")
        ),
        breaks=examples.MULTIFAMILY | {"total_units": 4},
    ),
    Edit(
        code="V692-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_AFFORDABLE_UNITS,
        text=(
            "If Total Units is 5 or greater, then Multifamily Affordable Units must be less than "
            "or equal to Total Units, Exempt, or NA."
        ),
        holds=if_then(
            num("total_units") >= 5,
            one_of("multifamily_affordable_units", "NA", "Exempt")
            | (
                int32("multifamily_affordable_units")
                & (num("multifamily_affordable_units") <= num("total_units"))
            ),
        ),
        breaks=examples.MULTIFAMILY | {"multifamily_affordable_units": "6"},
    ),
)
