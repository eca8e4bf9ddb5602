"""The settings of a service in which some files end their worker."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.resilience.poison.PoisonConfig"]
