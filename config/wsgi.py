"""The web service as WSGI."""

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
# Loads all pages now, once for all processes, and not at the first request.
import_module(settings.ROOT_URLCONF)
