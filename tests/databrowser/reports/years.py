"""Years whose reports are public, published as staff publish them, of a few records each."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from typing import Any

from databrowser.models import Version
from databrowser.publication.columns import PUBLIC
from databrowser.publication.versions import live_versions
from databrowser.reports import report_jobs
from filing.jobs import loop
from filing.models import Institution, Job
from tests.databrowser.builds import OLGA, WHY, built
from tests.databrowser.publication.public_files import sign

YEAR = 2024
E1, E2, T1 = "529900EXAMPLELEI0001", "529900EXAMPLELEI0002", "529900EXAMPLELEI0009"
NAMES = {E1: "Example Bank", E2: "Second Example Credit Union", T1: "Test Bank"}
_SHORT = {"E1": E1, "E2": E2, "T1": T1}
# The snapshot of 2024 is frozen at the end of 1 May 2025.
TIMELY = datetime(2025, 4, 1, 12, tzinfo=UTC)
LATE = datetime(2025, 7, 1, 12, tzinfo=UTC)
_INNER = {column.browser: column.name for column in PUBLIC}
INPUT_A = """\
lei,derived_msa-md,census_tract,action_taken,loan_type,loan_purpose,construction_method,occupancy_type,total_units,loan_amount
E1,19124,48085031101,1,1,1,1,1,1,325000
E1,19124,48085031101,1,2,1,1,1,1,245000
E1,19124,48085031101,2,1,31,1,1,2,185000
E1,19124,48085031101,3,1,1,2,1,1,95000
E1,19124,48085031101,3,4,1,2,2,1,105000
E1,19124,48085031101,5,1,2,1,1,1,45000
E1,19124,48085031101,6,3,1,1,1,1,285000
E1,19124,48085031101,6,1,32,1,3,4,415000
E1,19124,48113019800,1,1,32,1,3,4,535000
E1,19124,48113019800,4,1,1,1,2,1,265000
E1,19124,48113019800,1,1,1,1,3,5-24,1255000
E1,19124,48113019800,3,1,4,1,3,>149,9005000
E1,19124,48113019800,1,1,4,1,1,1,75000
E1,19124,48113000100,7,1,1,1,1,1,155000
E1,19124,48113000100,8,1,1,1,1,1,165000
E1,19124,NA,1,1,1,1,1,1,205000
E1,99999,48379950100,1,1,2,2,1,1,35000
E2,19124,48085031101,1,3,1,1,1,3,355000
E2,19124,48085031101,4,1,5,1,1,1,25000
E2,19124,48113000100,1,2,2,2,2,1,65000
E2,19124,48113000100,6,1,1,1,1,25-49,3105000
E2,19124,48113000100,6,2,31,1,1,1,135000
T1,19124,48113000200,5,1,31,1,1,1,145000
E2,0,48113777777,1,1,1,1,1,1,225000
"""
INPUT_B = """\
action_taken,derived_race,derived_ethnicity,derived_sex,income,ffiec_msa_md_median_family_income,tract_median_age_of_housing_units,loan_type,loan_purpose,construction_method,occupancy_type,total_units,loan_amount
1,Asian,Not Hispanic or Latino,Male,120,100000,10,1,1,1,1,1,405000
1,Asian,Not Hispanic or Latino,Joint,119,100000,14,1,31,1,1,1,355000
2,Asian,Not Hispanic or Latino,Female,100,100000,24,2,1,1,1,1,295000
3,White,Hispanic or Latino,Male,99,100000,25,1,1,1,2,2,215000
1,White,Hispanic or Latino,Female,80,100000,34,3,1,1,1,1,235000
4,White,Joint,Joint,79,100000,35,1,2,1,1,1,55000
5,White,Not Hispanic or Latino,Male,50,100000,44,1,32,1,1,1,175000
6,White,Not Hispanic or Latino,Male,49,100000,45,1,1,1,1,1,265000
1,Black or African American,Not Hispanic or Latino,Female,0,100000,54,4,1,2,1,1,85000
3,Black or African American,Not Hispanic or Latino,Female,-12,100000,55,1,1,2,1,1,75000
1,Joint,Not Hispanic or Latino,Joint,NA,100000,75,1,1,1,1,1,325000
6,Race Not Available,Ethnicity Not Available,Sex Not Available,NA,100000,-1,1,31,1,1,1,145000
1,Race Not Available,Ethnicity Not Available,Sex Not Available,NA,100000,13,1,1,1,3,50-99,4505000
1,2 or more minority races,Free Form Text Only,Male,65,100000,0,2,1,1,1,1,195000
4,Free Form Text Only,Ethnicity Not Available,Male,240,100000,54,1,4,1,1,1,115000
7,American Indian or Alaska Native,Not Hispanic or Latino,Male,60,100000,20,1,1,1,1,1,125000
3,Native Hawaiian or Other Pacific Islander,Not Hispanic or Latino,Joint,90,0,15,1,32,1,3,3,135000
8,White,Not Hispanic or Latino,Female,110,100000,12,1,1,1,1,1,245000
5,Joint,Joint,Joint,75,100000,-1,1,31,2,1,1,165000
"""


def read_loans(text: str) -> list[dict[str, Any]]:
    """Return the records of a table, by the names of the columns here."""
    rows = csv.DictReader(text.splitlines())
    return [
        {
            _INNER[name]: float(value) if name == "loan_amount" else value
            for name, value in row.items()
        }
        for row in rows
    ]


def sign_input_a(**signed_at: datetime) -> None:
    """Sign the records of `INPUT_A`. signed_at: by the short name of an institution."""
    loans = read_loans(INPUT_A)
    for short, lei in _SHORT.items():
        own = [
            {**loan, "state_code": "TX", "county_code": loan["census_tract"][:5]}
            for loan in loans
            if loan["lei"] == short
        ]
        name_institution(lei)
        sign(lei, *own, year=YEAR, signed_at=signed_at.get(short, TIMELY))
    Institution.objects.filter(lei=T1).update(is_test=True)


def publish_input_a() -> None:
    """Publish the snapshot of the records of `INPUT_A`, with its reports."""
    sign_input_a()
    publish_vintage()


def name_institution(lei: str) -> None:
    """Put an institution into the panel of the year."""
    defaults = {"name": NAMES[lei], "agency": 9, "hmda_filer": True}
    Institution.objects.get_or_create(activity_year=YEAR, lei=lei, defaults=defaults)


def publish_vintage(dataset: str = "snapshot", *, counted: bool = True) -> Version:
    """Build and publish a vintage, and count its reports as a worker does."""
    version = built(YEAR, dataset=dataset, goes_live=False)
    live_versions.publish_version(version, by=OLGA, reason=WHY)
    if counted:
        count_reports()
    return version


def count_reports() -> None:
    """Run the jobs of reports that wait."""
    for job in Job.objects.filter(stage=report_jobs.KIND, state=Job.State.QUEUED):
        loop.run_job(job.pk)
        job.refresh_from_db()
        assert job.state == Job.State.DONE, job.last_error
