"""The rate spread app."""

from django.apps import AppConfig


class RateSpreadConfig(AppConfig):
    name = "ratespread"
    verbose_name = "Rate spread"

    def ready(self) -> None:
        from filing.people import roles

        roles.register_rights(self, operator=("add_aporload",))
