"""The identity app: bearer tokens and the embedded provider."""

from django.apps import AppConfig, apps


class IdentityConfig(AppConfig):
    name = "config.identity"
    label = "identity"
    verbose_name = "Identity"

    def ready(self) -> None:
        from config.identity import (
            emails,
            openapi,  # noqa: F401 -- the description of bearer tokens registers on import
        )
        from filing import requested_emails, roles

        requested_emails.register("sign-up", emails.sign_up)
        requested_emails.register("password", emails.new_password)
        # The clients of the embedded provider, and who is signed in through them.
        clients = apps.get_app_config("oauth2_provider")
        roles.register(clients, help_desk=(), administrator=roles.ANYTHING)
