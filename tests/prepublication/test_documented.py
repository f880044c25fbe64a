"""The form and the view of the guide, as they stand there."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.views.generic import CreateView

from tests.services import ROOT
from tests.testapp.models import Ad


def test_the_view_of_the_guide_shows_its_form(rf):
    page = (ROOT / "docs" / "guide" / "publishing.md").read_text(encoding="utf-8")
    names = {"Ad": Ad, "CreateView": CreateView, "messages": messages}
    exec(page.partition("```python\n")[2].partition("```")[0].replace(', "price"', ""), names)
    request = rf.get("/")
    request.user = AnonymousUser()
    answer = names["AdCreate"].as_view()(request)
    assert answer.template_name == ["testapp/ad_form.html"]
    assert "title" in answer.context_data["form"].fields
