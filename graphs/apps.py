"""The app of the quarterly graphs."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class GraphsConfig(AppConfig):
    name = "graphs"
    verbose_name = "Quarterly graphs"

    def ready(self) -> None:
        from databrowser.publication import signals
        from filing.people import roles
        from filing.registries import kinds
        from filing.registries.kinds import Kind
        from graphs import computing

        # The right to compute the graphs, and to choose the version shown.
        roles.register(self, operator=("add_computation",))
        kinds.register(Kind(computing.KIND, computing.run))
        signals.published.connect(_published, dispatch_uid="graphs")
        signals.disclosed.connect(_disclosed, dispatch_uid="graphs")


def _published(year: int, **options: Any) -> None:
    from graphs import computing

    computing.request(reason=f"The published data set of {year} changed.")


def _disclosed(submission: Any, **options: Any) -> None:
    from graphs import computing

    if submission.period.is_quarterly:
        computing.request(
            reason=f"{submission} was signed.", wait_seconds=computing.GATHERING_SECONDS
        )
