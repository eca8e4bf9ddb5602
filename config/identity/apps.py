"""The identity app: bearer tokens and the embedded provider."""

from django.apps import AppConfig, apps


class IdentityConfig(AppConfig):
    name = "config.identity"
    label = "identity"
    verbose_name = "Identity"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from config.identity import accounts, device_grant, session_end
        from filing import registries
        from filing.emails import requested
        from filing.people import roles

        registries.register_audit_events(device_grant.DeviceEvent)
        registries.register_email_kinds({"sign-up": "sign-up", "password": "new password"})
        requested.register_email_writer("sign-up", accounts.sign_up_email)
        requested.register_email_writer("password", accounts.new_password_email)
        user_logged_in.connect(session_end.begin_at_sign_in, dispatch_uid="session end")
        # The clients of the embedded provider, and the tokens of their users.
        clients = apps.get_app_config("oauth2_provider")
        roles.register_rights(clients, help_desk=(), administrator=roles.ANYTHING)
