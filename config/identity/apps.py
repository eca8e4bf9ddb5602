"""The identity app: bearer tokens and the embedded provider."""

from django.apps import AppConfig


class IdentityConfig(AppConfig):
    name = "config.identity"
    label = "identity"
    verbose_name = "Identity"
