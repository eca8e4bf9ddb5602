"""The admin as an app, with the site of this service in place of Django's."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class OperationsConfig(SimpleAdminConfig):
    """Makes `admin.site` the site of this service, also for tables of libraries.

    Tables register when the URLs are loaded: workers and commands show no pages, and would start a
    third slower.
    """

    default_site = "config.operations.site.OperationsSite"

    def ready(self) -> None:
        """Check the tables as Django does, once they are registered."""
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(_check_tables, checks.Tags.admin)


def _check_tables(
    app_configs: Sequence[AppConfig] | None, **options: Any
) -> list[checks.CheckMessage]:
    import_module(settings.ROOT_URLCONF)
    return list(check_admin_app(app_configs, **options))
