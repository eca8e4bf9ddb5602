"""Renders Django forms from our own components, so that a template only says `{{ form }}`."""

from django.forms.renderers import TemplatesSetting


class Renderer(TemplatesSetting):
    """Renders a form or one of its fields; inputs stay Django's."""

    form_template_name = "components/form.html"
    field_template_name = "components/field.html"
