"""What was done to a post as a multi-table child of the registered model, told and heeded in the admin."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib import admin
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from django_neardup import registry
from django_neardup.admin.conflicts import find_earlier_decision
from django_neardup.admin.decision_request import SeenState
from django_neardup.admin.pending_by_post import (
    in_cluster_condition,
    load_pending_decisions,
    pending_condition,
)
from django_neardup.models import Document, MergeRecord, Pair
from django_neardup.moderation import ActionContext, delete, hide, merge
from django_neardup.moderation.undo.restore import undo
from django_neardup.pipeline import mark
from django_neardup.pipeline.open_items.conditions import open_pairs
from tests import builders
from tests.admin.tools import page_of, request_of
from tests.testapp.models import Article, LongArticle
from tests.testapp.neardup import ArticleNeardup, NoticeNeardup
from tests.testapp.zoo import Bulletin, Notice

pytestmark = pytest.mark.django_db

DEEDS = {
    "hide": lambda keeper, child: hide([child], ActionContext()),
    "delete": lambda keeper, child: delete([child], ActionContext()),
    "merge": lambda keeper, child: merge(keeper, [child], ActionContext()),
}


class Hidden(ArticleNeardup):
    def hide(self, article):
        """The tests look at the record alone."""

    show = hide


@pytest.fixture(params=["a key of its own", "its parent's key"])
def children(request, monkeypatch):
    """Three posts; where they have keys of their own, each one's is another's as a post of the parent's."""
    if request.param == "its parent's key":
        monkeypatch.setitem(registry._registry, Article, Hidden(Article))
        return [LongArticle.objects.create(text=f"text {number}") for number in range(3)]
    monkeypatch.setitem(registry._registry, Notice, NoticeNeardup(Notice))
    notices = [Notice.objects.create(text=f"text {number}") for number in range(3)]
    for number, notice in enumerate(notices):
        Bulletin(number=notices[number - 1].pk, notice=notice, text=notice.text).save()
        mark(notice)
    return [Bulletin.objects.get(notice=notice) for notice in notices]


def parent(child):
    """The same post as one of the registered model."""
    model = Article if isinstance(child, LongArticle) else Notice
    return model.objects.get(text=child.text)


def paired(one, two):
    return builders.pair(parent(one), parent(two), "variant")


def wanted(pair, side):
    """The pair whose post waits for its turn."""
    Document.objects.filter(pk=getattr(pair, f"{side}_id")).update(wanted=5, done=4)
    return pair


def number(post):
    return f"№\N{NO-BREAK SPACE}{post.pk}"


def events(client, pair):
    return [event.text for event in client.get(page_of(pair)).context["history"]]


class TestWaiting:
    @pytest.mark.parametrize("side", ["a", "b"])
    @pytest.mark.parametrize("deed", DEEDS)
    def test_what_was_done_to_a_child_takes_its_pair_away_at_once(self, deed, side, children):
        first, second, _third = children
        pair = paired(first, second)
        keeper, other = (second, first) if side == "a" else (first, second)
        DEEDS[deed](keeper, other)
        wanted(pair, side)

        assert not open_pairs(Pair.objects.all()).exists()

    def test_no_other_post_is_taken_for_it(self, children):
        first, second, third = children
        pair = wanted(wanted(paired(first, second), "a"), "b")
        hide([third], ActionContext())

        assert open_pairs(Pair.objects.all()).get() == pair

    def test_what_was_undone_waits_again(self, children):
        first, second, _third = children
        pair = wanted(paired(first, second), "b")
        (record,) = DEEDS["merge"](first, second)
        undo(record, None, "default")
        wanted(pair, "b")

        assert open_pairs(Pair.objects.all()).get() == pair


class TestFirst:
    @staticmethod
    def first(pair):
        seen = SeenState("", timezone.now() - timedelta(minutes=5), (pair.a_id, pair.b_id))
        request = RequestFactory().get("/")
        request.user = AnonymousUser()
        return find_earlier_decision(f"p{pair.pk}", seen, request, "default")

    @pytest.mark.parametrize("deed", DEEDS)
    def test_what_was_done_to_a_child_is_told(self, deed, children):
        first, second, _third = children
        pair = paired(first, second)
        (record,) = DEEDS[deed](first, second)

        assert self.first(pair).decision_or_record == record

    def test_what_was_merged_into_a_child_is_told(self, children):
        first, second, third = children
        pair = paired(first, second)
        (record,) = merge(first, [third], ActionContext())

        assert self.first(pair).decision_or_record == record

    def test_no_other_post_is_taken_for_it(self, children):
        first, second, third = children
        pair = paired(first, second)
        hide([third], ActionContext())

        assert self.first(pair) is None


class TestHistory:
    def test_what_was_done_to_a_child_and_undone(self, root, children):
        first, second, _third = children
        pair = paired(first, second)
        (record,) = hide([second], ActionContext())
        MergeRecord.objects.update(undone=record.created + timedelta(hours=1))
        Document.objects.update(live=True)

        assert events(root, pair)[:1] == [f"Undone for {number(parent(second))}."]
        assert f"{number(parent(second))} was hidden." in events(root, pair)

    def test_what_was_merged_into_a_child(self, root, children):
        first, second, third = children
        pair, gone = paired(first, second), number(parent(third))
        merge(first, [third], ActionContext())

        assert f"{gone} was merged into {number(parent(first))}." in events(root, pair)

    def test_no_other_post_is_taken_for_it(self, root, children):
        first, second, third = children
        pair = paired(first, second)
        hide([third], ActionContext())

        assert len(events(root, pair)) == 1

    def test_its_queries_do_not_grow_with_what_was_done(self, root, children):
        first, second, _third = children
        pair = paired(first, second)

        def queries(deeds):
            for _each in range(deeds):
                hide([second], ActionContext())
            Document.objects.update(live=True)
            with CaptureQueriesContext(
                connection,
            ) as told:
                events(root, pair)
            return len(told)

        queries(1)
        assert queries(1) == queries(5)


class TestLists:
    @pytest.mark.parametrize("condition", [pending_condition, in_cluster_condition])
    def test_children_are_found_by_their_posts(self, condition, children, root):
        first, second, _third = children
        builders.cluster(parent(first), parent(second))

        of_posts = condition(type(first), request_of(root.user), "default")
        assert set(type(first).objects.filter(of_posts)) == {first, second}
        assert type(first).objects.exclude(of_posts).count() == 1

    def test_the_list_of_its_pairs_is_asked_for_the_number_of_the_post(self, root, children):
        first, second, third = children
        pairs = {paired(first, second).pk, paired(first, third).pk}
        paired(second, third)

        (waits,) = load_pending_decisions([first], request_of(root.user), admin.site, "default").values()
        assert {pair.pk for pair in root.get(waits.decision_url("admin")).context["cl"].result_list} == pairs
