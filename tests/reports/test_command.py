"""neardup.compare() and neardup_explain, as a site meets them."""

import io
import json
import re
import subprocess
import sys
import uuid

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.utils.translation import override

import django_neardup as neardup
from django_neardup.adapters import adapter_for
from django_neardup.algorithms import statistics
from django_neardup.comparison.packed_keys import unpack_keys
from django_neardup.conf import get_profile
from django_neardup.exceptions import NotRegistered
from django_neardup.models import KeyPhrase, Scheme, TermStatistics
from django_neardup.pipeline import decide, withdraw
from django_neardup.pipeline.schemes import active_scheme
from django_neardup.reports import Note
from django_neardup.text.canonical_text import CanonicalText
from tests import services
from tests.pipeline.helpers import pair, post, work
from tests.reports.texts import OTHER_PILES, PILES, POEM
from tests.testapp.models import (
    Ad,
    Author,
    LongArticle,
    Reply,
    ScopedPost,
    SlugPost,
    Topic,
    Unregistered,
    UuidPost,
)

pytestmark = pytest.mark.django_db(databases=["default", "other"])


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def explain(*args, **options):
    out = io.StringIO()
    call_command("neardup_explain", *args, stdout=out, **options)
    return out.getvalue()


def as_json(*args, **options):
    return json.loads(explain(*args, format="json", **options))


@pytest.fixture
def ads():
    return post(PILES), post(OTHER_PILES)


def kinds(comparison):
    return {note.kind for note in comparison.notes}


def test_two_objects(ads):
    it = neardup.compare(*ads)
    assert (it.judgement.verdict, it.algorithm) == ("variant", "neardup")
    assert [side.title for _, side in it.sides] == [f"testapp.Ad {each.pk}" for each in ads]
    assert not it.notes


def test_it_is_what_the_pipeline_says(ads):
    work()
    stored, it = pair(*ads), neardup.compare(*ads)
    assert (stored.verdict, stored.score) == (it.judgement.verdict, pytest.approx(it.judgement.score))
    assert stored.evidence == it.judgement.evidence()


def test_two_texts():
    it = neardup.compare(PILES, OTHER_PILES)
    assert it.judgement.verdict == "variant" and [side.title for _, side in it.sides] == ["A", "B"]


@pytest.mark.engine_alike
def test_files_need_no_database(tmp_path):
    code = """
import sys, django
from django.conf import settings
settings.configure(INSTALLED_APPS=["django.contrib.contenttypes", "django_neardup"], DATABASES={"default": %s})
django.setup()
from django.core.management import call_command
call_command("neardup_explain", sys.argv[1], sys.argv[1])
"""
    path = tmp_path / "piles.txt"
    path.write_text(PILES, encoding="utf-8")
    for database in ({}, {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "nowhere" / "db")}):
        done = subprocess.run(
            [sys.executable, "-c", code % database, path], cwd=services.ROOT, capture_output=True, timeout=120
        )
        assert done.returncode == 0, done.stderr.decode()
        assert "=  duplicate, 100" in done.stdout.decode()


def test_nothing_is_written(ads):
    before = Scheme.objects.count()
    neardup.compare(*ads)
    explain(f"testapp.Ad:{ads[0].pk}", f"testapp.Ad:{ads[1].pk}")
    assert Scheme.objects.count() == before


def test_one_query_an_object_and_one_whether_it_is_compared(ads, django_assert_max_num_queries):
    active_scheme(get_profile(), "default")
    keys = [str(each.pk) for each in ads]
    with django_assert_max_num_queries(13) as captured:
        explain("testapp.Ad", *keys)
    asked = [query["sql"] for query in captured.captured_queries if "testapp_ad" in query["sql"].lower()]
    assert len(asked) == 4 and len([sql for sql in asked if "WHERE" in sql and "phone" in sql]) == 2


def test_the_schemes_secret_language_and_options_count(ads):
    scheme = active_scheme(get_profile(), "default")
    Scheme.objects.update(language="en", secret="ab" * 16, algorithm="neardup-articles")
    it = neardup.compare(*ads)
    assert it.algorithm == "neardup-articles" and scheme.pk
    assert {(side.text.language, side.text.secret) for _, side in it.sides} == {("en", b"\xab" * 16)}


def test_declared_contacts_count(ads):
    Ad.objects.filter(pk=ads[0].pk).update(phone="8 (912) 345-67-89")
    made = as_json("testapp.Ad", str(ads[0].pk), str(ads[1].pk))
    assert made["contacts"]["only_a"] == ["mailto:svai@example.ru", "tel:9123456789"]


