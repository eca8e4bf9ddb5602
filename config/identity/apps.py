"""The identity app: bearer tokens and the embedded provider."""

from django.apps import AppConfig, apps


class IdentityConfig(AppConfig):
    name = "config.identity"
    label = "identity"
    verbose_name = "Identity"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from config.identity import device_grant, emails, session_end
        from filing.emails import requested
        from filing.people import roles
        from filing.registries import emails as kinds
        from filing.registries import events

        events.register(device_grant.DeviceEvent)
        kinds.register({"sign-up": "sign-up", "password": "new password"})
        requested.register("sign-up", emails.sign_up)
        requested.register("password", emails.new_password)
        user_logged_in.connect(session_end.begin_at_sign_in, dispatch_uid="session end")
        # The clients of the embedded provider, and the tokens of their users.
        clients = apps.get_app_config("oauth2_provider")
        roles.register(clients, help_desk=(), administrator=roles.ANYTHING)
