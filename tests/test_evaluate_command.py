"""neardup_evaluate: moderators' decisions and merges as labels for the bench."""

import csv
import io
import json
import re

import pytest
from django.core.management import CommandError, call_command

from django_neardup.adapters import Adapter, adapter_for, register, unregister
from django_neardup.conf import get_profile
from django_neardup.management.moderator_labels import changed_share, collect_labels, count_words
from django_neardup.models import MergeRecord
from django_neardup.pipeline import decide, withdraw
from tests.moderation.tools import run as merge
from tests.pipeline.helpers import CAT, PIANO, PILES, SOFA, SOFA_EDITED, document, post, work
from tests.testapp.models import Ad, Article, LongArticle, Reply, Topic

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "other"]),
    pytest.mark.engine_alike,
]


def run(**options):
    out = io.StringIO()
    call_command("neardup_evaluate", stdout=out, no_progress=True, **options)
    return out.getvalue()


def labels(using="default"):
    return collect_labels(get_profile(), using)


def told(found, corpus="testapp.ad"):
    return (
        {(pair.a, pair.b): (pair.kind, pair.is_duplicate) for pair in found.corpora[corpus].pairs}
        if corpus in found.corpora
        else {}
    )


def name(instance):
    return f"{instance._meta.label_lower}:{instance.pk}"


@pytest.fixture
def decided():
    """Two posts that are the same, two that are not, and one that nobody looked at."""
    posts = [
        post(SOFA),
        post(SOFA_EDITED),
        post(PILES.format("С140.35")),
        post(PILES.format("С90.30")),
        post(CAT),
    ]
    work()
    decide("same", [document(each) for each in posts[:2]], None, "default")
    decide("different", [document(each) for each in posts[2:4]], None, "default")
    return posts


def test_decisions_are_labels(decided):
    one, two, three, four, _ = decided
    found = labels()
    assert told(found) == {
        (name(one), name(two)): ("decided: the same", True),
        (name(three), name(four)): ("decided: different", False),
    }
    corpus = found.corpora["testapp.ad"]
    assert corpus.texts[name(one)].strip() == SOFA and name(decided[4]) not in corpus.texts
    assert 0 < corpus.pairs[0].changed_share < 0.3 and (found.gone_count, found.changed_count) == (0, 0)


def test_the_newest_decision_in_force_counts(decided):
    one, two, three, four, _ = decided
    later = decide("different", [document(one), document(two)], None, "default")
    assert told(labels())[name(one), name(two)] == ("decided: different", False)
    withdraw(later, None, "default")
    assert told(labels())[name(one), name(two)] == ("decided: the same", True)


def test_one_against_the_rest_says_nothing_of_the_rest():
    one, two, three = (post(f"{SOFA} {word}") for word in ("тут", "там", "здесь"))
    work()
    sides = {document(one).pk: 1, document(two).pk: 2, document(three).pk: 2}
    decide("different", [document(each) for each in (one, two, three)], None, "default", sides=sides)
    assert set(told(labels())) == {(name(one), name(two)), (name(one), name(three))}


def test_a_text_that_has_changed_is_left_out_and_a_hidden_one_is_not(decided):
    one, two, three, four, _ = decided
    one.published = False
    one.save()
    three.text += " Торг."
    three.save()
    found = labels()
    assert set(told(found)) == {(name(one), name(two))} and (found.gone_count, found.changed_count) == (0, 1)
    two.delete()
    assert labels().gone_count == 1 and told(labels()) == {}


def test_a_merge_is_a_label_with_the_text_from_its_journal():
    keeper, loser, other = post(SOFA), post(SOFA_EDITED), post(PIANO)
    pk = loser.pk
    merge(keeper, loser)
    found = labels()
    assert told(found) == {(name(keeper), f"testapp.ad:{pk} (merged)"): ("merged", True)}
    assert found.corpora["testapp.ad"].texts[f"testapp.ad:{pk} (merged)"].strip() == SOFA_EDITED
    keeper_pk = keeper.pk
    merge(other, keeper)
    assert set(told(labels())) == {
        (f"testapp.ad:{keeper_pk} (merged)", f"testapp.ad:{pk} (merged)"),
        (name(other), f"testapp.ad:{keeper_pk} (merged)"),
    }


def test_a_child_of_a_registered_model_is_merged_as_its_parent():
    keeper, loser = (
        Article.objects.create(text=SOFA),
        LongArticle.objects.create(text=SOFA_EDITED, source="газета"),
    )
    pk = loser.pk
    merge(keeper, loser.article_ptr)
    assert set(told(labels(), "testapp.article")) == {(name(keeper), f"testapp.article:{pk} (merged)")}


