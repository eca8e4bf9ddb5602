"""The table of buckets, for a service without Redis."""

from django.db import models


class Bucket(models.Model):
    """The bucket of one caller: only the time at which it is full again.

    Units: full_at in microseconds since 1970. A bucket whose time has passed can be deleted.
    """

    key = models.CharField(max_length=64, primary_key=True)
    full_at = models.BigIntegerField()  # no index: it changes with each request

    def __str__(self) -> str:
        return self.key
