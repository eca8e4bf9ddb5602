"""Every metric, with its labels and what it tells. Nothing else is exposed.

Labels have few values, all known from our tables: never an LEI, an address, an email, a file name
or anything that was filed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)


class MetricKind(Enum):
    """How the values of a metric behave."""

    COUNTER = "counter"  # only grows; begins at 0 again when its processes start
    DAY_COUNTER = "counter, from midnight UTC"  # the same on every machine
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    DAY_HISTOGRAM = "histogram, from midnight UTC"


_FORMS: dict[MetricKind, type[Any]] = {
    MetricKind.COUNTER: CounterMetricFamily,
    MetricKind.DAY_COUNTER: CounterMetricFamily,
    MetricKind.GAUGE: GaugeMetricFamily,
    MetricKind.HISTOGRAM: HistogramMetricFamily,
    MetricKind.DAY_HISTOGRAM: HistogramMetricFamily,
}
COUNTERS = (MetricKind.COUNTER, MetricKind.DAY_COUNTER)
HISTOGRAMS = (MetricKind.HISTOGRAM, MetricKind.DAY_HISTOGRAM)


@dataclass(frozen=True)
class Metric:
    """A metric: its name as in queries, its labels, and its text.

    Units: buckets in seconds, ascending; the last one, without an end, is left out.
    """

    name: str
    kind: MetricKind
    text: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()

    def family(self, value: float | None = None) -> Any:
        """Return the metric as the library has it: with its value, or to add values by label."""
        form = _FORMS[self.kind]
        if value is not None:
            return form(self.name, self.text, value=value)
        return form(self.name, self.text, labels=self.labels)

    @property
    def series(self) -> tuple[str, ...]:
        """The names that queries use."""
        if self.kind in HISTOGRAMS:
            return tuple(f"{self.name}_{part}" for part in ("bucket", "count", "sum"))
        return (self.name,)


# Of the web processes of one server.
REQUESTS = Metric(
    "hmda_requests_total",
    MetricKind.COUNTER,
    "Requests answered. 5xx: unexpected errors; 503: outages, and queries over the limit.",
    ("area", "method", "status"),
)
REQUEST_SECONDS = Metric(
    "hmda_request_seconds",
    MetricKind.HISTOGRAM,
    "Seconds until an answer begins; a download then takes as long as its reader.",
    ("area", "method"),
    (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
CACHE_REQUESTS = Metric(
    "hmda_cache_requests_total",
    MetricKind.COUNTER,
    "Values read from the cache. result: hit, miss, or away if the cache did not answer.",
    ("cache", "result"),
)
SCANS = Metric(
    "hmda_virus_scans_total",
    MetricKind.COUNTER,
    "Uploads that were scanned for viruses. result: clean, infected, or not_scanned if the scanner "
    "gave no verdict. Those of workers are not counted: see hmda_infected_uploads_total.",
    ("result",),
)

# Of the machine and the code.
BUILD = Metric(
    "hmda_build_info", MetricKind.GAUGE, "1, with the version of the service.", ("version",)
)
DATA_FREE = Metric("hmda_data_free_bytes", MetricKind.GAUGE, "Free space on the disk of DATA_DIR.")
DATA_SIZE = Metric("hmda_data_size_bytes", MetricKind.GAUGE, "Size of the disk of DATA_DIR.")
READY = Metric(
    "hmda_ready", MetricKind.GAUGE, "1 while a part works: the parts of /readyz.", ("part",)
)
DATABASE_UP = Metric(
    "hmda_database_up",
    MetricKind.GAUGE,
    "1 if the database was read for this answer. At 0 all metrics of the database are missing.",
)

# Of the database: the same from every web process.
READ_SECONDS = Metric(
    "hmda_database_read_seconds",
    MetricKind.GAUGE,
    "Seconds that it took to read all the following.",
)
JOBS = Metric(
    "hmda_jobs",
    MetricKind.GAUGE,
    "Unfinished and failed jobs. state: due, later (waits for its time or to be retried), running, "
    "abandoned (its worker is gone) or failed.",
    ("queue", "stage", "state"),
)
QUEUE_OLDEST = Metric(
    "hmda_queue_oldest_seconds",
    MetricKind.GAUGE,
    "Seconds for which the oldest job that could run has waited; 0 if none waits.",
    ("queue",),
)
LAST_ATTEMPT = Metric(
    "hmda_last_attempt_timestamp_seconds",
    MetricKind.GAUGE,
    "When the last attempt at any job ended.",
)
ATTEMPTS = Metric(
    "hmda_attempts_total",
    MetricKind.DAY_COUNTER,
    "Attempts at jobs that ended. outcome: done, released (to be retried), failed (for good), "
    "refused (by a fault of the sender, or stopped by staff) or lost (the lease ran out).",
    ("stage", "outcome"),
)
FAILURES = Metric(
    "hmda_attempt_failures_total",
    MetricKind.DAY_COUNTER,
    "Attempts that did not succeed, by the class of their error.",
    ("stage", "cause"),
)
STAGE_SECONDS = Metric(
    "hmda_stage_seconds",
    MetricKind.DAY_HISTOGRAM,
    "Seconds that successful attempts took.",
    ("stage",),
    (0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800),
)
SUBMISSIONS = Metric(
    "hmda_submissions",
    MetricKind.GAUGE,
    "Submissions by the code of their status, without those of test institutions.",
    ("status",),
)
SUBMISSION_EVENTS = Metric(
    "hmda_submission_events_total",
    MetricKind.DAY_COUNTER,
    "Events in the history of submissions: signed, failed, upload_finished and so on.",
    ("event",),
)
EMAILS = Metric(
    "hmda_emails",
    MetricKind.GAUGE,
    "Emails that were not sent. state: waiting or failed.",
    ("state",),
)
EMAILS_OLDEST = Metric(
    "hmda_emails_oldest_seconds",
    MetricKind.GAUGE,
    "Seconds for which the oldest unsent email has waited; 0 if none waits.",
)
PUBLISHED = Metric(
    "hmda_published_timestamp_seconds",
    MetricKind.GAUGE,
    "When the public version of the data set of a year was published.",
    ("year",),
)
INFECTED = Metric(
    "hmda_infected_uploads_total",
    MetricKind.DAY_COUNTER,
    "Uploads that the virus scan refused, from the audit log.",
)
AUDIT_FINDINGS = Metric(
    "hmda_audit_log_findings",
    MetricKind.GAUGE,
    "Findings of the last verification of the audit log.",
)
AUDIT_AGE = Metric(
    "hmda_audit_log_age_seconds",
    MetricKind.GAUGE,
    "Seconds since the last verification of the audit log ended; 0 if there was none.",
)

OF_PROCESSES = (REQUESTS, REQUEST_SECONDS, CACHE_REQUESTS, SCANS)
OF_MACHINE = (BUILD, DATA_FREE, DATA_SIZE, READY, DATABASE_UP)
OF_DATABASE = (
    READ_SECONDS,
    JOBS,
    QUEUE_OLDEST,
    LAST_ATTEMPT,
    ATTEMPTS,
    FAILURES,
    STAGE_SECONDS,
    SUBMISSIONS,
    SUBMISSION_EVENTS,
    EMAILS,
    EMAILS_OLDEST,
    PUBLISHED,
    INFECTED,
    AUDIT_FINDINGS,
    AUDIT_AGE,
)
METRICS = (*OF_PROCESSES, *OF_MACHINE, *OF_DATABASE)


def metrics_as_markdown() -> str:
    """Return all metrics as a document."""
    parts = (
        ("Of web processes, added up for one server", OF_PROCESSES),
        ("Of the machine and the code", OF_MACHINE),
        ("Of the database, the same from every machine", OF_DATABASE),
    )
    head = "| Name | Kind | Labels | Tells |\n|---|---|---|---|\n"
    tables = (f"## {title}\n\n{head}{''.join(map(_row, metrics))}" for title, metrics in parts)
    return "# Metrics\n\nWhat `/metrics` exposes. How to switch it on: [Run the site]" + (
        "(../operators/site.md#metrics).\n\n" + "\n".join(tables)
    )


def _row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"| `{metric.name}` | {metric.kind.value} | {labels} | {metric.text} |\n"
