"""Whether the file of each signature is in storage, and is the one that was signed."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.storage import default_storage

from config.backups import targets
from filing.models import Signature


def find_problems() -> tuple[int, list[str]]:
    """Return the number of signatures, and what is wrong with the files of some.

    It reads every signed file.
    """
    signatures = Signature.objects.select_related("submission").order_by("pk")
    count, wrong = 0, []
    for signature in signatures.iterator(chunk_size=2000):
        count += 1
        path = signature.submission.raw_file
        try:
            with default_storage.open(path) as file:
                _, sha256 = targets.digest(file)
        except (OSError, ValueError, BotoCoreError, ClientError) as error:
            wrong.append(f"{signature.receipt}: {path or 'its file'} cannot be read: {error}")
            continue
        if sha256 != signature.sha256:
            wrong.append(f"{signature.receipt}: {path} is not the file that was signed.")
    return count, wrong
