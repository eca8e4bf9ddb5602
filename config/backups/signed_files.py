"""Whether the file of each signature is in storage, and is the one that was signed."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from config.backups import streams
from config.backups.archives import digest
from filing.models import Signature


def problems(alias: str = "default") -> tuple[int, list[str]]:
    """Return the number of signatures, and what is wrong with the files of some.

    It reads every signed file. alias: of the connection that has the signatures.
    """
    signatures = Signature.objects.using(alias).select_related("submission").order_by("pk")
    count, wrong = 0, []
    for signature in signatures.iterator(chunk_size=2000):
        count += 1
        path = signature.submission.raw_file
        try:
            _, sha256 = digest(streams.stored(path))
        except (OSError, ValueError, BotoCoreError, ClientError) as error:
            wrong.append(f"{signature.receipt}: {path or 'its file'} cannot be read: {error}")
            continue
        if sha256 != signature.sha256:
            wrong.append(f"{signature.receipt}: {path} is not the file that was signed.")
    return count, wrong
