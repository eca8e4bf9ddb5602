"""Pages of the embedded provider whose forms end at a client: its address is let through."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.views.generic import View
from oauth2_provider.models import get_application_model

from config import policy
from filing.models.storable import is_storable


class LeadsToClient(View):
    """Lets the forms of a page redirect to where the client wants its visitor back."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer, with the client's address in the content policy if it has registered that."""
        response = super().dispatch(request, *args, **kwargs)
        policy.allow_forms_to(response, way_back(request))
        return response


def way_back(request: HttpRequest) -> list[str]:
    """Return where a client has asked to get its visitor back, if it may.

    It asks in the address of the page itself, or in that which follows after the sign-in.
    """
    try:
        later = QueryDict(urlsplit(request.GET.get("next", "")).query)
    except ValueError:  # what follows is no address
        return []
    asked = {**later.dict(), **request.GET.dict()}
    client_id = asked.get("client_id", "")
    if not is_storable(client_id):  # in `next` it is encoded twice
        return []
    client = get_application_model().objects.filter(client_id=client_id).first()
    if client is None:
        return []
    signed_in, signed_out = asked.get("redirect_uri"), asked.get("post_logout_redirect_uri")
    return [
        *([signed_in] if signed_in and client.redirect_uri_allowed(signed_in) else []),
        *(
            [signed_out]
            if signed_out and client.post_logout_redirect_uri_allowed(signed_out)
            else []
        ),
    ]
