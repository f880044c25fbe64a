"""Whatever happens in whatever order, the index is the one that a rebuild makes, and every cluster holds good."""

from contextlib import suppress

import pytest
from django.db.models import F
from hypothesis import HealthCheck
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from django_neardup.adapters import adapter_for
from django_neardup.clustering import leaders
from django_neardup.conf import get_site_settings
from django_neardup.exceptions import MergeRefused
from django_neardup.models import (
    ChangedDocument,
    Cluster,
    Decision,
    DecisionMember,
    Document,
    FamilyMember,
    Fingerprint,
    Key,
    Membership,
    MergeRecord,
    OpenItem,
    Pair,
)
from django_neardup.moderation import ActionContext, hide
from django_neardup.moderation.undo.restore import undo
from django_neardup.pipeline import decide, drain, mark, schemes, withdraw, work_queue
from django_neardup.pipeline.clusters import graph, repair
from django_neardup.pipeline.open_items import rebuild_open_items, refresh_open_items
from django_neardup.pipeline.open_items.conditions import open_pairs
from django_neardup.pipeline.read import read_many
from django_neardup.pipeline.sign import sign_many
from django_neardup.pipeline.store import store_many
from django_neardup.signals import memberships_changed
from tests.fuzzing import TIMES, examples
from tests.pipeline.families import family
from tests.pipeline.helpers import document, snapshot, work
from tests.pipeline.test_races import rebuild
from tests.testapp.models import Ad, Author

EVERYTHING = (
    OpenItem,
    ChangedDocument,
    MergeRecord,
    FamilyMember,
    DecisionMember,
    Decision,
    Key,
    Fingerprint,
    Pair,
    Membership,
    Cluster,
    Document,
    Ad,
)
MOST = 8

texts = st.builds(
    lambda number, at, length, model: _edited(number, at, length, model),
    st.integers(0, 1), st.integers(0, 12), st.integers(0, 14), st.sampled_from(["", "", "С140.35", "С90.30"]),
)  # fmt: skip
places = st.integers(0, MOST - 1)


def _edited(number, at, length, model):
    """A text of a family with some of its words replaced, perhaps with a model number."""
    words, others = family(number), family(10 + at)
    words[at : at + length] = others[at : at + length]
    return " ".join([*words, model])


