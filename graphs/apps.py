"""The app of the quarterly graphs."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class GraphsConfig(AppConfig):
    name = "graphs"
    verbose_name = "Quarterly graphs"

    def ready(self) -> None:
        from databrowser.publication import signals
        from filing import errands, roles
        from graphs import computing

        # Again after the filing app has done so: the permissions of our tables come only now.
        post_migrate.connect(roles.grant, sender=self)
        errands.register("graphs", computing.run)
        signals.published.connect(_published, dispatch_uid="graphs")
        signals.disclosed.connect(_disclosed, dispatch_uid="graphs")


def _published(year: int, **options: Any) -> None:
    from graphs import computing

    computing.ask(reason=f"Another version of the data set of {year} is public.")


def _disclosed(submission: Any, **options: Any) -> None:
    from graphs import computing

    if submission.period.is_quarterly:
        computing.ask(reason=f"{submission} was signed.", wait_seconds=computing.GATHERED_SECONDS)
