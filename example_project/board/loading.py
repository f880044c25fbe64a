"""From the texts in `content` to rows: the same texts, authors and order at every run, dates counted back from now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

from content import OUTLETS, SECTIONS, SHELVES, Advert, Message, Report, adverts, people, reports, threads
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Q
from django.utils import timezone
from forum.models import Post, Section, Topic
from news.models import Article, Outlet

import django_neardup as neardup
from board.models import Ad, AdReport, Category, Favorite, Note, Photo

SEED = 140_35
DAYS = 45
VIEWS = ["спереди", "сбоку", "вблизи", "документы", "царапина, о которой в тексте", "в работе", "упаковка"]

DRAFT = {
    "title": "Насос для велосипеда",
    "text": "Напольный, с манометром, под оба ниппеля. Дописать, сколько атмосфер держит.",
    "city": "Екатеринбург",
    "phone": "+7 900 000-44-05",
}


class Loader:
    def __init__(self) -> None:
        self._rng = Random(SEED)
        self._now = timezone.now()
        self._begin = self._now - timedelta(days=DAYS)
        self._people = {person.username: person for person in people()}
        self._users: dict[str, User] = {}
        self._shelves: dict[str, Category] = {}

    def load(self) -> str:
        """Everything, in one go; says how much."""
        self._load_users()
        self._load_shelves()
        self._load_around(self._load_ads())
        self._load_waiting()
        posts = self._load_forum()
        articles = self._load_news()
        return (
            f"Loaded {Ad.objects.count()} adverts, {posts} forum messages and {articles} articles "
            f"by {len(self._users)} people."
        )

    def _load_users(self) -> None:
        for person in self._people.values():
            first, _, last = person.name.partition(" ")
            user = User(username=person.username, email=person.email, first_name=first, last_name=last)
            user.set_unusable_password()
            user.save()
            self._users[person.username] = user
        demo = self._users["demo"]
        demo.set_password("demo")
        demo.save()
        User.objects.create_superuser("admin", "admin@example.org", "admin")
        moderator = User.objects.create_user("moderator", "moderator@example.org", "moderator", is_staff=True)
        moderator.groups.add(self._moderators())

    def _moderators(self) -> Group:
        """May look at posts, change and hide them and work on look-alikes; may not delete or see accounts."""
        group = Group.objects.create(name="Модераторы")
        site = Q(content_type__app_label__in=["board", "forum", "news"]) & ~Q(codename__startswith="delete_")
        neardup = Q(content_type__app_label="neardup") & ~Q(codename__startswith="delete_")
        group.permissions.set(Permission.objects.filter(site | neardup))
        return group

    def _load_shelves(self) -> None:
        for slug, name, children in SHELVES:
            parent = Category.objects.create(slug=slug, name=name)
            for child, title in children:
                self._shelves[child] = Category.objects.create(slug=child, name=title, parent=parent)

    def _load_ads(self) -> list[Ad]:
        """Adverts in the order of their dates, as a site gets them; a repeat comes after its original."""
        dated: list[tuple[datetime, Advert]] = []
        for advert in adverts(self._rng):
            share = self._rng.uniform(0.03, 0.45) if advert.repeat else self._rng.random()
            earliest = dated[-1][0] if advert.repeat else self._begin
            dated.append((earliest + (self._now - earliest) * share, advert))
        return [self._load_ad(moment, advert) for moment, advert in sorted(dated, key=lambda pair: pair[0])]

    def _load_ad(self, moment: datetime, advert: Advert) -> Ad:
        seller = self._people[advert.seller]
        ad = Ad.objects.create(
            title=advert.title,
            text=advert.text,
            price=advert.price,
            city=advert.city,
            phone=self._spelt(seller.phone),
            email=seller.email if self._rng.random() < 0.4 else "",
            user=self._users[advert.seller],
            published=advert.category == "build-materials" or self._rng.random() < 0.97,
            created=moment,
            hits=int(self._rng.paretovariate(1.1) * 12) % 4000,
        )
        ad.categories.add(self._shelves[advert.category])
        views = self._rng.sample(VIEWS, self._rng.randrange(4))
        Photo.objects.bulk_create(Photo(ad=ad, caption=view) for view in views)
        return ad

    def _load_around(self, ads: list[Ad]) -> None:
        """Favourites, reports and notes: what a merge has to carry over."""
        users = list(self._users.values())
        for ad in ads:
            fans = self._rng.sample(users, self._rng.choice([0, 0, 0, 1, 1, 2, 4]))
            Favorite.objects.bulk_create(Favorite(user=user, ad=ad) for user in fans)
        for ad in self._rng.sample(ads, 30):
            reason, user = self._rng.choice(AdReport.Reason.values), self._rng.choice(users)
            AdReport.objects.create(ad=ad, reason=reason, user=user, created=self._moment_after(ad.created))
        moderator = User.objects.get(username="moderator")
        for ad in self._rng.sample(ads, 12):
            Note.objects.create(about=ad, text="Автору написали, ждём ответа.", author=moderator)

    def _load_waiting(self) -> None:
        """What only "demo" sees of hers: a repeat that waits for a moderator, and a draft."""
        demo = self._users["demo"]
        neardup.hold(demo.ads.order_by("created").last())
        draft = Ad.objects.create(**DRAFT, user=demo, published=False, draft=True)
        draft.categories.add(self._shelves["bikes"])

    def _load_forum(self) -> int:
        """Threads, message by message in the order of their dates."""
        sections = {slug: Section.objects.create(slug=slug, title=title, position=number)
                    for number, (slug, title) in enumerate(SECTIONS)}  # fmt: skip
        begun: dict[str, datetime] = {}
        dated: list[tuple[datetime, Topic, Message]] = []
        for thread in threads(self._rng):
            moment = self._moment_after(max((begun[title] for title in thread.after), default=self._begin))
            begun[thread.title] = moment
            author = self._users[thread.messages[0].author]
            topic = Topic.objects.create(
                title=thread.title, section=sections[thread.section], author=author, created=moment
            )
            dated += [(when, topic, message) for when, message in zip(self._pace(moment), thread.messages)]
        for moment, topic, message in sorted(dated, key=lambda row: row[0]):
            author = self._users[message.author]
            Post.objects.create(topic=topic, text=message.text, author=author, created=moment)
        return len(dated)

    def _load_news(self) -> int:
        """Articles in the order of their dates: a report first, its other prints in the hours after it."""
        outlets = {slug: Outlet.objects.create(slug=slug, name=name) for slug, name in OUTLETS}
        dated: list[tuple[datetime, Report]] = []
        for report in reports(self._rng):
            if report.is_reprint:
                moment = dated[-1][0] + timedelta(minutes=self._rng.randrange(20, 300))
            else:
                moment = self._now - timedelta(hours=self._rng.uniform(36, 400))
            dated.append((moment, report))
        for moment, report in sorted(dated, key=lambda row: row[0]):
            Article.objects.create(
                headline=report.headline,
                body=report.text,
                outlet=outlets.get(report.outlet),
                author=self._users[report.author],
                created=moment,
            )
        return len(dated)

    def _moment_after(self, earliest: datetime) -> datetime:
        return earliest + (self._now - earliest) * self._rng.uniform(0.02, 0.9)

    def _pace(self, moment: datetime) -> Iterator[datetime]:
        """The moments of a conversation that begins at one."""
        while True:
            yield moment
            moment += min(timedelta(minutes=self._rng.randrange(4, 400)), (self._now - moment) / 3)

    def _spelt(self, phone: str) -> str:
        """A number as people write it, always the same number."""
        local = phone.replace("+7", "8")
        return self._rng.choice([phone, local, re.sub(r"\D", "", local)])
