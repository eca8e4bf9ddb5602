"""The filing app."""

from django.apps import AppConfig


class FilingConfig(AppConfig):
    name = "filing"
    verbose_name = "Filing"
