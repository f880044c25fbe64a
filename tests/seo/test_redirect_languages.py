"""Mirrored redirects of a site with ``i18n_patterns``: each address leads to the one in its own language."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.conf.urls.i18n import i18n_patterns
from django.contrib.redirects.models import Redirect
from django.http import HttpResponse
from django.urls import path, reverse
from django.utils.translation import override

from django_neardup import moderation
from django_neardup.adapters import adapter_for
from django_neardup.moderation import ActionContext
from django_neardup.signals import document_checked
from tests.grouped_lists import rows
from tests.seo.profiles import with_seo
from tests.testapp.models import Ad

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__), pytest.mark.engine_alike]
urlpatterns = i18n_patterns(
    path("ads/<int:pk>/", lambda request, pk: HttpResponse(), name="ad"), prefix_default_language=False
)


def addresses(adapter, ad):
    found = []
    for code, _name in settings.LANGUAGES:
        with override(code):
            found.append(ad.get_absolute_url())
    return found


def test_each_language_leads_to_its_own_whoever_merges_and_checks(monkeypatch):
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: reverse("ad", args=[ad.pk]))
    monkeypatch.setattr(type(adapter_for(Ad)), "addresses", addresses)
    with with_seo("redirects"):
        loser, keeper = (Ad.objects.create(text="a") for _ in range(2))
        old = loser.pk
        with override("ru"):
            moderation.merge(keeper, [loser], ActionContext())
        table = {f"{prefix}/ads/{old}/": f"{prefix}/ads/{keeper.pk}/" for prefix in ("", "/ru")}
        assert dict(Redirect.objects.values_list("old_path", "new_path")) == table
        document_checked.send(Ad, document=rows.document(keeper), using="default")
        assert dict(Redirect.objects.values_list("old_path", "new_path")) == table
