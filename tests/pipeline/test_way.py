"""The way of a post: saved, marked, signed, compared, grouped, edited, hidden, deleted."""

import pytest
from django.db import connection, transaction

from django_neardup.adapters import Adapter, adapter_for
from django_neardup.exceptions import IndexUnavailable
from django_neardup.models import Cluster, Document, Fingerprint, Key, Membership, OpenItem, Pair
from django_neardup.moderation import ActionContext, delete
from django_neardup.pipeline import decide, drain, has_pending, mark, mark_queryset, withdraw, worker
from django_neardup.pipeline.clusters.moves import remove_relations as compared_no_more
from django_neardup.pipeline.open_items import refresh
from django_neardup.signals import cluster_changed, document_checked, memberships_changed
from tests.pipeline.families import family
from tests.pipeline.helpers import PIANO, PILES, SOFA, SOFA_EDITED, cluster, document, pair, post, work
from tests.testapp.models import (
    Ad,
    Article,
    ArticleProxy,
    LongArticle,
    Reply,
    ScopedPost,
    SlugPost,
    Topic,
    UuidPost,
)

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "other"])


def test_a_save_marks_and_a_turn_groups():
    one, two, other = post(SOFA), post(SOFA_EDITED), post(PIANO)
    assert document(one).state == Document.State.PENDING and not Key.objects.exists()
    work()
    assert document(one).state == Document.State.INDEXED
    assert cluster(one) == cluster(two) and cluster(one).leader == document(one)
    assert cluster(one).size == 2 and 0 < cluster(one).lowest < 1 and not cluster(one).exact
    assert cluster(other) is None and not Membership.objects.filter(document=document(other)).exists()


def test_no_post_waits_for_rows_of_the_review_queue(monkeypatch):
    monkeypatch.setattr(refresh, "_due", {})
    post(SOFA)
    work()
    forms, waiting = refresh.refresh_open_items, []

    def noted(using):
        waiting.append(has_pending(using))
        return forms(using)

    monkeypatch.setattr(refresh, "_due", {})
    monkeypatch.setattr(refresh, "refresh_open_items", noted)
    post(SOFA_EDITED)
    # A worker of RQ drains in a new process for each job, so nothing has been formed before.
    assert drain().processed
    assert waiting == [False] and OpenItem.objects.exists()


def test_a_drain_without_posts_forms_the_rows_of_decided_groups(monkeypatch):
    post(SOFA)
    two = post(SOFA_EDITED)
    monkeypatch.setattr(refresh, "_due", {})
    work()
    assert OpenItem.objects.exists()
    delete([two], ActionContext(cluster_id=Cluster.objects.get().pk, resolves_cluster=True))
    work()
    monkeypatch.setattr(refresh, "_due", {})
    assert not drain().processed
    assert not OpenItem.objects.exists()


def test_rows_of_decided_groups_are_formed_while_the_key_index_is_away(monkeypatch):
    def away(*args):
        raise IndexUnavailable("away")

    post(SOFA)
    two = post(SOFA_EDITED)
    monkeypatch.setattr(refresh, "_due", {})
    work()
    delete([two], ActionContext(cluster_id=Cluster.objects.get().pk, resolves_cluster=True))
    work()
    post(PIANO)
    monkeypatch.setattr(refresh, "_due", {})
    monkeypatch.setattr(worker, "process_batch", away)
    assert OpenItem.objects.exists()
    with pytest.raises(IndexUnavailable):
        drain()
    assert not OpenItem.objects.exists() and has_pending("default")


def test_exact_copies_are_said_to_be_exact():
    one, two = post(SOFA), post(SOFA.upper().replace("Е", "Ё"))
    work()
    assert pair(one, two).exact and cluster(one).exact and cluster(one).lowest == 1.0


def test_another_model_number_is_a_variant_and_never_grouped():
    one, two = post(PILES.format("С140.35")), post(PILES.format("С90.30"))
    work()
    assert pair(one, two).verdict == "variant" and pair(one, two).classes == "code"
    assert not Cluster.objects.exists()
    shown = str(pair(one, two).evidence)
    assert "140.35" in shown and "90.30" in shown


def test_empty_one_word_and_stop_words_only_are_skipped():
    posts = [
        post(text) for text in ("", "диван", "диван", "и в на не или", "и в на не или", "   ", "!!! 👍👍")
    ]
    work()
    assert {document(each).state for each in posts} == {Document.State.SKIPPED}
    assert not Pair.objects.exists() and not Key.objects.exists()


