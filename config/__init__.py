"""The assembly: settings, addresses, error answers, identity. Knows all apps, is known by none."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
