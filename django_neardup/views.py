"""Public pages."""

from __future__ import annotations

from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from .grouping import Addresses
from .similar import Similar, find, merged_into, visible_to
from .templating import template_names
from .visible import key_of


@require_safe
@cache_control(private=True)
def similar(request: HttpRequest, label: str, object_id: str) -> HttpResponse:
    """The posts that say the same as that one, as far as this visitor may see them.

    ``label`` is "app.model", ``object_id`` the primary key. That of a merged post leads to the page of the post that it
    is part of now. What does not exist, is not registered or may not be seen gives one and the same 404.
    """
    instance = find(request, label, object_id)
    if instance is None:
        return _moved(merged_into(request, label, object_id))
    found = Similar(instance, visible_to(request, type(instance)), request.GET.get("page", "1"))
    response = TemplateResponse(request, template_names(type(instance), "similar.html"), {"similar": found})
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def _moved(instance: Model | None) -> HttpResponse:
    url = "" if instance is None else Addresses().of(key_of(instance))
    if not url:
        raise Http404(_("There is no such page."))
    return HttpResponseRedirect(url, headers={"X-Robots-Tag": "noindex"})