def test_an_edit_leaves_the_group_and_another_enters():
    one, two, three = post(SOFA), post(SOFA_EDITED), post(PIANO)
    work()
    two.text = PIANO
    two.save()
    work()
    assert cluster(one) is None and cluster(two) == cluster(three) is not None
    assert pair(one, two) is None


def test_the_index_follows_the_text_back_and_forth():
    one = post(SOFA)
    work()
    keys = set(Key.objects.values_list("key", flat=True))
    Ad.objects.filter(pk=one.pk).update(text=PIANO)
    mark(one)
    work()
    assert set(Key.objects.values_list("key", flat=True)).isdisjoint(keys)
    one.save()
    work()
    assert set(Key.objects.values_list("key", flat=True)) == keys


@pytest.mark.parametrize("meanwhile", ["кот", PIANO], ids=["too short", "another text"])
def test_who_is_met_with_a_passing_text_is_compared_with_the_lasting_one(meanwhile):
    one = post(SOFA)
    work()
    two = post(SOFA_EDITED)
    Ad.objects.filter(pk=one.pk).update(text=meanwhile)
    drain(limit=1)
    one.save()
    work()
    assert pair(one, two).verdict == "duplicate"
    assert {pair(one, two).digest_a, pair(one, two).digest_b} == {
        fingerprint.source_digest for fingerprint in Fingerprint.objects.all()
    }
    assert cluster(one) == cluster(two) is not None


def test_a_deleted_post_leaves_nothing_but_its_counter():
    one, two = post(SOFA, phone="+7 900 000-18-05"), post(SOFA_EDITED)
    work()
    key = document(one).pk
    one.delete()
    work()
    gone = Document.objects.get(pk=key)
    assert gone.state == Document.State.GONE and gone.wanted == gone.done > 1
    assert (
        not Fingerprint.objects.filter(document=key).exists()
        and not Key.objects.filter(document=key).exists()
    )
    assert not Pair.objects.exists() and not Cluster.objects.exists() and not gone.contacts.exists()
    assert document(two).state == Document.State.INDEXED


@pytest.mark.parametrize("act", ["delete", "hide", "edit"])
def test_when_the_representative_goes_the_rest_stays_together(act):
    first, *rest = [post(f"{SOFA} {end}") for end in ("Звоните.", "Пишите.", "Торг.", "Срочно.")]
    work()
    group = cluster(first)
    assert group.size == 4
    if act == "delete":
        first.delete()
    elif act == "hide":
        first.published = False
        first.save()
    else:
        first.text = PIANO
        first.save()
    work()
    assert len({cluster(each).pk for each in rest}) == 1
    assert cluster(rest[0]).leader == document(rest[0])
    assert cluster(rest[0]).size == (4 if act == "hide" else 3)
    assert cluster(rest[0]).wanted == cluster(rest[0]).done


@pytest.mark.parametrize("leave", ["edit", "delete"])
@pytest.mark.parametrize("copied", ["before", "after"])
def test_who_is_left_of_a_group_is_grouped_with_others_again(leave, copied):
    """The representative moves to another group, and before the rest is looked at, the only other member goes: the one
    that is left is like a copy of its own, which was not like the representative."""
    words, tail, head, between = (family(number) for number in (1, 2, 3, 4))
    # Words are inserted, not replaced: a replaced block makes another item of a text of this length.
    same = " ".join(words[:20] + between[:16] + words[20:] + tail[:8])
    elsewhere = post(" ".join(family(7)))
    copy = post(same) if copied == "before" else None
    first, left = post(" ".join(words)), post(" ".join(words + tail[:8]))
    going = post(" ".join(head[:6] + words))
    copy = copy or post(same)
    work()
    assert cluster(first).size == 3 and cluster(left) == cluster(going) == cluster(first)
    assert cluster(copy) is None and pair(left, copy).verdict == "duplicate"
    first.text = elsewhere.text
    first.save()
    if leave == "edit":
        going.text = " ".join(family(9))
        going.save()
    else:
        going.delete()
    work()
    assert cluster(first) == cluster(elsewhere)
    assert cluster(left) == cluster(copy)
    assert cluster(left).leader == document(left if copied == "after" else copy)


