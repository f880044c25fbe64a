"""Every algorithm as a profile of the app: posts are saved, indexed, found and grouped by it."""

from types import SimpleNamespace

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from django_neardup.algorithms.registry import algorithm_names, get_algorithm
from django_neardup.comparison.bucket_matches import BucketMatches
from django_neardup.comparison.candidates import candidates_many
from django_neardup.comparison.packed_keys import unpack_keys
from django_neardup.conf import get_profile
from django_neardup.models import Cluster, Document, Fingerprint, Key, Membership, Pair, Scheme
from django_neardup.pipeline.clusters.repair import _sign_indexed
from django_neardup.pipeline.schemes import active_scheme, begin_generation
from django_neardup.pipeline.stored_posts import StoredPosts
from tests import services
from tests.pipeline.helpers import PILES, SOFA, SOFA_EDITED, cluster, document, pair, post, work

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])

ARTICLES = [
    (services.ROOT / "example_project" / "content" / "articles" / f"{name}.txt").read_text(encoding="utf-8")
    for name in ("banya", "exam", "mansarda", "server")
]
EVERYWHERE = ("neardup", "md5")
FURNITURE = " ".join(
    f"{thing} {which}"
    for thing in ("диван", "кресло", "шкаф", "стол", "лампа", "ковёр")
    for which in ("старый", "новый", "крепкий")
)
FRUIT = ["яблоко", "груша", "слива", "вишня", "малина", "клубника", "тыква", "огурец", "морковь", "капуста"]
TEMPLATE = (
    "металлоформы железобетонные оборудование производственное предприятие реализует бывшие употреблении "
    "строительство промышленного комплекса документация прилагается самовывоз территории поставщика. "
    "предварительная договоренность обязательна специалисты подготовят необходимые упаковочные материалы "
    "дополнительная информация предоставляется круглосуточно консультанты отвечают незамедлительно. Номер: {}"
)
SIGNING = [name for name in algorithm_names() if not get_algorithm(name).bench_only]
BATCH = [name for name in algorithm_names() if get_algorithm(name).bench_only]


def profile(settings, name, **options):
    settings.NEARDUP = {"default": {"ALGORITHM": name, "OPTIONS": options, "SECRET": "tests"}}


def dressed(text):
    """The same words in another dress."""
    return "<p>" + text.replace("\n\n", "</p><p>").replace("ё", "е").replace(", ", " — ") + "</p>"


def edited(text):
    """One stop word is another one."""
    assert " и " in text
    return text.replace(" и ", " да ", 1)


def on_their_engines(names):
    return [
        name if name in EVERYWHERE else pytest.param(name, marks=pytest.mark.engines("sqlite"))
        for name in names
    ]


@pytest.mark.parametrize("name", on_their_engines(SIGNING))
def test_a_profile_indexes_finds_and_groups(name, settings):
    profile(settings, name)
    originals = [post(text) for text in ARTICLES]
    copy = post(dressed(ARTICLES[1]))
    changed = post(edited(ARTICLES[0]) if name != "md5" else dressed(ARTICLES[0]))
    call_command("neardup_index", no_progress=True, verbosity=0)

    assert {document(each).state for each in (*originals, copy, changed)} == {Document.State.INDEXED}
    assert Scheme.objects.get().algorithm == name and Key.objects.exists()
    assert cluster(originals[1]) == cluster(copy) is not None and pair(originals[1], copy).exact
    assert cluster(originals[0]) == cluster(changed) is not None
    assert pair(originals[0], changed).exact == (name == "md5")
    assert Cluster.objects.count() == 2 and not cluster(originals[2]) and not cluster(originals[3])

    changed.text = ARTICLES[3]
    changed.save()
    work()
    assert cluster(changed) == cluster(originals[3]) is not None and cluster(originals[0]) is None
    copy.delete()
    work()
    assert cluster(originals[1]) is None


@pytest.mark.parametrize("name", on_their_engines(SIGNING))
def test_exact_copies_too_short_for_the_algorithm_are_found_all_the_same(name, settings):
    profile(settings, name)
    one, two, other = post("Отдам котят в добрые руки"), post("отдам котят — в добрые руки!"), post(SOFA)
    post(SOFA_EDITED)
    call_command("neardup_index", no_progress=True, verbosity=0)
    assert cluster(one) == cluster(two) is not None and pair(one, two).exact
    assert cluster(other) != cluster(one)


@pytest.mark.parametrize("guard", [True, False])
def test_the_guard_is_on_unless_the_options_switch_it_off(guard, settings):
    profile(settings, "longest-words", **({} if guard else {"guard": False}))
    one, two = post(PILES.format("С140.35")), post(PILES.format("С90.30"))
    work()
    scheme = Scheme.objects.get()
    assert scheme.options["guard"] == scheme.parameters["guard"] == guard
    assert pair(one, two).verdict == ("variant" if guard else "duplicate")
    assert pair(one, two).classes == ("code" if guard else "")
    assert (cluster(one) is None) == guard


