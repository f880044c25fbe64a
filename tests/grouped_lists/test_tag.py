"""``{% neardup_group %}``: thin over ``group()``, and clear where it is misused."""

import pytest
from django.template import Context, Template, TemplateSyntaxError

from tests.grouped_lists import rows
from tests.testapp.models import Ad

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.grouped_lists.urls")]

PAGE = (
    "{% load neardup %}{% neardup_group page_obj visible_ads as groups %}"
    "{% for group in groups %}[{{ group.object }}|{{ group.count }}]"
    '{% include "neardup/more.html" %}{% endfor %}'
)


def render(template, **context):
    return Template(template).render(Context(context))


def posts(count):
    made = [Ad.objects.create(title=f"<b>{number}</b>", text="a") for number in range(count)]
    rows.cluster(*made)
    return made


def test_groups_with_a_link():
    one, *_ = made = posts(3)
    html = render(PAGE, page_obj=made, visible_ads=Ad.objects.all())
    assert html.startswith("[&lt;b&gt;0&lt;/b&gt;|2]")
    assert f'<a href="/similar/testapp.ad/{one.pk}/" rel="nofollow">+ 2 similar</a>' in html
    assert html.count("[") == 1


def test_alone_gets_no_line():
    one, _ = posts(2)
    html = render(PAGE, page_obj=[one], visible_ads=Ad.objects.filter(pk=one.pk))
    assert html.strip() == "[&lt;b&gt;0&lt;/b&gt;|0]"


@pytest.mark.urls("tests.grouped_lists.no_urls")
def test_without_urls_the_line_has_no_link():
    html = render(PAGE, page_obj=posts(2), visible_ads=Ad.objects.all())
    assert "<a" not in html
    assert "+ 1 similar" in html


def test_bytes_are_the_same_with_and_without_a_private_twin():
    made = posts(3)
    Ad.objects.filter(pk=made[2].pk).update(published=False)
    visible = Ad.objects.filter(published=True)
    with_twin = render(PAGE, page_obj=Ad.objects.order_by("pk"), visible_ads=visible)
    rows.document(made[2]).memberships.get().delete()
    made[2].delete()
    assert render(PAGE, page_obj=Ad.objects.order_by("pk"), visible_ads=visible) == with_twin


@pytest.mark.parametrize(
    "tag",
    ["neardup_group page_obj", "neardup_group page_obj visible_ads", "neardup_group a b as", "neardup_group"],
)
def test_misuse_is_told_when_the_template_is_read(tag):
    with pytest.raises(TemplateSyntaxError, match="neardup_group page_obj visible_ads as groups"):
        Template("{% load neardup %}{% " + tag + " %}")


@pytest.mark.parametrize(
    ("context", "says"),
    [
        ({"visible_ads": Ad.objects.none()}, "the variable page_obj is not in the context"),
        ({"page_obj": []}, "not nothing"),
        ({"page_obj": [], "visible_ads": Ad.objects}, "not Manager"),
        ({"page_obj": [{"pk": 1}], "visible_ads": Ad.objects.none()}, "model instances"),
    ],
)
def test_wrong_arguments_say_what_to_do(context, says):
    with pytest.raises(TemplateSyntaxError, match=says) as caught:
        render(PAGE, **context)
    assert "as groups" in str(caught.value)


@pytest.mark.parametrize("text", ["a b c d", Ad(text="a b c d")], ids=["text", "post"])
def test_uniqueness_is_never_told_of_more_than_the_page_says(text):
    with pytest.raises(TemplateSyntaxError, match="not nothing"):
        render("{% load neardup %}{% neardup_uniqueness ad typo %}", ad=text)


UNIQUENESS = "{% load neardup %}{% neardup_uniqueness ad.text visible_ads %}"


def test_a_text_that_is_none_is_wholly_its_own():
    assert render(UNIQUENESS, ad=Ad(text=None), visible_ads=Ad.objects.all()) == "100"
    with pytest.raises(TemplateSyntaxError, match=r"the variable ad\.text is not in the context"):
        render(UNIQUENESS, visible_ads=Ad.objects.all())
    with pytest.raises(TemplateSyntaxError, match="the variable page_obj is not in the context"):
        render(PAGE, page_obj=None, visible_ads=Ad.objects.all())


def test_a_fault_of_the_site_is_not_disguised():
    def broken():
        yield from posts(1)
        raise ValueError("the site's own")

    with pytest.raises(ValueError, match="the site's own"):
        render(PAGE, page_obj=broken(), visible_ads=Ad.objects.all())