@pytest.mark.parametrize("copied", ["before", "after"])
def test_who_is_left_when_staff_take_the_new_representative_elsewhere_is_grouped_again(copied):
    words, tail, head, between = (family(number) for number in (1, 2, 3, 4))
    same = " ".join(head[:6] + words[:20] + between[:16] + words[20:])
    elsewhere, first = post(" ".join(family(7))), post(" ".join(words))
    second = post(" ".join(words + tail[:10]))
    left = post(" ".join(head[:6] + words))
    copy = post(same) if copied == "before" else None
    work()
    assert cluster(second) == cluster(left) == cluster(first)
    leaving = document(first)
    first.delete()
    compared_no_more(leaving, Fingerprint.objects.filter(document=leaving).get().scheme, "default")
    assert cluster(left).leader == document(second)
    decide("same", [document(elsewhere), document(second)], None, "default")
    copy = copy or post(same)
    work()
    assert cluster(second) == cluster(elsewhere)
    assert cluster(left) == cluster(copy) and cluster(left).leader == document(left)


def test_hidden_posts_never_lead():
    hidden, live = post(SOFA, published=False), post(SOFA_EDITED)
    work()
    assert cluster(hidden).leader == document(live)


def test_identity_overrides_the_text():
    one, two = post(SOFA, sku="A-1"), post(PIANO, sku="A-1")
    three = post(SOFA_EDITED, sku="B-2")
    work()
    assert pair(one, two).verdict == "duplicate" and cluster(one) == cluster(two)
    assert pair(one, three).verdict == "variant" and "identity" in pair(one, three).classes


def test_equal_identities_are_one_group_though_the_first_stands_outside_the_bucket(settings):
    settings.NEARDUP = {"default": {"BUCKET": 2}}
    ads = []
    for number in range(6):
        ads.append(post(" ".join(family(number)), sku="A-1"))
        work()
    assert [cluster(ad) for ad in ads] == [cluster(ads[0])] * 6
    ads[1].text = SOFA
    ads[1].save()
    work()
    assert pair(ads[0], ads[1]).verdict == "duplicate" and cluster(ads[1]) == cluster(ads[0])


def test_leave_is_remembered_and_can_be_withdrawn():
    one, two = post(SOFA), post(SOFA_EDITED)
    work()
    decision = decide("different", [document(one), document(two)], None, "default")
    assert cluster(one) is None and pair(one, two).decision == decision
    mark(one, recheck=True)
    work()
    assert cluster(one) is None
    withdraw(decision, None, "default")
    assert cluster(one) == cluster(two) is not None and pair(one, two).decision is None


def test_leave_opens_again_when_text_and_verdict_have_changed():
    one, two = post(SOFA), post(SOFA_EDITED)
    work()
    decide("different", [document(one), document(two)], None, "default")
    two.text = SOFA_EDITED + " Срочно."
    two.save()
    work()
    assert cluster(one) is None, "another text, the same verdict: the decision stands"
    two.text = PIANO
    two.save()
    work()
    two.text = SOFA.replace("третьего", "пятого").replace("угловой", "прямой")
    two.save()
    work()
    assert pair(one, two).verdict == "variant" and pair(one, two).decision is None


def test_a_person_may_group_what_the_texts_do_not():
    one, two = post(SOFA), post(PIANO)
    work()
    decide("same", [document(one), document(two)], None, "default")
    assert cluster(one) == cluster(two) is not None
    assert Membership.objects.get(document=document(two)).reason == Membership.Reason.DECISION


def test_one_member_against_the_rest():
    posts = [post(f"{SOFA} {end}") for end in ("Звоните.", "Пишите.", "Торг.")]
    work()
    documents = [document(each) for each in posts]
    decide(
        "different",
        documents,
        None,
        "default",
        sides={documents[0].pk: 1, documents[1].pk: 2, documents[2].pk: 2},
    )
    assert cluster(posts[0]) is None and cluster(posts[1]) == cluster(posts[2]) is not None


@pytest.mark.parametrize("model", [UuidPost, SlugPost])
def test_any_primary_key(model):
    named = [{"slug": "а/б?в=г д"}, {"slug": "а/б?в=г дё"}] if model is SlugPost else [{}, {}]
    one, two = (model.objects.create(text=text, **fields) for text, fields in zip((SOFA, SOFA_EDITED), named))
    work()
    assert document(one) != document(two) and cluster(one) == cluster(two) is not None


