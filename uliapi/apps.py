"""The check-digit app."""

from django.apps import AppConfig


class UliApiConfig(AppConfig):
    name = "uliapi"
    verbose_name = "Check digit"
