"""A small board and forum, and the posts that nobody but their author may know of. Runs in the example's settings."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from board.models import Ad, Category
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from forum.models import Post, Section, Topic
from news.models import Article, Outlet

import django_neardup as neardup
from django_neardup.models import MovedUrl
from django_neardup.moderation.url_paths import path_digest
from tests.leaks.texts import FILLERS, GROUP, HIDDEN_ONLY, LONE, REPLY, VARIANT, advert_of

BEGIN = datetime(2025, 3, 1, 12, tzinfo=timezone.utc)
SHOWN = 1000
"""The first number of a post that everybody sees."""
FIRST_HIDDEN = {"older": 500, "newer": 2000}
"""Of a post that nobody sees: it was there first, or came last."""


def frame() -> None:
    """Authors, a shelf, a topic and a newspaper."""
    anna, *_others = (
        User.objects.create_user(name, f"{name}@example.org") for name in ("anna", "boris", "vera")
    )
    Category.objects.create(pk=1, slug="piles", name="Сваи")
    Outlet.objects.create(slug="gazette", name="Вестник стройки")
    section = Section.objects.create(slug="works", title="Стройка")
    Topic.objects.create(
        pk=SHOWN, title="Чем красить сваи", section=section, author=anna, created=_moment(SHOWN)
    )


def shown() -> None:
    """What everybody sees: a group of two, another mark of it, one alone, and what fills a second page."""
    for place, text in enumerate((GROUP, GROUP, VARIANT, LONE, *FILLERS)):
        _advert(SHOWN + place, text, "boris" if place == 1 else "anna")
    for place, text in enumerate((REPLY, *FILLERS[:3])):
        _reply(SHOWN + place, text, "boris")
    for place, text in enumerate((GROUP, GROUP, LONE)):
        _article(SHOWN + place, text, "boris" if place == 2 else "")


def hidden(number: int) -> None:
    """Twins of what is shown, of a group and of one alone; another mark; a text that nobody else has; one that waits
    for a moderator; a reply; articles; and an old address that leads to a hidden post."""
    for place, text in enumerate((GROUP, GROUP, VARIANT, LONE, HIDDEN_ONLY, FILLERS[0])):
        advert = _advert(number + place, text, "vera", published=False)
    neardup.hold(advert)
    _reply(number, REPLY, "vera", published=False)
    for place, text in enumerate((GROUP, LONE, HIDDEN_ONLY)):
        _article(number + place, text, "vera", published=False)
    MovedUrl.objects.create(
        path="/ads/900/", digest=path_digest("/ads/900/"),
        content_type=ContentType.objects.get_for_model(Ad), object_id=str(number),
    )  # fmt: skip


def _advert(number: int, text: str, author: str, published: bool = True) -> Ad:
    user = User.objects.get(username=author)
    values = {"user": user, "published": published, "created": _moment(number)}
    advert = Ad.objects.create(pk=number, **advert_of(text), **values)
    advert.categories.set(Category.objects.all())
    return advert


def _reply(number: int, text: str, author: str, published: bool = True) -> None:
    user = User.objects.get(username=author)
    values = {"author": user, "published": published, "created": _moment(number)}
    Post.objects.create(pk=number, topic_id=SHOWN, text=text, **values)


def _article(number: int, text: str, author: str, published: bool = True) -> None:
    """An article of a reader, or of the newspaper if there is no author."""
    headline, _, body = text.partition("\n")
    writer = User.objects.filter(username=author).first()
    outlet = None if writer else Outlet.objects.get()
    values = {"author": writer, "outlet": outlet, "published": published, "created": _moment(number)}
    Article.objects.create(pk=number, headline=headline, body=body, **values)


def _moment(number: int) -> datetime:
    return BEGIN + timedelta(hours=number)