def test_posts_are_compared_inside_their_scope_and_may_move():
    here, there = ScopedPost.objects.create(site=1, text=SOFA), ScopedPost.objects.create(site=2, text=SOFA)
    third = ScopedPost.objects.create(site=1, text=SOFA_EDITED)
    work()
    assert cluster(here) == cluster(third) is not None and cluster(there) is None
    here.site = 2
    here.save()
    work()
    assert cluster(here) == cluster(there) is not None and cluster(third) is None
    assert pair(here, third) is None


def test_across_models_and_without_quotations():
    topic = Topic.objects.create(text=SOFA)
    reply = Reply.objects.create(text=SOFA_EDITED)
    answer = Reply.objects.create(
        text=f"[quote]{SOFA}[/quote] Подскажите, диван ещё продаётся или уже забрали?"
    )
    work()
    assert cluster(topic) == cluster(reply) is not None and cluster(answer) is None


def test_children_and_proxies_mark_their_registered_parent():
    article = Article.objects.create(text=SOFA)
    proxy = ArticleProxy.objects.create(text=SOFA_EDITED)
    child = LongArticle.objects.create(text=SOFA + " Торг.", source="газета")
    work()
    assert cluster(article).size == 3
    assert document(proxy).content_type.model == document(child).content_type.model == "article"
    child.delete()
    work()
    assert cluster(article).size == 2


def test_each_database_holds_its_own():
    one = Ad.objects.using("other").create(text=SOFA)
    two = Ad.objects.using("other").create(text=SOFA_EDITED)
    assert not Document.objects.exists()
    work("other")
    assert cluster(one, "other") == cluster(two, "other") is not None
    assert not Cluster.objects.exists()


def test_signals_tell_what_happened():
    told = []

    def checked(sender, document, **kwargs):
        told.append(("checked", document.object_id))

    def changed(sender, document, cluster, **kwargs):
        told.append(("changed", document.object_id))

    document_checked.connect(checked)
    cluster_changed.connect(changed)
    one, two = post(SOFA), post(SOFA_EDITED)
    work()
    assert told == [(what, str(each.pk)) for each in (one, two) for what in ("checked", "changed")]


def test_posts_that_enter_or_leave_clusters_are_sent_together(listen):
    sent = []

    def note(sender, documents, using, **kwargs):
        assert (sender, using) == (Ad, "default")
        assert connection.in_atomic_block
        sent.append({document.object_id for document in documents})

    listen(memberships_changed, note)
    one, two, other = post(SOFA), post(SOFA_EDITED), post(PIANO)
    work()
    assert sent == [{str(one.pk), str(two.pk)}]
    sent.clear()
    decide("different", [document(one), document(two)], None, "default")
    assert sent and set().union(*sent) == {str(one.pk), str(two.pk)}
    sent.clear()
    decide("same", [document(one), document(other)], None, "default")
    assert set().union(*sent) == {str(one.pk), str(other.pk)}
    sent.clear()
    left = {str(one.pk), str(other.pk)}
    one.delete()
    work()
    assert set().union(*sent) == left


def test_an_error_of_a_listener_aborts_the_change_of_clusters(listen):
    def refuse(documents, **kwargs):
        raise ZeroDivisionError

    one, two = post(SOFA), post(SOFA_EDITED)
    work()
    listen(memberships_changed, refuse)
    with pytest.raises(ZeroDivisionError):
        decide("different", [document(one), document(two)], None, "default")
    assert cluster(one) == cluster(two) is not None


def test_a_rollback_leaves_no_mark():
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        post(SOFA)
        raise ZeroDivisionError
    assert not Document.objects.exists()


def test_a_view_counter_costs_nothing(django_assert_num_queries):
    one = post(SOFA)
    work()
    one.hits += 1
    with django_assert_num_queries(1):
        one.save(update_fields=["hits"])
    assert document(one).wanted == document(one).done


def test_a_watched_field_marks(django_assert_num_queries):
    one = post(SOFA)
    work()
    with django_assert_num_queries(3):  # the note that the save begins, the save, the mark
        one.save(update_fields=["published"])
    assert document(one).wanted == document(one).done + 1


def test_a_second_turn_on_the_same_text_does_no_work(django_assert_max_num_queries):
    one = post(SOFA)
    work()
    mark(one)
    with django_assert_max_num_queries(16):
        drain()