def test_an_adapters_excused_classes_reach_every_algorithm(settings, monkeypatch):
    from django_neardup.adapters import adapter_for
    from tests.testapp.models import Ad

    monkeypatch.setattr(type(adapter_for(Ad)), "ignored_differences", ("code",))
    profile(settings, "longest-words")
    one, two = post(PILES.format("С140.35")), post(PILES.format("С90.30"))
    work()
    assert pair(one, two).verdict == "duplicate"


@pytest.mark.parametrize("name", BATCH)
def test_what_refines_a_whole_collection_is_no_profile(name, settings):
    profile(settings, name)
    with pytest.raises(ImproperlyConfigured, match="for the bench alone"):
        active_scheme(get_profile(), "default")
    assert not Scheme.objects.exists()


def test_a_refused_generation_leaves_the_present_one(settings):
    present = active_scheme(get_profile(), "default")
    profile(settings, "decomposition")
    with pytest.raises(ImproperlyConfigured):
        begin_generation(get_profile(), "default")
    assert Scheme.objects.get().state == Scheme.State.ACTIVE == active_scheme(get_profile(), "default").state
    assert Scheme.objects.get() == present


def shared(keys, rarity=None):
    """Documents that share so many keys, and how rare those are."""
    documents = sorted(keys)
    counts = np.array([keys[each] for each in documents], np.int64)
    rare = np.array([(rarity or dict.fromkeys(keys, 1.0))[each] for each in documents])
    return BucketMatches(np.array(documents, np.int64), counts, rare, set())


def test_a_limit_keeps_those_that_share_most_keys():
    algorithm = get_algorithm("profile-cosine")
    assert algorithm.limit == 10
    many = shared({number: number for number in range(1, 31)})
    assert many.most_shared(algorithm, 100) == {number: number for number in range(21, 31)}
    few = shared(dict.fromkeys(range(1, 31), algorithm.min_shared))
    assert few.most_shared(algorithm, 100) == dict.fromkeys(range(1, 11), algorithm.min_shared)


@pytest.mark.parametrize(
    ("keys", "rarity", "kept"),
    [
        ({1: 3, 2: 1, 3: 2}, {}, {1: 3, 3: 2}),
        ({1: 1, 2: 4, 3: 3}, {1: 1 / 2, 2: 4 / 64, 3: 3 / 64}, {1: 1, 2: 4}),
        ({1: 1, 2: 1, 3: 1}, {}, {2: 1, 3: 1}),
    ],
    ids=["those that share most", "and those that share the rarest keys", "then the newest"],
)
def test_of_many_look_alikes_few_are_screened(keys, rarity, kept):
    assert shared(keys, rarity).most_shared(get_algorithm("neardup"), 2) == kept


def test_buckets_tell_who_shares_keys():
    """Keys 10, 20 and 30 of document 9, which stands in its buckets; whoever shares the last is a namesake."""
    one = SimpleNamespace(document_id=9, keys=np.array([10, 20, 30]), sure_keys=np.array([30]))
    found = BucketMatches.from_buckets(one, np.array([0, 0, 0, 1, 1, 2, 2]), np.array([5, 9, 4, 5, 9, 9, 7]))
    assert (found.documents.tolist(), found.counts.tolist()) == ([4, 5, 7], [1, 2, 1])
    assert found.rarity.tolist() == pytest.approx([1 / 3, 1 / 3 + 1 / 2, 1 / 2]) and found.sure_documents == {
        7
    }
    assert found.most_shared(get_algorithm("neardup"), 2) == {4: 1, 5: 2}


def test_partners_are_looked_at_beside_the_limit(settings):
    profile(settings, "profile-cosine", limit=1)
    posts = [post(f"{ARTICLES[0]} {word}") for word in ("Тут.", "Там.", "Здесь.", "Везде.")]
    work()
    leader, *members = map(document, posts)
    assert Cluster.objects.get().leader == leader and Cluster.objects.get().size == 4

    def looked_at(each):
        signed = [_sign_indexed(each, "default")]
        found = candidates_many(signed, StoredPosts.of(signed, "default"))[each.pk]
        return {other.document_id for other in found.fingerprints}

    assert looked_at(leader) == {member.pk for member in members}
    Pair.objects.all().delete()
    assert looked_at(leader) == {members[0].pk}


@pytest.mark.engines("sqlite")
@pytest.mark.parametrize("name", ["neardup", "text-profile", "minhash-lsh", "shingles", "longest-words"])
def test_a_group_stays_one_when_its_bucket_is_full(name, settings):
    options = {"word_guard": False} if name == "neardup" else {"guard": False}
    settings.NEARDUP = {"default": {"ALGORITHM": name, "BUCKET": 3, "OPTIONS": options}}
    for word in FRUIT:
        post(f"{FURNITURE}. Отдаю: {word}")
    work()
    assert [each.size for each in Cluster.objects.all()] == [10]


