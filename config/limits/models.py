"""The table of buckets, for a service without Redis."""

from django.db import models


class Bucket(models.Model):
    """The bucket of one caller: nothing but the moment at which it is full again.

    Units: full_at in microseconds since 1970. A bucket whose moment has passed says nothing.
    """

    key = models.CharField(max_length=64, primary_key=True)
    full_at = models.BigIntegerField()  # no index: it changes with each request

    def __str__(self) -> str:
        return self.key
