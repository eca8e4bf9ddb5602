"""The web service as ASGI."""

import os
from importlib import import_module

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_asgi_application()
# Loads all pages now, once for all processes, and not at the first request.
import_module(settings.ROOT_URLCONF)
