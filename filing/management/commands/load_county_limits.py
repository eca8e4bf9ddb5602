"""`manage.py load_county_limits YEAR FILE`: loads the conforming loan limits of a year."""

from __future__ import annotations

from filing.management.loading import LoadCommand
from filing.reference.kinds import COUNTY_LIMITS


class Command(LoadCommand):
    help = (
        "Load the county loan limits of a year. They are in use at once; a file with errors is "
        "refused."
    )
    kind = COUNTY_LIMITS
    layout = "9 columns, separated by | or commas"
