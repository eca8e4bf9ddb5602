"""Pages of the embedded provider whose forms lead to a client, and the policy that allows it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.views.generic import View
from oauth2_provider.models import get_application_model

from config.pages import browser_policy
from filing.models.storable import is_storable


class LeadsToClient(View):
    """Allows the forms of a page to redirect back to the client."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with the client's address in the content policy, if the client registered it."""
        response = super().dispatch(request, *args, **kwargs)
        browser_policy.allow_forms_to(response, way_back(request))
        return response


def way_back(request: HttpRequest) -> list[str]:
    """Return the addresses to which a client asks to send the visitor back, if it may.

    It asks in the address of this page, or of the page that follows the sign-in.
    """
    try:
        next_query = QueryDict(urlsplit(request.GET.get("next", "")).query)
    except ValueError:  # `next` is not an address
        return []
    parameters = {**next_query.dict(), **request.GET.dict()}
    client_id = parameters.get("client_id", "")
    if not is_storable(client_id):  # in `next` it is encoded twice
        return []
    client = get_application_model().objects.filter(client_id=client_id).first()
    if client is None:
        return []
    signed_in, signed_out = (
        parameters.get("redirect_uri"),
        parameters.get("post_logout_redirect_uri"),
    )
    return [
        *([signed_in] if signed_in and client.redirect_uri_allowed(signed_in) else []),
        *(
            [signed_out]
            if signed_out and client.post_logout_redirect_uri_allowed(signed_out)
            else []
        ),
    ]
