"""An empty storage of reference files."""

import pytest


@pytest.fixture(autouse=True)
def files(settings, tmp_path):
    """Give each test a storage of its own."""
    folder = tmp_path / "files"
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(folder)},
        },
    }
    return folder
