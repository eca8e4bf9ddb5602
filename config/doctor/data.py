"""Live checks of the data: periods, filings, reference data, what is published, the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.checks import DEBUG, WARNING, CheckMessage, Debug, Error, Info
from django.core.checks import Warning as Concern
from django.core.files.storage import default_storage
from django.db.models import QuerySet
from django.utils import timezone

from config import made_up
from config.doctor.site import describe_age, seconds_since
from config.health.live_checks import DOCTOR, LIVE_CHECKS, NEEDS_TABLES
from databrowser.models import Version
from databrowser.publication.layout import SERVING
from databrowser.publication.quantities import number_of
from databrowser.publication.versions import live_versions
from filing import day_hours, standing
from filing.audit import keys, verification
from filing.models import FilingPeriod, Institution, Submission
from filing.periods import filings
from filing.receipts import documents
from filing.reference.kinds import CENSUS, COUNTY_LIMITS, REFERENCE_KINDS
from filing.reference_data import registry
from filing.seasons import years
from filing.seasons.windows import Deadline
from filing.submissions import ownership
from ratespread import apor
from ratespread.models import AporTable

_CLOSING_DAYS = 7
_MOST_NAMED = 10
_LATE_VERIFICATION = timedelta(days=2)
_LATE_RECEIPT = timedelta(hours=1)  # six turns of the task that issues them


@LIVE_CHECKS.register("periods", DOCTOR, NEEDS_TABLES)
def check_periods(**options: Any) -> Iterator[CheckMessage]:
    """Look at the filing periods: which are open, until when, and with which deadlines."""
    today = day_hours.today()
    open_now = _open_periods()
    if not open_now:
        coming = FilingPeriod.objects.filter(opens__gt=today).order_by("opens").first()
        if coming:
            yield Debug(f"None is open; {coming} opens on {coming.opens}.")
        else:
            text = "No filing period is open, and none is to open: every upload is refused."
            hint = "Open a filing season in the admin, or with `manage.py open_season`."
            yield Concern(text, hint, id="periods.none")
    for period in open_now:
        yield Debug(
            f"{period} is open until {period.closes}; its deadline is {period.timely_until}."
        )
        if not Institution.objects.filter(activity_year=period.year).exists():
            text = f"The panel of {period.year} is empty."
            yield Error(text, "Import the panel in the admin.", id="periods.empty_panel")
        if difference := Deadline(period.period).difference(period.timely_until):
            hint = "Correct it in the admin, unless it was extended."
            yield Concern(f"{period}: {difference}", hint, id="periods.deadline")
        if today <= period.closes < today + timedelta(days=_CLOSING_DAYS):
            text = f"{period} closes on {period.closes}; late files are refused after that."
            hint = "Extend it in the admin if that is not intended."
            yield Concern(text, hint, id="periods.closing")


@LIVE_CHECKS.register("filing years", DOCTOR, NEEDS_TABLES)
def check_filing_years(**options: Any) -> Iterator[CheckMessage]:
    """Look for periods without a rulebook, and for what was signed in them."""
    if unprepared := years.unprepared_periods():
        yield Error(
            f"No rules are run for files of {', '.join(map(str, unprepared))}: the year is not in "
            "stage filing, or the quarter does not exist. Nothing can be filed in them.",
            "Prepare the year and move it to stage filing: in the admin, or with `manage.py "
            "prepare_year`.",
            id="years.unprepared",
        )
    else:
        yield Debug("Every filing period has a rulebook.")
    if names := _join_names(years.signed_without_rules()):
        yield Concern(
            f"Signed although no edit was run: {names}.",
            "An earlier release allowed it. Prepare the year; then run the edits on each file, an "
            "action in the list of submissions, which has a filter for these.",
            id="years.signed_unchecked",
        )


@LIVE_CHECKS.register("filings", DOCTOR, NEEDS_TABLES)
def check_filings(**options: Any) -> Iterator[CheckMessage]:
    """Look for what is in force although a submission like it can no longer be signed."""
    if names := _join_names(standing.find_signed_out_of_order()):
        yield Concern(
            f"Signed after a later submission of the filing, and in force: {names}.",
            "An earlier release allowed it. Ask each institution whether the right file is in "
            "force; if not, it files again.",
            id="filings.out_of_order",
        )
    else:
        yield Debug("In each filing, the submission signed last has the highest number.")
    if names := _join_names(ownership.find_foreign_filed()):
        text = f"In force although the transmittal sheet names another institution: {names}."
        hint = "An earlier release allowed it. Ask each institution for its own file."
        yield Concern(text, hint, id="filings.foreign")
    else:
        yield Debug("Each file in force names the institution of its filing.")


@LIVE_CHECKS.register("reference", DOCTOR, NEEDS_TABLES)
def check_reference_data(**options: Any) -> Iterator[CheckMessage]:
    """Look for the reference data of the open periods, and of the rate spread calculator."""
    open_years = sorted({period.year for period in _open_periods()})
    if not open_years:
        yield Info("No filing period is open.")
    for year in open_years:
        for kind in (CENSUS, COUNTY_LIMITS):
            yield _check_reference_file(kind, year)
    for table in AporTable.objects.exclude(trouble=""):
        text = f"APOR tables ({table.get_kind_display()}) could not be fetched: {table.trouble}"
        hint = "Check the address, or load them in the admin."
        yield Concern(text, hint, id="reference.apor_trouble")
    for table in apor.annotate_newest_week(AporTable.objects.all()):
        label, newest = table.get_kind_display(), table.newest
        if newest and apor.is_table_old(newest):
            text = f"The newest APOR week ({label}) is that of {newest}."
            hint = "Load newer tables in the admin, or with `manage.py load_apor`."
            yield Concern(text, hint, id="reference.old_apor")
        elif newest:
            yield Debug(f"APOR tables ({label}) are loaded up to the week of {newest}.")


def _check_reference_file(kind: str, year: int) -> CheckMessage:
    file, label = registry.find_active_file(kind, year), REFERENCE_KINDS[kind].label
    if file is None and kind == CENSUS:
        text = f"Not loaded for {year}: {label}. Edits that need it are not checked."
        hint = "Load it in the admin under Reference data."
        return Error(text, hint, id="reference.no_census")
    if file is None:
        text = f"Not loaded for {year}: {label}. Public records have no conforming loan limit."
        hint = "Load the file in the admin under Reference data before the year is published."
        return Concern(text, hint, id="reference.no_limits")
    if file.year != year:
        text = f"For {year} the file of {file.year} is used: {label}."
        hint = "Load the file of the year when it is published."
        return Concern(text, hint, id="reference.other_year")
    return Debug(f"Loaded for {year}: {label} ({file.rows:,} rows).")


@LIVE_CHECKS.register("published", DOCTOR, NEEDS_TABLES)
def check_published(**options: Any) -> Iterator[CheckMessage]:
    """Look at the published data sets: the version of each year, and whether it can be read."""
    names = []
    for each in live_versions.published_data_sets():
        version = each.version
        names.append(version.name + (" (made up)" if version.is_demo else ""))
        file = f"{version.folder}/{SERVING}"
        if version.state != Version.State.BUILT or not default_storage.exists(file):
            text = f"The files of version {version.name} are not in storage."
            hint = f"Roll {each.year} back, or build it again with `manage.py publish {each.year}`."
            yield Error(text, hint, id="published.files")
    yield Debug(f"Published: {', '.join(names)}." if names else "Nothing is published yet.")


@LIVE_CHECKS.register("made-up data", DOCTOR, NEEDS_TABLES)
def check_made_up_data(**options: Any) -> Iterator[CheckMessage]:
    """Look for made-up data in use, which a production site must not have."""
    numbers = made_up.count_made_up()
    text = "; ".join(f"{name}: {number:,}" for name, number in numbers.items())
    if text and settings.SECURE:
        hint = "See what `manage.py remove_demo --dry-run` would do; then run it without --dry-run."
        yield Concern(f"Made up, on a production site. {text}.", hint, id="made_up.in_use")
    else:
        yield Debug(f"For trying out. {text}." if text else "Nothing made up is in use.")


@LIVE_CHECKS.register("audit log", DOCTOR, NEEDS_TABLES)
def check_audit_log(**options: Any) -> Iterator[CheckMessage]:
    """Look at the last verification of the audit log, and where its heads go."""
    last = next(verification.find_checks(), None)
    age = describe_age(seconds_since(last.ended_at)) if last else ""
    if last is None:
        yield Info("The audit log was not verified yet: beat does so every day.")
    elif last.finding_count:
        number = number_of(last.finding_count, "finding")
        text = f"The verification of the audit log {age} ago has {number}: {last.findings[0]}"
        hint = "Read them under Audit log verifications in the admin, and follow docs/evidence.md."
        yield Error(text, hint, id="audit_log.findings")
    else:
        yield CheckMessage(
            WARNING if last.ended_at < timezone.now() - _LATE_VERIFICATION else DEBUG,
            f"The audit log was verified {age} ago: {last.entries:,} entries, no findings.",
            "Look at beat, which verifies it every day.",
            id="audit_log.late",
        )
    if not (settings.AUDIT_HEADS_URL or settings.AUDIT_HEADS_EMAIL):
        yield Info(
            "AUDIT_HEADS_URL and AUDIT_HEADS_EMAIL are not set: heads of the audit log are in "
            "receipts and in the log of the service alone."
        )


@LIVE_CHECKS.register("receipts", DOCTOR, NEEDS_TABLES)
def check_receipts(**options: Any) -> Iterator[CheckMessage]:
    """Check the key that signs receipts; look for signatures whose receipt is not signed."""
    if not settings.SIGNING_ENABLED:
        yield Info("This site takes no signatures.")
        return
    try:
        key = keys.examine_signing_key()
    except keys.NoUsableKey as problem:
        yield Error(
            f"Receipts cannot be signed: {problem}",
            "Filings can be signed meanwhile. Their receipts are signed within 10 minutes after "
            "the key is usable.",
            id="receipts.key",
        )
    else:
        text = f"Key {key.kid} signs receipts; it is from {key.origin}." if key else ""
        yield Debug(text or "The key that signs receipts is made with the first receipt.")
    if (
        late := documents.find_signatures_without_receipt()
        .filter(signed_at__lt=timezone.now() - _LATE_RECEIPT)
        .count()
    ):
        text = f"Signatures without a signed receipt: {late}."
        hint = "Workers issue 1,000 every 10 minutes, or run `manage.py issue_receipts`."
        yield Concern(text, hint, id="receipts.late")


def _join_names(submissions: QuerySet[Submission]) -> str:
    """Return the names of submissions, of many only the first; blank if there is none."""
    number = submissions.count()
    names = ", ".join(map(str, submissions.order_by("pk")[:_MOST_NAMED]))
    return f"{names}, and {number - _MOST_NAMED:,} others" if number > _MOST_NAMED else names


def _open_periods() -> list[FilingPeriod]:
    return list(filings.find_periods_of_today().order_by("year", "quarter"))
