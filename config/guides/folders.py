"""Where the documents are."""

from __future__ import annotations

from django.conf import settings

DOCUMENTS = settings.BASE_DIR / "docs"
PICTURES = "pictures"
