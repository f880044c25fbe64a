"""Posts of every standing of two tenants, each with a word of its own, and rows of every kind about them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from random import Random
from typing import Any

from django.contrib.auth import get_user_model
from django.test import Client

from django_neardup.models import (
    Contact,
    Decision,
    Document,
    Hold,
    IgnoredPassage,
    KeyPhrase,
    MergeRecord,
    MovedUrl,
    Space,
)
from django_neardup.pipeline import decide, drain
from django_neardup.pipeline.open_items import rebuild_open_items
from tests import builders
from tests.admin.tools import confirm
from tests.permissions.site import HIDDEN, STANDINGS
from tests.testapp.models import Ad, Author, Comment

SYLLABLES = ["ба", "ва", "га", "да", "жа", "за", "ка", "ла", "ма", "на"]
PASSAGE = "трубы стальные новые и бывшие в работе"


@dataclass
class Post:
    """An advert as the rule sees it. ``is_gone``: it was merged or deleted."""

    key: int
    word: str
    tenant: str
    standing: str
    is_public: bool
    is_gone: bool = False


@dataclass
class Case:
    """The posts of one tenant and standing, each beside a plain post, and the rows about them.

    ``posts``: by the name of the row, the post of this standing and the plain one. ``rows``: what the addresses name.
    """

    tenant: str
    standing: str
    posts: dict[str, tuple[Post, Post]] = field(default_factory=dict)
    rows: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.standing} {self.tenant}"


@dataclass
class World:
    cases: list[Case]
    posts: list[Post]
    boss: Client
    phrase: KeyPhrase
    passage: IgnoredPassage


class Maker:
    """Makes the posts and the rows of the cases."""

    def __init__(self, boss: Client) -> None:
        self.boss = boss
        self.posts: list[Post] = []
        self.random = Random(7)

    def post(self, tenant: str, standing: str, text: str, **fields: Any) -> tuple[Ad, Post]:
        number = f"{len(self.posts):04d}"
        word = "тай" + "".join(SYLLABLES[int(digit)] for digit in number)
        values = {"published": STANDINGS[standing], **fields}
        ad = Ad.objects.create(title=word, text=f"{text} {word}", sku=tenant, phone=standing, **values)
        if standing == "commented":
            Comment.objects.create(ad=ad, text="c")
        made = Post(ad.pk, word, tenant, standing, ad.published and ad.hits != HIDDEN)
        self.posts.append(made)
        return ad, made

    def text(self) -> str:
        """Return words that no other text has."""
        return " ".join(
            "".join(self.random.choice(SYLLABLES) for _syllable in range(4)) for _word in range(16)
        )

    def indexed(self, case: Case) -> None:
        """Make two equal posts that the index knows, of a text that no other case has."""
        text = case.rows["text"] = self.text()
        _ad, subject = self.post(case.tenant, case.standing, text)
        _ad, mate = self.post(case.tenant, "plain", text)
        case.posts["indexed"] = subject, mate

    def two(self, case: Case, name: str, leads: bool = False, **fields: Any) -> tuple[Ad, Ad]:
        """Make a post of the case and a plain one. The first one leads, and is proposed to stay."""
        text, made = self.text(), {}
        for is_subject in (leads, not leads):
            standing, values = (case.standing, fields) if is_subject else ("plain", {})
            made[is_subject] = self.post(case.tenant, standing, text, **values)
        (ad, subject), (other, mate) = made[True], made[False]
        case.posts[name] = subject, mate
        return ad, other

    def fill(self, case: Case) -> None:
        """Make the rows of a case past the pipeline."""
        where, rows = Space.objects.get(scope=f'["{case.tenant}"]'), case.rows
        subject, mate = self.two(case, "cluster")
        rows["cluster"] = builders.cluster(mate, subject, space=where)
        rows["document"] = builders.document(subject, space=where)
        subject, mate = self.two(case, "led", leads=True)
        rows["led"] = builders.cluster(subject, mate, space=where)
        author = Author.objects.create(name=f"author {case}")
        subject, mate = self.two(case, "pair", author=author)
        rows["pair"] = builders.pair(mate, subject, "variant", doubtful=True, space=where)
        rows["author"] = author.pk
        rows["shortlist"] = max(rows["pair"].a_id, rows["pair"].b_id)
        rows["contact"] = -1000 - len(self.posts)
        Contact.objects.create(
            hash=rows["contact"], document=builders.document(subject, space=where, author=str(author.pk))
        )
        subject, mate = self.two(case, "family")
        builders.family(mate, subject, doubtful=True, space=where)
        rows["family"] = builders.document(mate, space=where).pk
        subject, mate = self.two(case, "decision")
        pair = builders.pair(mate, subject, "variant", space=where)
        rows["decision"] = decide("different", [pair.a, pair.b], self.boss.user, "default")
        for name, outcome in (("merge", "merge"), ("delete", "delete"), ("hide", "hide"), ("lost", "merge")):
            leads = name in ("merge", "delete")
            subject, mate = self.two(case, name, leads)
            keeper, loser = (subject, mate) if leads else (mate, subject)
            confirm(self.boss, outcome, builders.cluster(keeper, loser, space=where))
            rows[name] = MergeRecord.objects.latest("pk")
        case.posts["merge"][1].is_gone = case.posts["delete"][1].is_gone = True
        case.posts["lost"][0].is_gone, case.posts["hide"][0].is_public = True, False
        rows["movedurl"] = MovedUrl.objects.get(record=rows["lost"])
        for number in range(2):
            subject, mate = self.two(case, f"copies{number}", leads=True, author=author)
            copies = builders.cluster(subject, mate, exact=True, space=where)
            Document.objects.filter(membership__cluster=copies).update(author=f"copier {case}")
            rows.setdefault("copies", copies.leader_id)
        subject, mate = self.two(case, "hold", hits=HIDDEN)
        builders.pair(mate, subject, space=where)
        held = builders.document(subject, space=where)
        rows["hold"] = Hold.objects.create(
            document=held, state="review", verdict="duplicate", digest=held.fingerprints.get().source_digest
        )


def populate(tenants: Collection[str], standings: dict[str, Collection[str]]) -> World:
    """Make the cases of the tenants. ``standings``: those of each tenant."""
    owner = get_user_model().objects.create_superuser("owner")
    boss: Any = Client()
    boss.force_login(owner)
    boss.user = owner
    maker = Maker(boss)
    cases = [Case(tenant, standing) for tenant in tenants for standing in standings[tenant]]
    for case in cases:
        maker.indexed(case)
    assert not drain("default").has_pending
    for case in cases:
        maker.fill(case)
    phrase, passage = KeyPhrase.objects.create(text="сваи"), IgnoredPassage.objects.create(text=PASSAGE)
    assert Decision.objects.count() == len(cases)
    # Posts that were acted on are in no row until the worker has processed them.
    assert not drain("default").has_pending
    rebuild_open_items("default")
    return World(cases, maker.posts, boss, phrase, passage)
