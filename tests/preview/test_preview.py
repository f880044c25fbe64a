"""neardup_preview: groups in a table that nothing is installed for."""

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from django_neardup.adapters import Adapter
from django_neardup.models import Cluster, Document, Key, Scheme
from django_neardup.preview import (
    PreviewError,
    as_html,
    build_preview,
    build_selection,
    sample_pipeline,
)
from tests.admin.xss import HARMLESS, HOSTILE, Tags
from tests.pipeline.families import family
from tests.pipeline.helpers import CAT, PIANO, PILES, SOFA, SOFA_EDITED, cluster, work
from tests.testapp.models import Ad, Article, Author, LongArticle, ScopedPost, SlugPost, Tag, UuidPost

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db


def ads(*texts, **fields):
    """Adverts that no signal told of, in that order."""
    return Ad.objects.bulk_create([Ad(text=text, **fields) for text in texts])


def look(label="testapp.Ad", *fields, **options):
    return build_preview(build_selection(label, fields, **options))


def keys(found):
    """Primary keys of each group."""
    return [[found.posts[number].key for number in members] for members in found.groups]


def html(found, **options):
    return as_html(found, **{"language": "en", **options})


def test_groups_are_found_and_nothing_is_written():
    made = [each.pk for each in ads(SOFA, PIANO, SOFA_EDITED, CAT, SOFA)]
    with CaptureQueriesContext(connection) as queries:
        found = look("testapp.Ad", "text")
    assert keys(found) == [[made[0], made[2], made[4]]] and found.grouped_count == 3
    assert {query["sql"].split()[0] for query in queries} == {"SELECT"}
    assert not (Document.objects.exists() or Key.objects.exists() or Scheme.objects.exists())


def test_it_finds_what_the_index_finds(transactional_db):
    texts = [
        *[PILES.format(code) for code in ("С140.35", "С90.30", "С140.35")],
        SOFA,
        SOFA_EDITED,
        SOFA,
        PIANO,
        CAT,
    ]
    made = [
        Ad.objects.create(text=text) for text in (*texts, *[" ".join(family(number)) for number in range(20)])
    ]
    work()
    found = look("testapp.Ad")
    groups = {frozenset(group) for group in keys(found)}
    stored = {
        frozenset(Ad.objects.get(pk=int(each.document.object_id)).pk for each in row.memberships.all())
        for row in Cluster.objects.all()
    }
    assert groups == stored and len(groups) == 2 and cluster(made[0]) is not None
    assert [found.posts[number].key for number in found.ungrouped_pairs["variant"][0]] == [
        made[0].pk,
        made[1].pk,
    ]


def test_the_last_posts_are_the_sample():
    made = ads(SOFA, SOFA, PIANO, PIANO)
    found = look("testapp.Ad", "text", sample=3)
    assert (found.total_count, found.read_count) == (4, 3) and keys(found) == [[made[2].pk, made[3].pk]]
    assert "The last 3 of 4 posts" in html(found)
    assert look("testapp.Ad", "text", sample=0).read_count == 4


def test_order_and_conditions_choose():
    ads(SOFA, SOFA, hits=1)
    ads(PIANO, PIANO, hits=5, published=False)
    assert look("testapp.Ad", where=["published=false"]).read_count == 2
    assert look("testapp.Ad", where=["hits__lt=5"]).total_count == 2
    for ad in Ad.objects.filter(hits=1):
        ad.tags.set(Tag.objects.get_or_create(name=name)[0] for name in ("a", "b"))
    assert look("testapp.Ad", where=["tags__name__contains=", "hits=1"]).read_count == 2
    first = look("testapp.Ad", order="-hits", sample=2)
    assert {post.title[:4] for post in first.posts.values()} == {SOFA[:4]}


def test_an_order_that_leads_to_many_reads_each_once():
    made = ads(SOFA, PIANO)
    for name in ("a", "b"):
        made[0].tags.create(name=name)
    found = look("testapp.Ad", order="tags__name")
    assert found.read_count == 2 and found.groups == []


def test_a_child_of_a_registered_parent_has_fields_of_its_own():
    made = [LongArticle.objects.create(text=text, source=SOFA[:90]) for text in (PIANO, CAT)]
    Article.objects.create(text=SOFA)
    assert keys(look("testapp.LongArticle", "source")) == [[each.pk for each in made]]
    assert look("testapp.LongArticle").read_count == 3


def test_related_objects_are_read_with_the_posts():
    ads(*[PIANO] * 5, author=Author.objects.create(name=SOFA[:90]))
    with CaptureQueriesContext(connection) as queries:
        assert look("testapp.Ad", "author", "text").grouped_count == 5
    assert not [query for query in queries if re.search("FROM .testapp_author", query["sql"])]


