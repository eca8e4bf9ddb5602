"""The pages that belong to no API area."""

from django.views.generic import TemplateView


class Home(TemplateView):
    """What each group of visitors can do here."""

    template_name = "home.html"


class Help(TemplateView):
    """How to file in short steps, how to get access, and whom to ask."""

    template_name = "help.html"
