"""The app of the quarterly graphs."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class GraphsConfig(AppConfig):
    name = "graphs"
    verbose_name = "Quarterly graphs"

    def ready(self) -> None:
        from databrowser.publication import events
        from filing import registries
        from filing.people import roles
        from filing.registries import FollowUp, JobKind
        from graphs import computing

        # The right to compute the graphs, and to choose the version shown.
        roles.register_rights(self, operator=("add_computation",))
        registries.register_job_kinds(JobKind(computing.COMPUTATION_JOB, computing.run_computation))
        registries.register_follow_ups(FollowUp("hmda-analytics", computing.repeat_computation))
        events.version_published.connect(_published, dispatch_uid="graphs")
        events.records_disclosed.connect(_disclosed, dispatch_uid="graphs")


def _published(year: int, **options: Any) -> None:
    from graphs import computing

    computing.request_computation(reason=f"The published data set of {year} changed.")


def _disclosed(submission: Any, **options: Any) -> None:
    from graphs import computing

    if submission.period.is_quarterly:
        computing.request_computation(
            reason=f"{submission} was signed.", wait_seconds=computing.GATHERING_SECONDS
        )
