"""The limits as an app: their table."""

from django.apps import AppConfig


class LimitsConfig(AppConfig):
    name = "config.limits"
    verbose_name = "Limits"