def test_texts_that_were_let_go_are_read_again(monkeypatch):
    """Thousands of posts are kept, and not every word of theirs."""
    ads(SOFA, PILES.format("С140.35"), SOFA_EDITED, PIANO, PILES.format("С90.30"), SOFA, f"{PIANO} Торг.")
    whole = look("testapp.Ad", "text")
    monkeypatch.setattr(sample_pipeline, "FORGET_TEXTS_AFTER", 1)
    found = look("testapp.Ad", "text")
    assert (found.groups, found.ungrouped_pairs) == (whole.groups, whole.ungrouped_pairs) and len(
        found.groups
    ) == 2
    assert not any("_tokenized" in vars(document) for document in found.signed_posts[1].batch._documents)
    assert "mark" in html(found)


@pytest.mark.parametrize("model", [UuidPost, SlugPost])
def test_keys_of_any_kind(model):
    names = [{} if model is UuidPost else {"slug": slug} for slug in ("a", "b", "c")]
    made = [model.objects.create(text=text, **name) for text, name in zip((SOFA, SOFA, PIANO), names)]
    found = look(model._meta.label, "text")
    assert [set(group) for group in keys(found)] == [{made[0].pk, made[1].pk}]


def test_posts_of_unlike_scopes_and_identities_stay_apart():
    ScopedPost.objects.bulk_create([ScopedPost(text=SOFA, site=site) for site in (1, 2, 1)])
    assert [len(group) for group in look("testapp.ScopedPost").groups] == [2]
    ads(SOFA, SOFA, sku="1"), ads(SOFA, sku="2"), ads(PIANO, CAT, sku="3")
    found = look("testapp.Ad")
    assert sorted(len(group) for group in found.groups) == [2, 2] and found.ungrouped_pairs["variant"]


def test_a_representative_of_equal_identity_outside_its_bucket_takes_no_place(settings):
    settings.NEARDUP = {"default": {"BUCKET": 2, "MAX_ALIGNED": 1}}
    one, other = (PILES.format(code) for code in ("С140.35", "С90.30"))
    made = [*ads(SOFA, PIANO, CAT, sku="1"), *ads(one), *ads(other, sku="1")]
    found = look("testapp.Ad")
    assert keys(found) == [[made[number].pk for number in (0, 1, 2, 4)]]
    assert len(found.ungrouped_pairs["variant"]) == 1


def test_a_representative_that_is_not_alike_takes_no_place(settings):
    settings.NEARDUP = {"default": {"MAX_ALIGNED": 1}}
    made = [*ads(CAT, SOFA, sku="1"), *ads(SOFA_EDITED)]
    found = look("testapp.Ad")
    ((a, b),) = found.ungrouped_pairs["duplicate"]
    assert [found.posts[number].key for number in (a, b)] == [made[1].pk, made[2].pk]


def test_short_and_unreadable_posts_are_counted(monkeypatch):
    made = ads("", "диван", SOFA, SOFA, PIANO)
    plain = Adapter.source

    def source(self, instance, **known):
        if instance.pk == made[-1].pk:
            raise LookupError
        return plain(self, instance, **known)

    monkeypatch.setattr(Adapter, "source", source)
    monkeypatch.setattr(Ad, "__str__", lambda ad: ad.nothing)
    found = look("testapp.Ad", "text")
    assert (found.read_count, found.short_count, found.unreadable_count, found.grouped_count) == (5, 2, 1, 2)
    assert {post.title for post in found.posts.values()} == {""} and f"testapp.Ad {made[2].pk}" in html(found)


@pytest.mark.parametrize(
    ("label", "options", "said"),
    [
        ("testapp.Nothing", {}, "no model 'testapp.Nothing'"),
        ("testapp.Adv", {}, r"Is it .*testapp\.Ad"),
        ("Ad", {}, "no model 'Ad'"),
        ("testapp.Author", {}, r"has no adapter\. .* --fields name"),
        ("testapp.Ad", {"fields": ["texts"]}, "no field 'texts'. Its text fields: title, text"),
        ("testapp.Ad", {"where": ["published"]}, "Write name=value"),
        ("testapp.Ad", {"where": ["nothing=1"]}, "Cannot resolve keyword 'nothing'"),
        ("testapp.Ad", {"where": ["hits=many"]}, "--where cannot be used"),
        ("testapp.Ad", {"where": ["hits__isnull=many"]}, "--where cannot be used"),
        ("testapp.Ad", {"where": ["hits__range=1"]}, "--where cannot be used"),
        ("testapp.Ad", {"where": ["text=\ud800"]}, "--where .* is not valid"),
        ("testapp.Ad", {"order": "hits__nothing"}, "--order cannot be used"),
        ("testapp.Ad", {"fields": ["delete"]}, "'delete' of testapp.Ad is not text"),
        ("testapp.Ad", {"fields": ["tags"]}, "'tags' of testapp.Ad is not text"),
        ("testapp.Ad", {"fields": ["comments"]}, "'comments' of testapp.Ad is not text"),
        ("testapp.Ad", {"fields": ["objects"]}, "'objects' of testapp.Ad is not text"),
        ("testapp.Ad", {"fields": ["favourite_set"]}, "'favourite_set' of testapp.Ad is not text"),
        ("testapp.Ad", {"order": "nothing"}, "--order cannot be used"),
        ("testapp.Ad", {"where": ["hits=7"]}, "no posts of testapp.Ad"),
    ],
)
def test_what_cannot_be_asked(label, options, said):
    ads(SOFA)
    with pytest.raises(PreviewError, match=said):
        look(label, *options.pop("fields", ()), **options)


