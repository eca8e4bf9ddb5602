"""The public verification app."""

from django.apps import AppConfig


class PublicApiConfig(AppConfig):
    name = "publicapi"
    verbose_name = "Public verification"
