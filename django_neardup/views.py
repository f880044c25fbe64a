"""Views of the public pages."""

from __future__ import annotations

from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from .api.throttling import throttled
from .listing.group import SimilarPageUrls
from .similar_posts import SimilarPosts, find_final_keeper, find_visible_object, visible_querysets
from .similar_posts.template_names import template_names
from .visibility import object_key


@require_safe
@cache_control(private=True)
@throttled("similar-page", spares_crawlers=True)
def similar(request: HttpRequest, label: str, object_id: str) -> HttpResponse:
    """Show the posts that are similar to a post, limited to posts that this visitor may see.

    Visitors who ask more often than THROTTLE allows get status 429, verified crawlers of search engines do not.

    ``label`` is "app.model", ``object_id`` the primary key. The page of a merged post redirects to the page
    of its current keeper. A post that does not exist, is not registered or may not be seen gives the same
    404.
    """
    instance = find_visible_object(request, label, object_id)
    if instance is None:
        # Every reason for a missing page gives one answer, which reveals nothing about hidden posts.
        return _redirect_to_page(find_final_keeper(request, label, object_id))
    similar_posts = SimilarPosts(
        instance, visible_querysets(request, type(instance)), request.GET.get("page", "1")
    )
    response = TemplateResponse(
        request, template_names(type(instance), "similar.html"), {"similar": similar_posts}
    )
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def _redirect_to_page(instance: Model | None) -> HttpResponse:
    url = "" if instance is None else SimilarPageUrls().url_for(object_key(instance))
    if not url:
        raise Http404(_("Page not found."))
    return HttpResponseRedirect(url, headers={"X-Robots-Tag": "noindex"})
