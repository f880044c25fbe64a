"""Public pages."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from .similar import Similar, find, visible_to
from .templating import template_names


@require_safe
@cache_control(private=True)
def similar(request: HttpRequest, label: str, object_id: str) -> TemplateResponse:
    """The posts that say the same as that one, as far as this visitor may see them.

    ``label`` is "app.model", ``object_id`` the primary key. What does not exist, is not registered or may not
    be seen gives one and the same 404.
    """
    instance = find(request, label, object_id)
    if instance is None:
        raise Http404(_("There is no such page."))
    found = Similar(instance, visible_to(request, type(instance)), request.GET.get("page", "1"))
    response = TemplateResponse(request, template_names(type(instance), "similar.html"), {"similar": found})
    response.headers["X-Robots-Tag"] = "noindex"
    return response
