"""End the sessions whose key and data are in the table as they are in the cookie."""

from typing import Any

from django.db import migrations


def end_sessions(apps: Any, schema_editor: Any) -> None:
    """Delete them: no one finds them by the hash of their key, and their data hold tokens."""
    apps.get_model("sessions", "Session").objects.all().delete()


class Migration(migrations.Migration):
    """Everyone signs in once after the upgrade."""

    dependencies = [
        ("filing", "0018_institution_events"),
        ("sessions", "0001_initial"),
    ]

    operations = [migrations.RunPython(end_sessions, migrations.RunPython.noop)]