def test_identity_decides_whatever_the_texts():
    same = neardup.compare(Ad(text=PILES, sku="7"), Ad(text=POEM, sku="7"))
    other = neardup.compare(Ad(text=POEM, sku="7"), Ad(text=POEM, sku="8"))
    assert (same.judgement.verdict, other.judgement.verdict) == ("duplicate", "variant")
    assert kinds(same) == kinds(other) == {"identity"} and other.judgement.classes == ("identity",)
    assert "identity" in str(other)


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        (ScopedPost(text=POEM, site=1), ScopedPost(text=POEM, site=2), "scope"),
        (Topic(text=POEM), UuidPost(text=POEM), "partners"),
        (Ad(text=POEM), Ad(text="диван"), "short"),
    ],
)
def test_what_keeps_them_apart_is_noted(a, b, why):
    assert kinds(neardup.compare(a, b)) == {why}


def test_a_post_that_is_not_compared_is_noted(monkeypatch):
    monkeypatch.setattr(type(adapter_for(Ad)), "compared", lambda self: Ad.objects.filter(published=True))
    shown, hidden = post(PILES), post(OTHER_PILES, published=False)
    assert neardup.compare(shown, hidden).notes == (Note("excluded", "B"),)
    assert not neardup.compare(shown, Ad(text=POEM, published=False)).notes
    assert "B is not compared" in explain("testapp.Ad", str(shown.pk), str(hidden.pk))


def test_objects_of_two_databases_are_noted_and_told_apart():
    here, there = Ad.objects.create(pk=7, text=PILES), Ad.objects.using("other").create(pk=7, text=PILES)
    it = neardup.compare(here, there)
    assert kinds(it) == {"databases"}
    assert [side.title for _, side in it.sides] == ["testapp.Ad 7 (default)", "testapp.Ad 7 (other)"]


def test_one_object_twice_is_noted(ads):
    again = Ad.objects.get(pk=ads[0].pk)
    assert kinds(neardup.compare(ads[0], again)) == {"same"}
    assert "the same object" in explain("testapp.Ad", *[str(ads[0].pk)] * 2)
    unsaved, article = Ad(text=POEM), LongArticle.objects.create(text=POEM)
    assert kinds(neardup.compare(unsaved, unsaved)) == {"same"} and not kinds(
        neardup.compare(unsaved, Ad(text=POEM))
    )
    assert kinds(neardup.compare(article, article.article_ptr)) == {"same"}
    assert not kinds(neardup.compare(POEM, POEM))


def test_the_adapters_excused_are_what_does_not_decide(ads, monkeypatch):
    assert neardup.compare(*ads).ignored_kinds == ("price", "date", "contact")
    monkeypatch.setattr(type(adapter_for(Ad)), "ignored_differences", ("number",))
    assert neardup.compare(*ads).ignored_kinds == ("number",)


