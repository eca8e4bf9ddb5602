"""The admin as an app, with the site of this service in place of Django's own."""

from django.contrib.admin.apps import AdminConfig


class OperationsConfig(AdminConfig):
    """`admin.site` is then ours for all who register their tables there, ours and others'."""

    default_site = "config.operations.OperationsSite"