@pytest.mark.engines("sqlite")
def test_a_representative_within_the_cap_of_one_rare_key_counts_by_all_its_keys(settings):
    settings.NEARDUP = {"default": {"ALGORITHM": "longest-words", "BUCKET": 3, "OPTIONS": {"guard": False}}}
    leader = post(f"{FURNITURE}. Отдаю: неповторимость")
    for word in FRUIT[:8]:
        post(f"{FURNITURE}. Отдаю: {word}")
    last = post(f"{FURNITURE}. Отдаю: неповторимость, самовывоз")
    work()
    assert cluster(last) == cluster(leader) is not None


@pytest.mark.parametrize(
    ("name", "bucket", "place"),
    [
        ("neardup", 3, 0),
        pytest.param("long-sent", 3, 0, marks=pytest.mark.engines("sqlite")),
        pytest.param("profile-cosine", 64, -1, marks=pytest.mark.engines("sqlite")),
    ],
)
def test_an_exact_copy_is_found_among_many_variants(name, bucket, place, settings):
    """Twelve adverts of one template that a code tells apart; then a copy of one that stands outside the bucket, or
    of one that ten older ones come before."""
    settings.NEARDUP = {"default": {"ALGORITHM": name, "BUCKET": bucket}}
    posts = [post(TEMPLATE.format(f"С{number}.35")) for number in range(100, 220, 10)]
    copy = post(posts[place].text + "!")
    work()
    assert pair(posts[place], copy) is not None and pair(posts[place], copy).exact
    assert cluster(posts[place]) == cluster(copy) is not None


@pytest.mark.engines("sqlite")
def test_exact_copies_take_no_place_of_the_limit(settings):
    profile(settings, "profile-cosine", limit=1)
    near = post(f"{ARTICLES[0]} Тут.")
    for _ in range(3):
        post(f"{ARTICLES[0]} Там.")
    work()
    Pair.objects.all().delete()
    Membership.objects.all().delete()
    last = post(f"{ARTICLES[0]} Там.")
    work()
    assert pair(near, last) is not None and Pair.objects.filter(exact=True).count() == 3


@pytest.mark.engines("sqlite")
@pytest.mark.parametrize(("name", "more"), [("neardup", 0), ("md5", 1), ("profile-cosine", 1)])
def test_the_key_of_exact_copies_is_stored_once(name, more, settings):
    profile(settings, name)
    one = post(SOFA)
    work()
    signed = _sign_indexed(document(one), "default")
    assert Key.objects.count() == len(signed.algorithm.keys(signed.text)) + more
    assert len(signed.sure_keys) == more


@pytest.mark.engines("sqlite")
def test_the_key_table_holds_what_the_fingerprint_says():

    one = post(ARTICLES[0])
    work()
    stored = Fingerprint.objects.get()
    assert set(Key.objects.values_list("key", flat=True)) == set(unpack_keys(stored.keys))
    assert Key.objects.count() > 14
    one.text = SOFA
    one.save()
    work()
    assert set(Key.objects.values_list("key", flat=True)) == set(unpack_keys(Fingerprint.objects.get().keys))


@pytest.fixture
def crowd():
    """Posts of one template in three groups of two: the representatives, and the others."""
    texts = [TEMPLATE.format(f"С{number}.35") for number in (100, 110, 120)]
    leaders, others = [post(text) for text in texts], [post(f"{text} Торг уместен.") for text in texts]
    work()
    assert all(cluster(one) == cluster(other) is not None for one, other in zip(leaders, others))
    return leaders, others


def test_what_was_copied_is_compared_before_other_groups_representatives(crowd, settings):
    leaders, others = crowd
    settings.NEARDUP = {"default": {"MAX_ALIGNED": 2}}
    copy = post(f"{others[0].text} Самовывоз.")
    work()
    assert pair(others[0], copy) is not None and cluster(copy) == cluster(leaders[0])


def test_an_exact_copy_among_variants_joins_the_group_of_what_it_copies(settings):
    texts = [
        f"{TEMPLATE.format(f'С{number}.35')} Торг уместен, доставка городу." for number in range(100, 160, 10)
    ]
    leader = post(TEMPLATE.format("С100.35"))
    posts = [post(text) for text in texts]
    work()
    assert cluster(leader) == cluster(posts[0]) is not None
    settings.NEARDUP = {"default": {"MAX_ALIGNED": 1}}
    copy = post(texts[0])
    work()
    assert pair(posts[0], copy).exact and cluster(copy) == cluster(leader)


def test_a_grouped_post_that_is_edited_is_compared_with_those_that_it_is_likest_now(crowd, settings):
    leaders, others = crowd
    settings.NEARDUP = {"default": {"MAX_ALIGNED": 3}}
    others[0].text = f"{others[1].text} Самовывоз."
    others[0].save()
    work()
    assert pair(others[1], others[0]) is not None and cluster(others[0]) == cluster(leaders[1])
