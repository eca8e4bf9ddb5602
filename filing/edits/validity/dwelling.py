"""Validity edits of the dwelling: its value in dollars, manufactured homes and the units."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, since
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("property_value", "action_taken"),
        text="Property value must be a number above zero, NA or Exempt.",
        holds=one_of("property_value", "NA", "Exempt") | (num("property_value") > 0),
        breaks={"property_value": "0"},
    ),
    Edit(
        code="V688-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("property_value", "action_taken"),
        text="For a withdrawn or incomplete application, property value must be NA or Exempt.",
        holds=if_then(one_of("action_taken", 4, 5), one_of("property_value", "NA", "Exempt")),
        breaks=examples.WITHDRAWN | {"property_value": "312500"},
    ),
    Edit(
        code="V689-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_SECURED_PROPERTY_TYPE,
        text="Manufactured home secured property type must be 1, 2, 3 or 1111 (exempt).",
        holds=one_of("manufactured_home_secured_property_type", 1, 2, 3, 1111),
        breaks=examples.MANUFACTURED_HOME | {"manufactured_home_secured_property_type": 4},
    ),
    Edit(
        code="V689-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_SECURED_PROPERTY_TYPE,
        text=(
            "When a number of affordable units is reported, manufactured home secured property "
            "type must be 3 or 1111."
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_SECURED_PROPERTY_TYPE,
        text=(
            "For a site-built dwelling, manufactured home secured property type must be 3 or 1111."
        ),
        holds=if_then(
            one_of("construction_method", 1),
            one_of("manufactured_home_secured_property_type", 3, 1111),
        ),
        breaks={"manufactured_home_secured_property_type": 1},
    ),
    Edit(
        code="V690-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_LAND_PROPERTY_INTEREST,
        text="Manufactured home land property interest must be 1 to 5 or 1111 (exempt).",
        holds=one_of("manufactured_home_land_property_interest", 1, 2, 3, 4, 5, 1111),
        breaks=examples.MANUFACTURED_HOME | {"manufactured_home_land_property_interest": 6},
    ),
    Edit(
        code="V690-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_LAND_PROPERTY_INTEREST,
        text=(
            "When a number of affordable units is reported, manufactured home land property "
            "interest must be 5 or 1111."
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_LAND_PROPERTY_INTEREST,
        text=(
            "For a site-built dwelling, manufactured home land property interest must be 5 or 1111."
        ),
        holds=if_then(
            one_of("construction_method", 1),
            one_of("manufactured_home_land_property_interest", 5, 1111),
        ),
        breaks={"manufactured_home_land_property_interest": 1},
    ),
    Edit(
        code="V691",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("total_units",),
        text="Total units must be greater than zero.",
        holds=num("total_units") > 0,
        breaks={"total_units": 0},
    ),
    Edit(
        code="V692-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_AFFORDABLE_UNITS,
        text="Multifamily affordable units must be a whole number, NA or Exempt.",
        # Everything else is a format error, but for numbers that do not fit 32 bits.
        holds=one_of("multifamily_affordable_units", "NA", "Exempt")
        | int32("multifamily_affordable_units"),
        breaks=examples.MULTIFAMILY | {"multifamily_affordable_units": "-2147483649"},
    ),
    Edit(
        code="V692-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_AFFORDABLE_UNITS,
        text=(
            "For a property of fewer than 5 units, multifamily affordable units must be NA or "
            "Exempt."
        ),
        holds=if_then(
            num("total_units") < 5, one_of("multifamily_affordable_units", "NA", "Exempt")
        ),
        breaks=examples.MULTIFAMILY | {"total_units": 4},
    ),
    Edit(
        code="V692-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_AFFORDABLE_UNITS,
        text=(
            "For a property of 5 or more units, multifamily affordable units may not exceed total "
            "units, or must be NA or Exempt."
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
