"""Answers by which a proxy or the storage sends a stored file, in place of a thread of ours.

The view has checked the caller and recorded the download; the answer only names the file. Which way
is taken says the setting `DOWNLOADS`. Where it does not fit, the service sends the file itself.
"""

from __future__ import annotations

from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import content_disposition_header

STREAM, ACCEL, SENDFILE, PRESIGNED = "stream", "x-accel-redirect", "x-sendfile", "presigned"
LOCATION = "/stored-files/"  # in deploy/nginx.conf, which only answers of the service lead to
ADDRESS_SECONDS = 300  # in which a download by a presigned address must begin


def answer(
    request: HttpRequest, stored: str, *, name: str, content_type: str
) -> HttpResponse | None:
    """Return an answer that names a stored file; None if the service must send the file itself.

    stored: its name in storage. name: the name for saving it.
    """
    disposition = content_disposition_header(True, name) or ""
    if settings.DOWNLOADS == PRESIGNED:
        return _redirect(request, stored, disposition, content_type)
    if settings.DOWNLOADS == STREAM or not isinstance(default_storage, FileSystemStorage):
        return None
    response = HttpResponse(content_type=content_type)
    response["Content-Disposition"] = disposition
    if settings.DOWNLOADS == ACCEL:
        response["X-Accel-Redirect"] = LOCATION + quote(stored)
    else:
        response["X-Sendfile"] = quote(default_storage.path(stored))
    return response


def _redirect(
    request: HttpRequest, stored: str, disposition: str, content_type: str
) -> HttpResponse | None:
    """Return a redirect to the bucket.

    Not of a request with a token: many programs would send the token to the bucket as well, which
    must not have it and refuses two signatures. Not of a form: our policy for browsers lets forms
    lead to this site only. The address is signed for GET alone.
    """
    if isinstance(default_storage, FileSystemStorage):
        return None
    if request.method != "GET" or "Authorization" in request.headers:
        return None
    parameters = {
        "ResponseContentDisposition": disposition,
        "ResponseContentType": content_type,
    }
    response = HttpResponseRedirect(
        default_storage.url(stored, parameters=parameters, expire=ADDRESS_SECONDS)  # type: ignore[call-arg]
    )
    response["Cache-Control"] = "no-store"  # the address expires
    return response
