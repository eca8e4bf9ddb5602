"""The Celery application of beat, which sends the tasks of the schedule and runs none.

It needs the settings alone. Without the areas that tasks are made of, beat takes a third of the
memory and starts at once.
"""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings
from django.utils.log import configure_logging

from config.backends import folder_queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

folder_queue.register_transport()
app = Celery("hmda", fixups=())
app.config_from_object("django.conf:settings", namespace="CELERY")


@setup_logging.connect
def set_up_logging(**options: Any) -> None:
    """Log as every other process does."""
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