class Site(RuleBasedStateMachine):
    """Posts are saved, edited, hidden, drafted, moved, deleted; people decide; workers die between two steps, and in
    repairs."""

    @initialize()
    def begin(self):
        for model in EVERYTHING:
            model.objects.all().delete()
        self.ads, self.decisions = [], []
        self.clusters, self.changed = {}, set()
        memberships_changed.connect(self.note_changes, sender=Ad)
        for key in (1, 2):
            Author.objects.get_or_create(pk=key)

    def note_changes(self, documents, **values):
        self.changed.update(document.pk for document in documents)

    def assert_changes_were_sent(self):
        """A copy of the memberships that is corrected around the documents of the signal alone is right."""
        stored = dict(Membership.objects.values_list("document", "cluster"))
        for key in self.changed:
            self.clusters[key] = stored.get(key)
        self.changed.clear()
        assert {document: cluster for document, cluster in self.clusters.items() if cluster} == stored

    def ad(self, place):
        return self.ads[place % len(self.ads)]

    @precondition(lambda self: len(self.ads) < MOST)
    @rule(
        text=texts,
        published=st.booleans(),
        sku=st.sampled_from(["", "", "", "A", "B"]),
        author=st.sampled_from([None, 1, 1, 2]),
    )
    def save(self, text, published, sku, author):
        self.ads.append(Ad.objects.create(text=text, published=published, sku=sku, author_id=author))

    @precondition(lambda self: self.ads)
    @rule(place=places, author=st.sampled_from([None, 1, 2]))
    def give_away(self, place, author):
        self.ad(place).author_id = author
        self.ad(place).save()

    @precondition(lambda self: self.ads)
    @rule(place=places, text=texts)
    def edit(self, place, text):
        self.ad(place).text = text
        self.ad(place).save()

    @precondition(lambda self: self.ads)
    @rule(place=places)
    def hide_or_show(self, place):
        ad = self.ad(place)
        ad.published = not ad.published
        ad.save(update_fields=["published"])

    @precondition(lambda self: self.ads)
    @rule(place=places)
    def draft_or_back(self, place):
        ad = self.ad(place)
        ad.hits = 0 if ad.hits < 0 else -1
        ad.save()

    @precondition(lambda self: self.ads)
    @rule(place=places)
    def move(self, place):
        ad = self.ad(place)
        ad.phone = "" if ad.phone else "elsewhere"
        ad.save()

    @precondition(lambda self: self.ads)
    @rule(place=places)
    def delete(self, place):
        self.ads.pop(place % len(self.ads)).delete()

    @precondition(lambda self: self.ads)
    @rule(place=places)
    def recheck(self, place):
        mark(self.ad(place), recheck=True)

    @precondition(lambda self: len(self.ads) > 1)
    @rule(kind=st.sampled_from(["same", "different"]), first=places, second=places, apart=st.booleans())
    def decide(self, kind, first, second, apart):
        chosen = {
            document(self.ad(place)).pk: document(self.ad(place)) for place in (first, second, first + 1)
        }
        spaces = {each.space_id for each in chosen.values()}
        if len(chosen) < 2 or len(spaces) > 1 or None in spaces:
            return
        sides = {pk: 1 + bool(number) for number, pk in enumerate(chosen)} if apart else None
        self.decisions.append(decide(kind, list(chosen.values()), None, "default", sides=sides))

    @precondition(lambda self: self.decisions)
    @rule(place=places)
    def withdraw(self, place):
        withdraw(self.decisions.pop(place % len(self.decisions)), None, "default")

    @precondition(lambda self: self.ads)
    @rule(place=places)
    def die_after_signing(self, place):
        row = work_queue.lease_row(Document, document(self.ad(place)).pk, "default", 60)
        if row is None:
            return
        reads = read_many([row], "default")
        if reads[0].source is not None:
            scheme = schemes.active_scheme(reads[0].adapter.settings, "default")
            signed, _ = sign_many(reads, scheme, "default")
            if signed:
                store_many(signed, "default")
        Document.objects.update(leased_until=None, attempts=0)  # who kills too often is set aside

    @rule()
    def give_repairs_up(self):
        Cluster.objects.filter(pending_since__isnull=False).update(attempts=get_site_settings().max_attempts)

    @precondition(lambda self: self.ads)
    @rule(place=places)
    def hide_by_staff(self, place):
        hide([self.ad(place)], ActionContext())
        self.ad(place).refresh_from_db()

    @rule()
    def undo_by_staff(self):
        for record in MergeRecord.objects.filter(undone=None).order_by("-pk")[:1]:
            # The post may be gone since.
            with suppress(MergeRefused):
                undo(record, None, "default")
        for ad in self.ads:
            ad.refresh_from_db()

    @rule()
    def look_at_the_queue(self):
        assert_rows()
        self.assert_changes_were_sent()

    @rule(turns=st.integers(1, 3))
    def drain_some(self, turns):
        drain(limit=turns)

    @rule()
    def drain_all(self):
        work()
        assert_sound()

    def teardown(self):
        work()
        assert_sound()
        by_events = everything()
        self.assert_changes_were_sent()
        rebuild()
        assert everything() == by_events
        self.assert_changes_were_sent()
        memberships_changed.disconnect(self.note_changes, sender=Ad)


def assert_sound():
    """Nothing waits; every member is verified with its representative, or bound by a person."""
    assert all(row.done == row.wanted and not row.recheck for row in Document.objects.all())
    assert not Membership.objects.exclude(document__space=F("cluster__space")).exists()
    digests = dict(Fingerprint.objects.values_list("document", "source_digest"))
    pairs = {(row.a_id, row.b_id): row for row in Pair.objects.all()}
    for cluster in Cluster.objects.select_related("leader"):
        led = dict(cluster.memberships.values_list("document", "reason"))
        assert cluster.done == cluster.wanted and cluster.size == len(led) > 1
        assert led.pop(cluster.leader_id) == Membership.Reason.LEADER
        assert cluster.leader.live and digests.keys() >= led.keys()
        for member, reason in led.items():
            found = pairs.get(tuple(sorted([member, cluster.leader_id])))
            verified = found is not None and found.verdict == "duplicate"
            assert verified == (reason == Membership.Reason.DUPLICATE)
    for key, row in pairs.items():
        assert (row.digest_a, row.digest_b) == tuple(digests[document] for document in key)
    assert_families(pairs.values(), digests)
    assert_rows()


