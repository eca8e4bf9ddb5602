"""The events of publication in the audit log."""

from __future__ import annotations

from enum import StrEnum


class PublicationEvent(StrEnum):
    """Events of imported public files and of data sets."""

    PUBLIC_FILE_IMPORTED = "public file imported"
    PUBLIC_FILE_LEFT_OUT = "public file left out"
    PUBLIC_FILE_TAKEN_IN = "public file taken in again"
    DATA_SET_PUBLISHED = "data set published"
    DATA_SET_ROLLED_BACK = "data set rolled back"
    DATA_SET_WITHDRAWN = "data set withdrawn"
