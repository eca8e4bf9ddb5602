"""The page on which a user confirms the sign-in of a program, and where a program begins it."""

from __future__ import annotations

import json
from typing import Any, cast

from django import forms
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import FormView, View
from oauth2_provider.models import get_application_model
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views.mixins import OAuthLibMixin
from oauthlib.oauth2 import DeviceApplicationServer

from config.identity import device_grant
from config.identity.device_grant import WrongCode
from config.identity.views import ProtocolView

_DECISIONS = {"allow": True, "deny": False}


@method_decorator(csrf_exempt, name="dispatch")
class DeviceAuthorization(ProtocolView, OAuthLibMixin, View):
    """Gives a program the code that its user confirms. Source: RFC 8628, section 3.2."""

    server_class = DeviceApplicationServer
    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest) -> HttpResponse:
        """Answer with the codes, or with an error of OAuth."""
        headers, body, status = self.create_device_authorization_response(request)
        content = json.loads(body) if isinstance(body, str) else body
        if status == 200:
            client_id = request.POST["client_id"]
            client = get_application_model().objects.get(client_id=client_id)
            if client.authorization_grant_type != device_grant.GRANT:
                content, status = {"error": "unauthorized_client"}, 400
            else:
                device_grant.begin(client_id, content)
        headers = {**headers, "Cache-Control": "no-store"}
        return JsonResponse(content, status=status, headers=headers)


class CodeForm(forms.Form):
    """The code that the program shows."""

    user_code = forms.CharField(
        label="Code",
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


@method_decorator(never_cache, name="dispatch")
class Device(LoginRequiredMixin, FormView):
    """Asks for the code, says which program waits for it, and asks for a decision."""

    login_url = reverse_lazy("identity:login")  # the provider's own, not where the site signs in
    template_name = "identity/device.html"
    form_class = CodeForm

    def get_initial(self) -> dict[str, Any]:
        return {"user_code": self.request.GET.get("user_code", "")[:20]}

    def form_valid(self, form: CodeForm) -> HttpResponse:
        """Show the program that waits, or store the decision."""
        user = cast(User, self.request.user)
        try:
            grant = device_grant.waiting(form.cleaned_data["user_code"], user=user)
            decision = _DECISIONS.get(self.request.POST.get("decision", ""))
            if decision is None:
                return render(self.request, "identity/device_confirm.html", _about(grant))
            if not device_grant.decide(grant, allowed=decision, user=user):
                raise WrongCode("This code was used already.")
        except WrongCode as reason:
            form.add_error("user_code", str(reason))
            return self.form_invalid(form)
        return render(self.request, "identity/device_done.html", {"allowed": decision})


def _about(grant: Any) -> dict[str, Any]:
    client = get_application_model().objects.filter(client_id=grant.client_id).first()
    texts = oauth2_settings.SCOPES
    return {
        "code": grant.user_code,
        "name": client.name if client else grant.client_id,
        "scopes": [texts.get(scope, scope) for scope in grant.scope.split()],
    }
