"""The web service as WSGI."""

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
# With all pages now, once for all processes, and not when the first one is asked for.
import_module(settings.ROOT_URLCONF)