@pytest.fixture
def long_articles():
    """A multi-table child with an adapter of its own; the text is in its parent's table."""
    register(LongArticle)(type("LongArticleNeardup", (Adapter,), {"fields": ["text", "source"]}))
    yield [LongArticle.objects.create(text=text, source="газета") for text in (SOFA, SOFA_EDITED)]
    unregister(LongArticle)


def test_a_merged_child_has_the_text_of_its_parents_table(long_articles):
    keeper, loser = long_articles
    called = f"testapp.longarticle:{loser.pk} (merged)"
    merge(keeper, loser)
    assert labels().corpora["testapp.longarticle"].texts[called] == f"{SOFA_EDITED}\nгазета"


def test_a_merged_child_without_its_parents_row_is_gone(long_articles, caplog):
    merge(*long_articles)
    record = MergeRecord.objects.get()
    record.journal["rows"] = [row for row in record.journal["rows"] if row["model"] == "testapp.longarticle"]
    record.save()
    assert not labels().corpora and labels().gone_count == 1
    assert "cannot be read" in caplog.text


def test_a_journal_that_cannot_be_read_is_left_out(caplog):
    merge(post(SOFA), post(SOFA_EDITED))
    MergeRecord.objects.update(journal={"rows": [{"model": "testapp.ad", "pk": "x", "fields": {"gone": 1}}]})
    assert told(labels()) == {} and labels().gone_count == 1
    assert "cannot be read" in caplog.text


def test_models_that_are_compared_are_one_set_and_quotations_go():
    topic, reply = Topic.objects.create(text=SOFA), Reply.objects.create(text=f"> {PIANO}\n{SOFA_EDITED}")
    work()
    decide("same", [document(topic), document(reply)], None, "default")
    corpus = labels().corpora["testapp.reply+testapp.topic"]
    assert "пианино" not in corpus.texts[name(reply)] and "диван" in corpus.texts[name(reply)]


def test_a_set_is_judged_in_the_language_of_its_adapter(monkeypatch):
    monkeypatch.setattr(type(adapter_for(Ad)), "language", "en")
    one, two = (
        post("продаю угловые диваны и большие столы"),
        post("продаю угловой диван и большой стол"),
    )
    work()
    decide("same", [document(one), document(two)], None, "default")
    assert labels().corpora["testapp.ad"].pairs[0].changed_share > 0.5
    said = json.loads(run(format="json", algorithm="minhash-lsh"))
    assert [row["right"] for row in said["pairs"] if row["algorithm"] == "minhash-lsh"] == [0]
    assert "testapp.ad is read in its own language, en" in said["header"]["notes"]


def test_a_set_of_several_languages_is_told(monkeypatch):
    monkeypatch.setattr(type(adapter_for(Topic)), "language", "en")
    posts = Topic.objects.create(text=SOFA), Reply.objects.create(text=SOFA_EDITED)
    work()
    decide("same", [document(each) for each in posts], None, "default")
    told = "testapp.topic is read as ru, not as en: its set has several languages"
    assert told in json.loads(run(format="json"))["header"]["notes"]


def test_a_text_of_many_pairs_is_read_once():
    count_words.cache_clear()
    posts = [post(f"{SOFA} {word}") for word in ("тут", "там", "здесь", "везде")]
    work()
    decide("same", [document(each) for each in posts], None, "default")
    assert len(told(labels())) == 6 and count_words.cache_info().misses == 4


def test_other_options_of_the_adapter_are_told_as_such(decided, monkeypatch):
    monkeypatch.setattr(type(adapter_for(Ad)), "min_words", 2)
    with pytest.raises(CommandError, match=r"2 pairs with a post that has changed .*\(.*adapter\)"):
        run()


class Apart:
    """Replies are not in the default database, though it has a table of that name."""

    def allow_migrate(self, db, app_label, model_name=None, **hints):
        return False if (db, model_name) == ("default", "reply") else None


def test_posts_of_models_that_are_elsewhere_are_not_added(settings):
    posts = Topic.objects.create(text=SOFA), Topic.objects.create(text=SOFA_EDITED)
    Reply.objects.create(text=PIANO)
    work()
    decide("same", [document(each) for each in posts], None, "default")
    settings.DATABASE_ROUTERS = [f"{__name__}.Apart"]
    said = json.loads(run(format="json", collection=True, posts=9))
    assert [row["texts"] for row in said["collections"]] == [2]


