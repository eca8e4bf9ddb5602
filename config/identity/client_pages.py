"""Pages of the embedded provider whose forms end at a client: its address is let through."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.views.generic import View
from oauth2_provider.models import get_application_model

from config import policy


class LeadsToClient(View):
    """Lets the forms of a page redirect to the client that has sent the visitor here."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer, with the client's registered addresses in the content policy."""
        response = super().dispatch(request, *args, **kwargs)
        if addresses := registered(asking(request)):
            policy.allow_forms_to(response, addresses)
        return response


def asking(request: HttpRequest) -> str:
    """Return the id of the client that asks: in the address itself, or in the one to go on to."""
    later = QueryDict(urlsplit(request.GET.get("next", "")).query)
    return request.GET.get("client_id") or later.get("client_id") or ""


def registered(client_id: str) -> list[str]:
    """Return where a client may send visitors after they signed in or out."""
    clients = get_application_model().objects.filter(client_id=client_id)
    return [
        address
        for client in clients
        for address in f"{client.redirect_uris} {client.post_logout_redirect_uris}".split()
    ]
