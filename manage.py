#!/usr/bin/env python3
"""Runs a command of the service."""

import gc
import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    gc.disable()  # nothing of what is loaded first is ever garbage
    import django
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        if settings.CHECKING_COMMANDS.intersection(sys.argv[1:2]):
            settings.INSTALLED_APPS = settings.APPS_OF_CHECKS
        django.setup()
        gc.freeze()
        gc.enable()
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:  # its message says what to enter
        sys.exit(f"The settings cannot be used: {error}")