def test_differences_are_marked_and_the_largest_group_is_first():
    ads(PILES.format("С140.35"), PILES.format("С90.30"), PIANO, PIANO, SOFA, SOFA_EDITED, SOFA)
    page = html(look("testapp.Ad", "text"))
    assert page.index("3 posts") < page.index("2 posts") < page.index("Not grouped: variants")
    assert re.search(r'<mark class="decides code">.*С140\.35</mark>', page)
    assert 'href="/ads/' in page and 'href="https://example.ru/ads/' in html(
        look("testapp.Ad"), site="https://example.ru/"
    )


def test_what_is_not_shown_is_counted():
    ads(*[SOFA] * 14, *[PIANO] * 3, *[CAT] * 2)
    page = html(look("testapp.Ad", "text"), max_groups=2)
    assert "1 more group" in page and "4 more posts" in page and "14 posts" in page


def test_long_texts_are_cut_where_nothing_differs():
    words = " ".join(word for number in range(300) for word in family(number))
    ads(f"{words} {SOFA}", f"{words} {SOFA_EDITED}")
    page = html(look("testapp.Ad", "text"))
    assert len(page) < 60_000 and "вечером" in page and " … " in page


def test_hostile_posts_are_only_shown():
    def tags(texts):
        Ad.objects.all().delete()
        for text in texts:
            ads(f"{text} {SOFA}", f"{text} {SOFA_EDITED}", title=text)
        found = Tags()
        page = html(look("testapp.Ad", "title", "text"))
        found.feed(page)
        return page, {(tag, names) for tag, names in found.tags}, found.addresses

    _, kinds, _ = tags([HARMLESS, HARMLESS.replace("С140.35", "С90.30")])
    page, found, addresses = tags(HOSTILE)
    assert found <= kinds | {("mark", ("class",)), ("ol", ("class",)), ("li", ())}
    assert not re.search("[\u202e\u2028]", page) and "default-src 'none'" in page
    assert all(each.startswith(("/ads/", "#")) for each in addresses)


def test_addresses_that_run_something_are_no_links(monkeypatch):
    ads(SOFA, SOFA)
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: "javascript:alert(1)")
    assert "javascript" not in html(look("testapp.Ad", "text"))


def run(*args, **options):
    out = io.StringIO()
    call_command("neardup_preview", *args, stdout=out, no_progress=True, **options)
    return out.getvalue()


def test_the_command_writes_the_page(tmp_path):
    ads(SOFA, SOFA_EDITED, PIANO)
    path = tmp_path / "page.html"
    out = run("--model", "testapp.ad", "--fields", "title, text", "--output", str(path), "--language", "ru")
    assert out.startswith("Compared 3 posts of 3: 1 group with 2 posts") and str(path) in out
    page = path.read_text("utf-8")
    assert '<html lang="ru">' in page and "<script" not in page and SOFA[:40] in page


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--model", "testapp.Nothing"], "no model"),
        (["--model", "testapp.Ad", "--language", "xx"], "The language 'xx' is not in LANGUAGES"),
        (
            ["--model", "testapp.Ad", "--output", "/nowhere/page.html"],
            "the directory /nowhere does not exist",
        ),
        (["--model", "testapp.Ad", "--output", "."], "it is a directory"),
        (["--model", "testapp.Ad"], "no posts"),
    ],
)
def test_the_command_says_what_is_wrong(args, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match=said) as error:
        run(*args)
    assert error.value.returncode == 1 and not list(tmp_path.iterdir())


BARE = """
import sys
import django
from django.conf import settings
from django.core.management import call_command
settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django_neardup", "tests.testapp"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
)
django.setup()
from django.db import connection
from tests.testapp.models import Author
with connection.schema_editor() as editor:
    editor.create_model(Author)
for _ in range(2):
    Author.objects.create(name="Продаю угловой диван, обивка без пятен и зацепок")
call_command("neardup_preview", "--model", "testapp.Author", "--fields", "name", "--output", sys.argv[1])
assert connection.introspection.table_names() == ["testapp_author"]
"""


@pytest.mark.engine_alike
def test_nothing_needs_to_be_installed_but_the_app(tmp_path):
    path = tmp_path / "page.html"
    command = [sys.executable, "-c", BARE, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "1 group with 2 posts" in done.stdout and "угловой диван" in path.read_text("utf-8")
