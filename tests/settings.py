"""The settings of the tests: those of the service, in a data directory that goes away."""

import atexit
import os
import shutil
import tempfile

from tests.redis_databases import take_own_database

# As workers have it: there are as many processes as cores, so more threads only get in the way.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
# One for each process of the tests: a parallel one inherits the environment of the first.
if "DATA_DIR" not in os.environ or "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["DATA_DIR"] = tempfile.mkdtemp(prefix="hmda-tests-")
    atexit.register(shutil.rmtree, os.environ["DATA_DIR"], ignore_errors=True)

if "PYTEST_XDIST_WORKER" in os.environ:
    take_own_database()

from config.settings import *  # noqa: F403
from config.settings import DATA_DIR, DATABASES, INSTALLED_APPS, LIMITS

# SQLite in a file, as the service has it: in memory it would have no write-ahead log.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "tests.sqlite3")}
# Its command `flush` comes before that of Django.
INSTALLED_APPS = ["tests.emptying", *INSTALLED_APPS]
# Tests ask faster than people do; those of the limits set their own.
LIMITS = dict.fromkeys(LIMITS)
# Most institutions of the tests have LEIs that one can read; tests of the check digits set this.
TEST_LEIS = True
# Else each client of a test would look through all static files before its first request.
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
