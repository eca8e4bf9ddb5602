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

        # To compute the graphs anew, and to say which version is shown.
        roles.register(self, operator=("add_computation",))
        kinds.register(Kind(computing.KIND, computing.run))
        signals.published.connect(_published, dispatch_uid="graphs")
        signals.disclosed.connect(_disclosed, dispatch_uid="graphs")


def _published(year: int, **options: Any) -> None:
    from graphs import computing

    computing.ask(reason=f"Another version of the data set of {year} is public.")


def _disclosed(submission: Any, **options: Any) -> None:
    from graphs import computing

    if submission.period.is_quarterly:
        computing.ask(reason=f"{submission} was signed.", wait_seconds=computing.GATHERED_SECONDS)
