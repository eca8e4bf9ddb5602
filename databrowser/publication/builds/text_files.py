"""The text files of older published versions: not stored, and made again when someone requests one.

A version that was published keeps all its files at its permanent address. Its compressed texts take
most of its space and are the same bytes whenever they are made from its Parquet file. So they are
discarded once a later version is published, after they were made again as a test.
"""

from __future__ import annotations

import hashlib
import logging
from collections import deque
from collections.abc import Generator
from contextlib import ExitStack, closing
from datetime import timedelta

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from databrowser.models import Version
from databrowser.publication.builds.version_files import TEXTS, DownloadForm, make_download_pieces
from databrowser.publication.layout import LOANS
from databrowser.publication.serving import shared_engine
from databrowser.publication.versions import live_versions
from databrowser.publication.versions.live_versions import VersionOutcome
from databrowser.publication.versions.retention import KEPT_FOR
from filing import storage
from filing.files.responses import StreamedAnswer

log = logging.getLogger(__name__)

# A test takes a minute or two of a national file, and one that failed will fail again.
_TESTED_AGAIN_AFTER = timedelta(days=7)


class NotAsPublished(Exception):
    """A text file that was made again has other bytes than the one that was published."""


def discard_older_texts() -> int:
    """Discard the text files of older published versions; return of how many versions.

    Each data set keeps those of its newest published version, of the one that is published, and of
    those that were within a day. A version whose files cannot be made again keeps them.
    """
    stored = Version.objects.filter(state=Version.State.BUILT, has_text_files=True)
    years = stored.order_by().values_list("year", flat=True).distinct()
    outcomes = live_versions.find_outcomes(*years)
    newest: dict[tuple[int, str], int] = {}
    for version in (outcome.version for outcome in outcomes):
        data_set = version.year, version.dataset
        newest[data_set] = max(version.number, newest.get(data_set, 0))
    return sum(
        _discard_texts(outcome.version)
        for outcome in outcomes
        if _are_unneeded(outcome)
        and outcome.version.number < newest[outcome.version.year, outcome.version.dataset]
    )


def _are_unneeded(outcome: VersionOutcome) -> bool:
    """Tell whether the texts of a version are stored, and it was replaced a day ago."""
    is_stored = outcome.version.state == Version.State.BUILT and outcome.version.has_text_files
    was_replaced = outcome.replaced and outcome.replaced.at <= timezone.now() - KEPT_FOR
    return bool(is_stored and was_replaced)


def _discard_texts(version: Version) -> bool:
    key = f"databrowser:texts-tested:{version.sha256}"
    if not cache.add(key, True, _TESTED_AGAIN_AFTER.total_seconds()):
        return False
    try:
        for form in TEXTS:
            size = version.manifest["files"][form.file]["bytes"]
            deque(_make_pieces(version, form, 0, size), maxlen=0)
    except NotAsPublished:
        log.warning("The text files of version %s stay: they cannot be made again", version.name)
        return False
    with transaction.atomic():
        Version.objects.filter(pk=version.pk).update(has_text_files=False)
        for form in TEXTS:
            storage.discard_folder(f"{version.folder}/{form.file}")
    log.info("The text files of version %s were discarded", version.name)
    return True


def remake_text_file(
    version: Version, form: DownloadForm, start: int, stop: int
) -> StreamedAnswer[bytes]:
    """Return a part of a text file that is not stored, as it is made again.

    Units: start and stop in bytes.

    Raises: QueriesBusy.
    """
    with ExitStack() as resources:
        resources.enter_context(shared_engine().download_slots.take())
        pieces = resources.enter_context(closing(_make_pieces(version, form, start, stop)))
        return StreamedAnswer(lambda: pieces, resources, name=form.file)


def _make_pieces(
    version: Version, form: DownloadForm, start: int, stop: int
) -> Generator[bytes, None, None]:
    """Yield a part of a text file; what is before it is made as well.

    Raises: NotAsPublished before the last piece of the file.
    """
    facts = version.manifest["files"][form.file]
    digest, position, pending = hashlib.sha256(), 0, b""
    loans = storage.open_local_copy(f"{version.folder}/{LOANS}")
    for (piece,), _ in make_download_pieces(loans, (form,)):
        yield pending
        pending = piece[max(0, start - position) : max(0, stop - position)]
        digest.update(piece)
        position += len(piece)
        if stop <= position < facts["bytes"]:
            yield pending
            return
    if digest.hexdigest() != facts["sha256"]:
        raise NotAsPublished(f"{form.file} of version {version.name} differs when made again.")
    yield pending