@pytest.mark.parametrize("form", ["html", "json", "text"])
def test_a_stream_of_another_encoding(form, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(f"{PILES} 日本", encoding="utf-8")
    written = io.BytesIO()
    out = io.TextIOWrapper(written, encoding="cp1251")
    call_command("neardup_explain", str(path), str(path), format=form, stdout=out)
    out.flush()
    told = written.getvalue().decode("cp1251" if form == "text" else "ascii")
    if form == "json":
        assert json.loads(told)["a"]["text"].endswith("日本")
    else:
        assert ("&#26085;&#26412;" if form == "html" else "??") in told


def test_partners_and_children_of_registered_models_compare():
    assert not neardup.compare(Topic(text=POEM), Reply(text=POEM)).notes
    assert not neardup.compare(LongArticle(text=POEM), LongArticle(text=POEM)).notes


def test_quotes_go_where_the_adapter_drops_them():
    reply = Reply(text=f"> {POEM}\n\nСпасибо, очень красивые стихи о зиме")
    assert not neardup.compare(reply, POEM).shared_passages
    assert neardup.compare(reply.text, POEM).shared_passages


def test_both_notations(ads):
    a, b = (str(each.pk) for each in ads)
    one = explain(f"testapp.Ad:{a}", f"testapp.Ad:{b}")
    assert one == explain("testapp.Ad", a, b) == explain("testapp.ad", a, "testapp.Ad", b)
    assert one.startswith(f"A  testapp.Ad {a}, words: ") and "≠  variant, " in one
    assert explain("testapp.Ad", a, f"testapp.Ad:{b}") == one


def test_uuid_and_text_keys():
    one, two = UuidPost.objects.create(text=POEM), SlugPost.objects.create(slug="мороз:и-солнце", text=POEM)
    made = as_json(f"testapp.UuidPost:{one.pk}", f"testapp.SlugPost:{two.pk}")
    assert made["exact"] and made["b"]["title"] == "testapp.SlugPost мороз:и-солнце"
    assert made["notes"] == [{"kind": "partners", "side": ""}]
    assert as_json(f"testapp.UuidPost:{one.pk.hex}", f"testapp.UuidPost:{one.pk}")["exact"]


def test_objects_of_another_database():
    one, two = (Ad.objects.using("other").create(text=POEM) for _ in range(2))
    keys = [f"testapp.Ad:{each.pk}" for each in (one, two)]
    assert as_json(*keys, database="other")["exact"]
    with pytest.raises(CommandError, match=r"no testapp\.Ad .* in the database 'default'"):
        explain(*keys)


def test_files_and_an_object(ads, tmp_path):
    path = tmp_path / "piles.txt"
    path.write_text(PILES, encoding="utf-8")
    made = as_json(str(path), f"testapp.Ad:{ads[0].pk}")
    assert made["exact"] and made["a"]["title"] == str(path)
    assert as_json("testapp.Ad", str(ads[0].pk), str(ads[0].pk))["exact"]


def test_standard_input(ads, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(PILES))
    assert as_json("-", f"testapp.Ad:{ads[0].pk}")["exact"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["testapp.Ad:17", "testapp.Ad:18"], "There is no testapp.Ad 17 in the database 'default'"),
        (["testapp.Ad:x", "testapp.Ad:18"], "'x' is not a valid key of testapp.Ad"),
        (["testapp.UuidPost:7", "testapp.Ad:18"], "'7' is not a valid key of testapp.UuidPost"),
        (["testapp.Unregistered:1", "a.txt"], r"testapp.Unregistered has no adapter. Register one"),
        (["testapp.Nothing:1", "a.txt"], r"no model testapp.Nothing.*Registered models: testapp.Ad, "),
        (["nosuch.Model", "1", "2"], r"no model nosuch.Model.*Registered models: testapp.Ad, "),
        (["testapp.Ad", "1", "nosuch.Model", "2"], r"no model nosuch.Model.*Registered models: testapp.Ad, "),
        (["nowhere.txt", "a.txt"], "nowhere.txt cannot be read: No such file"),
        (["testapp.Ad", "17"], "Name two posts"),
        (["testapp.Ad:17", "testapp.Ad"], "Name two posts"),
        (["a", "b", "c"], "Name two posts"),
        (["-", "-"], "Only one"),
    ],
)
def test_errors_say_what_to_do(arguments, why):
    with pytest.raises(CommandError, match=why):
        explain(*arguments)


def test_unknown_names(ads):
    keys = [f"testapp.Ad:{each.pk}" for each in ads]
    with pytest.raises(CommandError, match="no algorithm 'folklore'; known are"):
        explain(*keys, algorithm="folklore")
    with pytest.raises(CommandError, match="NEARDUP has no profile 'fast'"):
        explain(*keys, profile="fast")
    with pytest.raises(NotRegistered, match=r"@neardup.register\(Unregistered\)"):
        neardup.compare(Unregistered(text=POEM), POEM)
    with pytest.raises(TypeError, match="not UUID"):
        neardup.compare(uuid.uuid4(), POEM)
    with pytest.raises(ImproperlyConfigured):
        neardup.compare(POEM, POEM, profile="fast")


def test_algorithms_that_need_statistics(ads):
    keys = [f"testapp.Ad:{each.pk}" for each in ads]
    hint = "needs the statistics of a collection: run neardup_statistics --profile default"
    with pytest.raises(CommandError, match=f"^tf-idf {hint}$"):
        explain(*keys, algorithm="tf-idf")
    with pytest.raises(CommandError, match="no verdict on two texts"):
        explain(*keys, algorithm="decomposition")
    assert hint in " ".join(explain(*keys).split())
    results = neardup.compare(*ads, using="other").algorithm_results
    lacking = [row for row in results if row.missing_reason == "statistics"]
    assert {row.gather_command for row in lacking} == {
        "neardup_statistics --profile default --database other"
    }
    gathered = statistics.TermStatistics.gather(CanonicalText(text) for text in (PILES, OTHER_PILES, POEM))
    TermStatistics.objects.create(profile="default", digest=gathered.digest, packed=gathered.pack())
    assert as_json(*keys, algorithm="tf-idf")["algorithm"] == "tf-idf"
    assert {row["missing"] for row in as_json(*keys)["algorithms"]} == {"", "batch"}


