"""The virus scanner: whether it answers, knows how old its signatures are, and finds something."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from django.conf import settings

from config.doctor.findings import Finding, Options, error, fine, left_out, warning
from filing.scanning import clamd

_SECONDS = 10
_OLD = timedelta(days=7)
# In two parts: in one, a scanner would take this file for what every scanner is tested with.
EICAR = (r"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD" + "-ANTIVIRUS-TEST-FILE!$H+H*").encode()


def scanner(options: Options) -> Iterator[Finding]:
    """Ask the scanner for its version, and send it the file that every scanner is tested with."""
    if settings.SCAN_ADDRESS is None:
        yield left_out("SCAN_URL is not set: uploads are not scanned for viruses.")
        return
    try:
        version = clamd.version(settings.SCAN_ADDRESS, seconds=_SECONDS)
        yield _signatures(version)
        test_file = io.BytesIO(EICAR)
        signature = clamd.signature_in(test_file, settings.SCAN_ADDRESS, seconds=_SECONDS)
    except clamd.NoVerdict as reason:
        yield error(
            f"No upload is accepted: {reason}",
            "Start clamd, or correct SCAN_URL. Uploads in parts wait for it; others get 503.",
        )
        return
    if signature:
        yield fine(f"It finds the EICAR test file ({signature}).")
    else:
        yield error(
            "It takes the EICAR test file for clean.", "Load the signatures of ClamAV: freshclam."
        )


def _signatures(version: str) -> Finding:
    """Return a finding about `ClamAV 1.4.3/27800/Tue Nov 24 09:24:27 2026`."""
    program, _, rest = version.partition("/")
    text = f"{program} answers; files of up to {settings.SCAN_LIMIT:,} bytes are scanned."
    try:
        made = datetime.strptime(rest.partition("/")[2], "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    except ValueError:
        return warning(
            f"{text} It does not say how old its signatures are.", "Let freshclam update them."
        )
    if made < datetime.now(UTC) - _OLD:
        return warning(
            f"{text} Its signatures are of {made:%B %-d, %Y}.", "Let freshclam update them."
        )
    return fine(f"{text} Its signatures are of {made:%B %-d, %Y}.")
