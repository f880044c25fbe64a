"""The tags as functions of Jinja2, through Django's own backend."""

import subprocess
import sys

import pytest
from django.template import Context, Template, engines
from django.test import RequestFactory
from jinja2 import Environment, StrictUndefined, UndefinedError

from django_neardup.jinja2 import FUNCTIONS
from django_neardup.templatetags.neardup import USAGES
from django_neardup.visibility import GroupingError
from tests.grouped_lists import rows
from tests.testapp.models import Ad

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.grouped_lists.urls")]


@pytest.fixture(autouse=True)
def jinja(settings, tmp_path):
    backend = {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [tmp_path],
        "OPTIONS": {"extensions": ["django_neardup.jinja2.Neardup"]},
    }
    settings.TEMPLATES = [backend, *settings.TEMPLATES]


def render(source, **context):
    request = RequestFactory().get("/")
    return engines["jinja2"].from_string(source).render(context, request)


def by_tags(source, **context):
    request = RequestFactory().get("/")
    return Template("{% load neardup %}" + source).render(Context({"request": request, **context}))


def posts(count):
    made = [Ad.objects.create(title=f"<b>{number}</b>", text="a") for number in range(count)]
    rows.cluster(*made)
    return made


def test_there_is_a_function_for_each_tag():
    assert set(FUNCTIONS) == set(USAGES)


@pytest.mark.parametrize(
    ("function", "tag"),
    [
        (
            "{% for group in neardup_group(ads, visible) %}[{{ group.object }}|{{ group.label }}]{% endfor %}",
            "{% neardup_group ads visible as groups %}"
            "{% for group in groups %}[{{ group.object }}|{{ group.label }}]{% endfor %}",
        ),
        ("{{ neardup_similar(ad, visible) }}", "{% neardup_similar ad visible %}"),
        ("{{ neardup_similar(ad, visible, limit=1) }}", "{% neardup_similar ad visible limit=1 %}"),
        (
            "{% set similar = neardup_similar(ad, visible) %}{{ similar.count }}{{ similar.entries[0].title }}",
            "{% neardup_similar ad visible as similar %}{{ similar.count }}{{ similar.entries.0.title }}",
        ),
        ("{{ neardup_canonical(ad, visible) }}", "{% neardup_canonical ad visible %}"),
        ("{{ neardup_uniqueness('a b c d', visible) }}", "{% neardup_uniqueness 'a b c d' visible %}"),
        ("{{ neardup_uniqueness(none, visible) }}", "{% neardup_uniqueness None visible %}"),
        ("{{ neardup_fates(7, visible) }}", "{% neardup_fates 7 visible %}"),
        ("{{ neardup_fates(ad.author, visible) }}", "{% neardup_fates ad.author visible %}"),
    ],
)
def test_they_say_what_the_tags_say(function, tag):
    made = posts(3)
    context = {"ads": made, "ad": made[1], "visible": Ad.objects.all()}
    said = render(function, **context)
    assert said == by_tags(tag, **context)
    assert "<b>" not in said


def test_links_are_absolute_with_the_request():
    one, two = posts(2)
    link = render("{{ neardup_canonical(ad, visible) }}", ad=two, visible=Ad.objects.all())
    assert link == f'<link rel="canonical" href="http://testserver/ads/{one.pk}/">'


def test_a_site_s_own_block_in_jinja2(tmp_path):
    one, _two = posts(2)
    folder = tmp_path / "neardup" / "testapp" / "ad"
    folder.mkdir(parents=True)
    (folder / "block.html").write_text("{{ similar.entries[0].title }} in {{ request.path }}")
    said = render("{{ neardup_similar(ad, visible) }}", ad=one, visible=Ad.objects.all())
    assert said == "&lt;b&gt;1&lt;/b&gt; in /"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("{{ neardup_group(adverts, visible) }}", "variable adverts is not"),
        ("{{ neardup_group(ads, allowed) }}", "variable allowed is not"),
        ("{{ neardup_similar(advert, visible) }}", "variable advert is not"),
        ("{{ neardup_canonical(ad, allowed) }}", "variable allowed is not"),
        ("{{ neardup_uniqueness(words, visible) }}", "variable words is not"),
        ("{{ neardup_uniqueness(ad, allowed) }}", "variable allowed is not"),
        ("{{ neardup_uniqueness(ad, none) }}", "not nothing"),
        ("{{ neardup_fates(someone, visible) }}", "variable someone is not"),
        ("{{ neardup_group(ads, ads) }}", "must contain querysets"),
        ("{{ neardup_similar(ad, visible, limit='many') }}", "limit is 'many'"),
    ],
)
def test_misuse_is_told(source, says):
    made = posts(2)
    with pytest.raises(GroupingError, match=says):
        render(source, ads=made, ad=made[0], visible=Ad.objects.all())


def test_an_environment_made_by_hand():
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.globals.update(FUNCTIONS)
    one, _two = posts(2)
    template = environment.from_string("{{ neardup_canonical(ad, visible) }}")
    assert template.render(ad=one, visible=Ad.objects.all()).startswith('<link rel="canonical"')
    with pytest.raises((GroupingError, UndefinedError)):
        template.render(visible=Ad.objects.all())


@pytest.mark.engine_alike
def test_without_jinja2_the_error_says_what_to_install():
    code = (
        "import sys, django; sys.modules['jinja2'] = None; django.setup()\n"
        "try:\n    import django_neardup.jinja2\nexcept ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "jinja2' in done.stdout
