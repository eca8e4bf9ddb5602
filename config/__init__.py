"""The assembly: settings, addresses, errors, identity. It imports all apps; none imports it."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