def test_each_profile_and_database_has_its_own(decided, settings):
    settings.NEARDUP = {"default": {}, "spare": {}}
    assert not collect_labels(get_profile("spare"), "default").corpora and not labels("other").corpora


@pytest.mark.parametrize(
    ("a", "b", "share"),
    [("угловой диван", "угловой диван", 0), ("угловой диван", "угловой шкаф", 0.5), ("", "", 0)],
)
def test_the_share_of_changed_words(a, b, share):
    assert changed_share(count_words(a, "ru"), count_words(b, "ru")) == share


def test_the_report_counts_right_and_wrong(decided):
    said = json.loads(run(format="json"))
    (row,) = (row for row in said["pairs"] if row["algorithm"] == "neardup")
    assert (row["set"], row["true"], row["right"], row["false"], row["wrong"]) == ("testapp.ad", 1, 1, 1, 0)
    notes = said["header"]["notes"]
    assert "moderators' decisions: decided: different: 1 pair, decided: the same: 1 pair" in notes
    assert said["header"]["schemes"][0]["guard"] is True


def test_algorithms_and_their_options(decided):
    said = json.loads(run(format="json", algorithm="longest-words,longest-words:guard=true,tf-idf"))
    wrong = {row["algorithm"]: row["wrong"] for row in said["pairs"]}
    assert wrong["longest-words"] == 1 and wrong["longest-words:guard=true"] == 0 and "tf-idf" in wrong


def test_the_profiles_algorithm_is_the_default(decided, settings):
    settings.NEARDUP = {"default": {"ALGORITHM": "longest-words", "OPTIONS": {"guard": False}}}
    said = json.loads(run(format="json"))
    (row,) = (row for row in said["pairs"] if row["algorithm"] == "longest-words")
    assert row["wrong"] == 1


def test_a_collection_of_the_sites_own_posts(decided, tmp_path):
    said = json.loads(run(format="json", collection=True))
    assert [row["texts"] for row in said["collections"]] == [4]
    said = json.loads(run(format="json", found=tmp_path / "found.jsonl", posts=100))
    assert [row["texts"] for row in said["collections"]] == [5]
    assert said["collections"][0]["true pairs"] == 1
    assert name(decided[0]) in (tmp_path / "found.jsonl").read_text()


def test_files_are_written(decided, tmp_path):
    assert run(format="csv", output=tmp_path / "report.csv", verdicts=tmp_path / "verdicts.jsonl") == ""
    lines = [line for line in (tmp_path / "report.csv").read_text().splitlines() if not line.startswith("#")]
    assert any("neardup" in row for row in csv.reader(lines))
    verdicts = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert {(each["a"], each["verdict"]) for each in verdicts} == {
        (name(decided[0]), "duplicate"), (name(decided[2]), "variant"),
    }  # fmt: skip


def test_a_table_for_people(decided):
    said = run()
    assert "testapp.ad" in said and "neardup" in said and "moderators' decisions" in said


def test_without_decisions_it_says_what_is_needed():
    post(SOFA)
    with pytest.raises(CommandError, match="There are no decisions on posts of the profile default yet"):
        run()


def test_labels_that_cannot_be_used_are_counted(decided):
    Ad.objects.all().delete()
    with pytest.raises(CommandError, match="2 pairs with a deleted post"):
        run()


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "no-such"},
        {"profile": "none"},
        {"peers": "nobody"},
        {"algorithm": "neardup:x=1"},
        {"sample": -1},
        {"posts": -1, "collection": True},
        {"posts": 5},
        {"jobs": -2},
    ],
)
def test_wrong_arguments_are_told(options, decided):
    with pytest.raises(CommandError):
        run(**options)


def test_numbers_below_zero_are_refused_on_the_command_line():
    with pytest.raises(CommandError, match="--posts is -5: it must be 0 or more"):
        call_command("neardup_evaluate", "--posts", "-5")


@pytest.mark.parametrize("option", ["output", "verdicts", "found"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_read(option, tmp_path):
    for place, why in ((tmp_path, "that is a folder"), (tmp_path / "nowhere" / "file", "there is no folder")):
        with pytest.raises(CommandError, match=f"--{option} {place}: {why}"):
            run(**{option: place})


def test_the_header_tells_which_statistics_and_no_peers_that_nobody_asked_for(decided):
    header = json.loads(run(format="json", algorithm="tf-idf"))["header"]
    assert re.fullmatch("[0-9a-f]{32}", header["schemes"][0]["statistics"])
    assert header["peers"] == {} and not [note for note in header["notes"] if "not installed" in note]
    assert "peers:" not in run()
