"""The pages that belong to no API area."""

from django.conf import settings
from django.views.generic import TemplateView


class Home(TemplateView):
    """What this site is, and where its parts are."""

    template_name = "home.html"
    extra_context = {"signing": settings.SIGNING_ENABLED}
