"""`manage.py load_msa_md_names YEAR FILE`: loads the names of the MSA/MDs of a year."""

from __future__ import annotations

from filing.management.loading import LoadCommand
from filing.reference.kinds import MSA_MD_NAMES


class Command(LoadCommand):
    help = (
        "Load the MSA/MD names of a year, for a census without names or with different ones. They "
        "are in use at once; a file with errors is refused."
    )
    kind = MSA_MD_NAMES
    layout = "code and name, separated by | or a comma, after a header line"
