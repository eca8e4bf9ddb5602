"""What the records of a file come to, one row for each file that could be read as a whole.

Figures of a season add up these rows, so that none reads the files of 5,000 institutions.
"""

from __future__ import annotations

from django.db import models

from filing.models.submissions import Submission


class RecordCounts(models.Model):
    """The entries of a transmittal sheet, and how many records of its file are of which kind."""

    submission = models.OneToOneField(
        Submission, models.CASCADE, primary_key=True, related_name="record_counts"
    )
    agency = models.SmallIntegerField(help_text="The federal agency on the transmittal sheet.")
    city = models.CharField(max_length=200, blank=True, help_text="Of the contact person.")
    state = models.CharField(max_length=200, blank=True, help_text="Of the contact person.")
    open_end = models.PositiveIntegerField(help_text="Records of open-end lines of credit.")
    closed_end = models.PositiveIntegerField(help_text="Records of closed-end loans.")
    line_exempt = models.PositiveIntegerField(
        help_text="Records whose line of credit is not reported under the partial exemption."
    )
    open_end_originated = models.PositiveIntegerField()
    closed_end_originated = models.PositiveIntegerField()
    single_family = models.PositiveIntegerField(help_text="Site-built, 1 to 4 units.")
    manufactured = models.PositiveIntegerField(help_text="Manufactured homes, 1 to 4 units.")
    multifamily = models.PositiveIntegerField(help_text="5 units or more.")
    denial_1 = models.PositiveIntegerField("denied: debt-to-income ratio")
    denial_2 = models.PositiveIntegerField("denied: employment history")
    denial_3 = models.PositiveIntegerField("denied: credit history")
    denial_4 = models.PositiveIntegerField("denied: collateral")
    denial_5 = models.PositiveIntegerField("denied: insufficient cash")
    denial_6 = models.PositiveIntegerField("denied: unverifiable information")
    denial_7 = models.PositiveIntegerField("denied: application incomplete")
    denial_8 = models.PositiveIntegerField("denied: mortgage insurance denied")
    denial_9 = models.PositiveIntegerField("denied: other")
    denial_exempt = models.PositiveIntegerField("denied: exempt")
    with_exemption = models.PositiveIntegerField(
        help_text="Records with an exemption code in some field, as edit Q646 reads them."
    )
    quarter_1 = models.PositiveIntegerField(help_text="Records by the date of the action taken.")
    quarter_2 = models.PositiveIntegerField()
    quarter_3 = models.PositiveIntegerField()
    quarter_4 = models.PositiveIntegerField()
    counties = models.TextField(
        blank=True, help_text="The records of each county: 06037:12 06059:3."
    )
    changed = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Records that differ from those of the file signed before, or that only one of "
        "both has. Null: nothing was signed before, or they are not compared yet.",
    )

    def __str__(self) -> str:
        return f"Counts of submission {self.submission_id}"
