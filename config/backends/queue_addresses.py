"""Addresses of the message queue. They are read by every process, and its library by few."""

from __future__ import annotations

FOLDER_SCHEME = "folder"


def is_folder_queue(broker_url: str) -> bool:
    """Tell whether a broker address, as Celery has it, is a folder of this machine."""
    return broker_url.startswith(f"{FOLDER_SCHEME}:")