def test_an_unreadable_post_is_set_aside_and_others_go_on(monkeypatch):
    adapter, text = adapter_for(Ad), type(adapter_for(Ad)).text
    bad, one, two = post(SOFA), post(SOFA_EDITED), post(SOFA)
    monkeypatch.setattr(
        type(adapter), "text", lambda self, ad: 1 / 0 if ad.pk == bad.pk else text(self, ad), raising=False
    )
    for _ in range(8):
        Document.objects.update(leased_until=None)
        drain()
    assert document(bad).state == Document.State.QUARANTINED and document(bad).reason == "ZeroDivisionError"
    assert cluster(one) == cluster(two) is not None
    monkeypatch.undo()
    bad.save()
    work()
    assert cluster(bad) == cluster(one) and document(bad).state == Document.State.INDEXED


def test_who_cannot_be_read_for_a_moment_is_not_compared_anew_for_that(monkeypatch):
    """He might fail each time, and have all that he meets look at him again."""
    adapter, text = adapter_for(Ad), type(adapter_for(Ad)).text
    one = post(SOFA)
    work()
    two = post(SOFA_EDITED)
    with monkeypatch.context() as patched:
        patched.setattr(
            type(adapter),
            "text",
            lambda self, ad: 1 / 0 if ad.pk == one.pk else text(self, ad),
            raising=False,
        )
        drain(limit=1)
    assert document(two).state == Document.State.INDEXED and pair(one, two) is None
    assert document(one).pending_since is not None and not document(one).recheck


@pytest.mark.parametrize(
    "text", ["\x00" + SOFA, SOFA + "\udcff\ud800", "😀" * 3 + SOFA, SOFA.replace(" ", "\u0000 ")]
)
def test_odd_characters_lose_nothing(text, monkeypatch):
    one, two = post(SOFA), post("пусто")
    kind = type(adapter_for(Ad))
    plain = kind.text
    monkeypatch.setattr(
        kind, "text", lambda self, ad: text if ad.pk == two.pk else plain(self, ad), raising=False
    )
    work()
    assert cluster(one) == cluster(two) is not None


def test_bulk_changes_can_be_marked():
    one, two = post(SOFA), post(PIANO)
    work()
    Ad.objects.filter(pk=two.pk).update(text=SOFA_EDITED)
    assert mark_queryset(Ad.objects.all()) == 2
    work()
    assert cluster(one) == cluster(two) is not None


def test_bulk_changes_of_children_mark_parents_too(monkeypatch):
    from django_neardup import registry

    child = LongArticle.objects.create(text=SOFA, source="газета")
    work()
    own = type("LongArticleNeardup", (Adapter,), {"fields": ["text", "source"]})
    monkeypatch.setitem(registry._registry, LongArticle, own(LongArticle))
    assert mark_queryset(LongArticle.objects.filter(pk=child.pk)) == 1
    marked = Document.objects.filter(pending_since__isnull=False)
    assert {each.content_type.model for each in marked} == {"article", "longarticle"}


@pytest.mark.engines("mariadb")
def test_a_key_that_was_changed_in_case_alone_is_another_post():
    old, near = (
        SlugPost.objects.create(slug=slug, text=text) for slug, text in (("Abc", SOFA), ("zzz", SOFA_EDITED))
    )
    work()
    SlugPost.objects.filter(pk="Abc").update(slug="abc")
    mark(near, recheck=True)
    mark(old)
    work()
    states = dict(Document.objects.values_list("object_id", "state"))
    assert (states["zzz"], states["Abc"]) == (Document.State.INDEXED, Document.State.GONE)


def test_a_cluster_is_logged_at_the_alarm_and_each_time_it_has_doubled(monkeypatch, caplog):
    from django_neardup.pipeline.clusters import aggregates

    monkeypatch.setattr(aggregates, "WARN_SIZE", 3)
    for _ in range(7):
        post(SOFA)
        work()
    assert [record.args[1] for record in caplog.records if "has grown" in record.msg] == [3, 6]


def test_fifty_steps_of_a_chain_stay_apart():
    sentences = [f"{' '.join(family(number)[:10])}." for number in range(62)]
    posts = [post(" ".join(sentences[step : step + 12])) for step in range(50)]
    work()
    assert all(pair(one, two).verdict == "duplicate" for one, two in zip(posts, posts[1:]))
    assert max(each.size for each in Cluster.objects.all()) <= 8
    assert Cluster.objects.count() >= 6


def test_declared_contacts_and_those_in_the_text_are_one():
    one, two = post(SOFA, phone="8 (900) 000-18-05"), post(SOFA_EDITED + " Звоните +7 900 000-18-05.")
    work()
    (mine,), (theirs,) = (set(document(each).contacts.values_list("hash", flat=True)) for each in (one, two))
    assert mine == theirs