def test_profile_language_and_output(ads, settings, tmp_path):
    settings.NEARDUP = {"default": {}, "strict": {"ALGORITHM": "md5"}}
    made = tmp_path / "made.html"
    keys = [f"testapp.Ad:{each.pk}" for each in ads]
    assert explain(*keys, profile="strict", format="html", output=str(made)) == ""
    assert "by md5" in made.read_text(encoding="utf-8")
    assert as_json(*keys, language="en")["a"]["language"] == "en"
    with pytest.raises(CommandError, match="cannot be written"):
        explain(*keys, output="/nowhere/at/all")


def test_synonyms_of_the_settings_count_before_there_is_a_scheme(settings, tmp_path):
    path = tmp_path / "synonyms.txt"
    path.write_text("болеть хворать недомогать", encoding="utf-8")
    texts = "Дети зимой часто болеют простудой", "Дети зимой часто хворают простудой"
    assert neardup.compare(*texts).judgement.score < 1
    settings.NEARDUP = {"default": {"SYNONYMS": str(path)}}
    assert neardup.compare(*texts).judgement.score == 1


def test_no_colours_off_a_terminal_and_where_they_are_unwanted(ads, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def on_terminal(**options):
        out = Terminal()
        call_command("neardup_explain", *keys, stdout=out, **options)
        return out.getvalue()

    keys = [f"testapp.Ad:{each.pk}" for each in ads]
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    plain = explain(*keys)
    assert "\x1b" not in plain and "\x1b[1;35m" in on_terminal()
    assert re.sub(r"\x1b\[[\d;]*m", "", on_terminal()) == plain
    assert on_terminal(no_color=True) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert on_terminal() == plain


def test_russian(ads):
    keys = [f"testapp.Ad:{each.pk}" for each in ads]
    with override("ru"):
        told, page = explain(*keys), explain(*keys, format="html")
    assert "≠  вариант, " in told and "существенно: другой предмет" in told and "Общие отрывки" in told
    assert "запустите neardup_statistics --profile default" in " ".join(told.split())
    english = explain(*keys)
    heads = ["Differences", "Shared passages", "Found in the texts", "equal keys", "needs the statistics"]
    assert all(head in english for head in heads[:3]) and not [head for head in heads if head in told + page]
    assert '<html lang="ru">' in page and "отрицание" in page


def test_help(capsys):
    with pytest.raises(SystemExit):
        call_command("neardup_explain", "--help")
    told = capsys.readouterr().out
    assert "board.Ad:17 board.Ad:18" in told and "--no-color" in told


def test_what_is_stored_of_two_objects_is_told_too(ads):
    Ad.objects.update(sku="X1", author=Author.objects.create(name="zavod"))
    KeyPhrase.objects.create(text="работаем с юридическими")
    work()
    stored = pair(*ads)
    withdraw(decide("same", [stored.a, stored.b], None, "default"), None, "default")
    decide("different", [stored.a, stored.b], None, "default", note="разные\x1b марки")

    told = explain(f"testapp.Ad:{ads[0].pk}", f"testapp.Ad:{ads[1].pk}")
    known = as_json("testapp.Ad", *(str(each.pk) for each in ads))["known"]

    shared = [
        set(unpack_keys(each.keys)) for each in stored.a.fingerprints.all() | stored.b.fingerprints.all()
    ]
    assert known["keys"]["shared"] == len(shared[0] & shared[1]) == sum(known["keys"]["kinds"].values()) > 2
    assert sorted([known["keys"]["keys_a"], known["keys"]["keys_b"]]) == sorted(map(len, shared))
    assert known["keys"]["kinds"]["identity"] == 1 and known["keys"]["kinds"]["passages"] > 1
    assert (known["identity"], known["author"], known["first_seen"]) == ({"sku": "equal"}, "equal", "A")
    assert known["phrases"]["equal"] == ["работаем с юридическими"]
    assert [each["kind"] for each in known["decisions"]] == ["different", "same"]
    assert "Facts" in told and "sku: equal" in told and "«разные\ufffd марки»" in told
    assert "withdrawn" in told


def test_nothing_is_known_of_files_and_of_objects_that_are_not_asked_about(ads, tmp_path):
    path = tmp_path / "piles.txt"
    path.write_text(PILES, encoding="utf-8")

    assert "known" not in as_json(str(path), str(path))
    assert "Facts" not in explain(str(path), f"testapp.Ad:{ads[0].pk}")
    assert neardup.compare(*ads).stored_facts is None
    assert as_json("testapp.Ad", *(str(each.pk) for each in ads))["known"]["decisions"] == []
