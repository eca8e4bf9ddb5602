"""The app of upkeep: its jobs, after those of filing, and the pages of its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from filing.registries import Lease


class UpkeepConfig(AppConfig):
    name = "config.upkeep"
    verbose_name = "Upkeep"

    def ready(self) -> None:
        from config.upkeep import LABELS
        from filing import registries
        from filing.registries import JobKind, RetryPolicy

        # Each is tried once: staff look at the result.
        registries.register_job_kinds(
            *(
                JobKind(name, _run_task, RetryPolicy(attempts=1), label=label)
                for name, label in LABELS.items()
            )
        )


def _run_task(lease: Lease) -> None:
    """Run a task of operators. What it needs is loaded here: few workers need it."""
    from config.upkeep import tasks

    tasks.run_task(lease)
