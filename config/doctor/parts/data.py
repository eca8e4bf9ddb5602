"""The data of the service: filing periods, reference data, and what is published."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.core.files.storage import default_storage
from django.db.models import QuerySet

from config.doctor.findings import Finding, Options, error, fine, left_out, warning
from databrowser.models import Version
from databrowser.publication.layout import SERVING
from databrowser.publication.versions import live_versions
from filing import day_hours, standing
from filing.models import FilingPeriod, Institution, Submission
from filing.reference.kinds import CENSUS, COUNTY_LIMITS, KINDS
from filing.reference_data import registry
from filing.seasons import years as filing_years
from filing.seasons.deadlines import Deadline
from filing.submissions import ownership
from ratespread import apor
from ratespread.models import AporTable

_CLOSING_DAYS = 7
_MOST_NAMED = 10


def periods(options: Options) -> Iterator[Finding]:
    """Look at the filing periods: which are open, until when, and with which deadlines."""
    today = day_hours.today()
    open_now = _open_periods()
    if not open_now:
        coming = FilingPeriod.objects.filter(opens__gt=today).order_by("opens").first()
        if coming:
            yield fine(f"None is open; {coming} opens on {coming.opens}.")
        else:
            yield warning(
                "No filing period is open, and none is to open: every upload is refused.",
                "Open a filing season in the admin, or with `manage.py open_season`.",
            )
    for period in open_now:
        yield fine(
            f"{period} is open until {period.closes}; its deadline is {period.timely_until}."
        )
        if not Institution.objects.filter(activity_year=period.year).exists():
            yield error(f"The panel of {period.year} is empty.", "Import the panel in the admin.")
        if difference := Deadline(period.period).difference(period.timely_until):
            yield warning(
                f"{period}: {difference}", "Correct it in the admin, unless it was extended."
            )
        if today <= period.closes < today + timedelta(days=_CLOSING_DAYS):
            yield warning(
                f"{period} closes on {period.closes}; late files are refused after that.",
                "Extend it in the admin if that is not intended.",
            )


def reference(options: Options) -> Iterator[Finding]:
    """Look for the reference data of the open periods, and of the rate spread calculator."""
    years = sorted({period.year for period in _open_periods()})
    if not years:
        yield left_out("No filing period is open.")
    for year in years:
        for kind in (CENSUS, COUNTY_LIMITS):
            yield _file(kind, year)
    yield from _apor()


def _file(kind: str, year: int) -> Finding:
    file, label = registry.active(kind, year), KINDS[kind].label
    if file is None and kind == CENSUS:
        return error(
            f"Not loaded for {year}: {label}. Edits that need it are not checked.",
            "Load it in the admin under Reference data.",
        )
    if file is None:
        return warning(
            f"Not loaded for {year}: {label}. Public records have no conforming loan limit.",
            "Load the file in the admin under Reference data before the year is published.",
        )
    if file.year != year:
        return warning(
            f"For {year} the file of {file.year} is used: {label}.",
            "Load the file of the year when it is published.",
        )
    return fine(f"Loaded for {year}: {label} ({file.rows:,} rows).")


def _apor() -> Iterator[Finding]:
    for table in AporTable.objects.exclude(trouble=""):
        yield warning(
            f"APOR tables ({table.get_kind_display()}) could not be fetched: {table.trouble}",
            "Check the address, or load them in the admin.",
        )
    for table in apor.with_newest_week(AporTable.objects.all()):
        label, newest = table.get_kind_display(), table.newest
        if newest and apor.is_old(newest):
            yield warning(
                f"The newest APOR week ({label}) is that of {newest}.",
                "Load newer tables in the admin, or with `manage.py load_apor`.",
            )
        elif newest:
            yield fine(f"APOR tables ({label}) are loaded up to the week of {newest}.")


def published(options: Options) -> Iterator[Finding]:
    """Look at the published data sets: which version each year has, and whether it can be read."""
    names = []
    for each in live_versions.published_versions():
        version = each.version
        names.append(version.name + (" (made up)" if version.is_demo else ""))
        file = f"{version.folder}/{SERVING}"
        if version.state != Version.State.BUILT or not default_storage.exists(file):
            yield error(
                f"The files of version {version.name} are not in storage.",
                f"Roll {each.year} back, or build it again with `manage.py publish {each.year}`.",
            )
    yield fine(f"Published: {', '.join(names)}." if names else "Nothing is published yet.")


def filings(options: Options) -> Iterator[Finding]:
    """Look for what is in force although a submission like it can no longer be signed."""
    if names := _names(standing.signed_out_of_order()):
        yield warning(
            f"Signed after a later submission of the filing, and in force: {names}.",
            "An earlier release allowed it. Ask each institution whether the right file is in "
            "force; if not, it files again.",
        )
    else:
        yield fine("In each filing, the submission signed last has the highest number.")
    if names := _names(ownership.foreign_filed()):
        yield warning(
            f"In force although the transmittal sheet names another institution: {names}.",
            "An earlier release allowed it. Ask each institution for its own file.",
        )
    else:
        yield fine("Each file in force names the institution of its filing.")


def years(options: Options) -> Iterator[Finding]:
    """Look for periods without a rulebook, and for what was signed in them."""
    if unprepared := filing_years.unprepared_periods():
        yield error(
            f"No rules are run for files of {', '.join(map(str, unprepared))}: the year is not in "
            "stage filing, or the quarter does not exist. Nothing can be filed in them.",
            "Prepare the year and move it to stage filing: in the admin, or with `manage.py "
            "prepare_year`.",
        )
    else:
        yield fine("Every filing period has a rulebook.")
    if names := _names(filing_years.signed_without_rules()):
        yield warning(
            f"Signed although no edit was run: {names}.",
            "An earlier release allowed it. Prepare the year; then run the edits on each file, an "
            "action in the list of submissions, which has a filter for these.",
        )


def _names(submissions: QuerySet[Submission]) -> str:
    """Return the names of submissions, of many only the first; blank if there is none."""
    number = submissions.count()
    names = ", ".join(map(str, submissions.order_by("pk")[:_MOST_NAMED]))
    return f"{names}, and {number - _MOST_NAMED:,} others" if number > _MOST_NAMED else names


def _open_periods() -> list[FilingPeriod]:
    today = day_hours.today()
    open_now = FilingPeriod.objects.filter(opens__lte=today, closes__gte=today)
    return list(open_now.order_by("year", "quarter"))
