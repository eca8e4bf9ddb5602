"""Django's own command, permitted to empty the tables whose rows are never deleted."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import flush
from django.db import connections
from django.db.models import QuerySet

from filing.models import RemovalPermit, append_only


class Command(flush.Command):
    def handle(self, **options: Any) -> None:
        using = options["database"]
        guarded = append_only.guarded_models()
        with append_only.permit_removal(*guarded, using=using):
            # SQLite empties one table after the other, that of the permits among them.
            if connections[using].vendor == "sqlite":
                for model in guarded:
                    QuerySet(model, using=using)._raw_delete(using)
            super().handle(**options)
        RemovalPermit.objects.using(using).all().delete()