def assert_rows():
    """The rows of the queue that were formed around changes are those of what is stored, also between two turns."""
    refresh_open_items("default")
    formed, marked = rows_of_the_queue(), {*Pair.objects.filter(open=True)}
    assert marked == {*open_pairs(Pair.objects.all())}
    rebuild_open_items("default")
    assert formed == rows_of_the_queue()
    assert marked == {*Pair.objects.filter(open=True)}


def rows_of_the_queue():
    columns = [field.attname for field in OpenItem._meta.concrete_fields if field.name != "id"]
    return {
        item.item_key: (
            {name: getattr(item, name) for name in columns},
            {*item.documents.values_list("pk", flat=True)},
        )
        for item in OpenItem.objects.all()
    }


def assert_families(pairs, digests):
    """Leaders of clusters and lone posts are in the family of the earliest leader beside which they are offered."""
    led_by = dict(Membership.objects.values_list("document", "cluster__leader"))
    rows = [row for row in Document.objects.filter(live=True) if led_by.get(row.pk, row.pk) == row.pk]
    leaders_of_families, expected = [], {}
    offered = {(row.a_id, row.b_id): row.doubtful for row in pairs if is_offered(row)}
    for row in sorted(rows, key=lambda row: row.static_order):
        if row.pk not in digests:
            continue
        beside = [
            (leader, offered[key])
            for leader in leaders_of_families
            if (key := tuple(sorted([leader, row.pk]))) in offered
        ]
        if beside:
            expected[row.pk] = beside[0]
        else:
            leaders_of_families.append(row.pk)
    stored = FamilyMember.objects.values_list("document", "leader", "doubtful")
    assert {document: (leader, doubtful) for document, leader, doubtful in stored} == expected
    assert not FamilyMember.objects.exclude(document__space=F("space")).exists()


def is_offered(pair):
    return pair.verdict == "variant" or (pair.verdict == "related" and pair.doubtful)


def everything():
    """The snapshot, and all that is said of clusters and members."""
    members = Membership.objects.order_by("document").values_list(
        "document", "cluster__leader", "reason", "exact", "digest", "score"
    )
    clusters = Cluster.objects.order_by("leader").values_list("leader", "size", "exact", "lowest", "weakest")
    decided = Pair.objects.order_by("a", "b").values_list("a", "b", "decision")
    return snapshot(), list(members), list(clusters), list(decided)


@pytest.fixture(params=[False, True], ids=["", "little at once"])
def little_at_once(request, monkeypatch):
    """Whether clusters are decided on a document at a time, with no pair kept from one to the next."""
    if request.param:
        monkeypatch.setattr(leaders, "PREFETCH_SIZE", 1)
        monkeypatch.setattr(graph, "PREFETCH_SIZE", 1)
        monkeypatch.setattr(graph, "MAX_CACHED_PAIRS", -1)
        monkeypatch.setattr(repair, "MEMBERS_PER_BATCH", 1)


@pytest.mark.hypothesis
@pytest.mark.engines("sqlite")
@pytest.mark.usefixtures("little_at_once")
@pytest.mark.django_db(transaction=True, databases=["default"])
def test_any_history_comes_to_what_a_rebuild_does(monkeypatch):
    monkeypatch.setattr(type(adapter_for(Ad)), "compared", lambda self: Ad.objects.filter(hits__gte=0))
    monkeypatch.setattr(type(adapter_for(Ad)), "scope", ["phone"])
    run_state_machine_as_test(
        Site,
        settings=examples(
            25, stateful_step_count=25, derandomize=TIMES == 1, database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
