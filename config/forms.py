"""How Django forms are drawn on our pages: `{{ form }}` is all that a template says."""

from django.forms.renderers import TemplatesSetting


class Renderer(TemplatesSetting):
    """Draws a form, or one of its fields, from our own parts; inputs stay Django's."""

    form_template_name = "parts/form.html"
    field_template_name = "parts/field.html"
