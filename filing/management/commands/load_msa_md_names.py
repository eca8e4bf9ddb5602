"""`manage.py load_msa_md_names YEAR FILE`: loads the names of the MSA/MDs of a year."""

from __future__ import annotations

from filing.management.loading import LoadCommand
from filing.reference.kinds import MSA_MD_NAMES


class Command(LoadCommand):
    help = (
        "Load the names of the MSA/MDs of a year, whole or not at all, where its census has none "
        "or other ones. They are in use at once."
    )
    kind = MSA_MD_NAMES
    layout = "code and name, with | or a comma, below a header line"
