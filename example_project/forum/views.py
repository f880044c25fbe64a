from __future__ import annotations

from board.listing import listed
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Prefetch, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from django_neardup.seo.canonical import canonical_url
from forum.bbcode import own_words, quotation
from forum.forms import ReplyForm, TopicForm
from forum.models import Post, Section, Topic, live_posts, live_topics

TOPICS = 20


def front(request: HttpRequest) -> HttpResponse:
    topics = Prefetch("topics", _counted(Topic.objects.all()), to_attr="all_topics")
    sections = Section.objects.order_by("position").prefetch_related(topics)
    return render(request, "forum/front.html", {"sections": sections})


def latest(request: HttpRequest) -> HttpResponse:
    posts = live_posts().select_related("topic", "author").order_by("-created", "-pk")
    return render(request, "forum/latest.html", listed(request, posts))


def section(request: HttpRequest, slug: str) -> HttpResponse:
    shown = get_object_or_404(Section, slug=slug)
    paginator = Paginator(_counted(shown.topics.all()), TOPICS)
    page = paginator.get_page(request.GET.get("page"))
    return render(request, "forum/section.html", {"section": shown, "page_obj": page})


def begin(request: HttpRequest, slug: str) -> HttpResponse:
    """A new topic with its first message."""
    shown = get_object_or_404(Section, slug=slug)
    form = TopicForm(request.POST or None, initial=_template(request), request=request)
    if request.method == "POST" and form.is_valid():
        author = request.user if request.user.is_authenticated else None
        with transaction.atomic():
            title = form.cleaned_data["title"]
            form.instance.topic = Topic.objects.create(section=shown, title=title, author=author)
            form.instance.author = author
            post = form.save()
        if post.published:
            return redirect(post.topic)
        messages.info(request, form.neardup.message)
        return redirect(shown)
    return render(request, "forum/begin.html", {"section": shown, "form": form})


def topic(request: HttpRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(_readable(request).select_related("section", "author"), pk=pk)
    initial = {"text": _quoted(shown, request.GET.get("quote", ""))}
    form = ReplyForm(request.POST or None, initial=initial, request=request)
    if request.method == "POST" and form.is_valid():
        form.instance.topic = shown
        form.instance.author = request.user if request.user.is_authenticated else None
        return _replied(request, form)
    posts = list(live_posts().filter(topic=shown).select_related("author"))
    context = {"topic": shown, "posts": posts, "opening": posts[:1], "form": form, "visible": live_posts()}
    context["canonical"] = _canonical(request, posts[:1])
    return render(request, "forum/topic.html", context)


def _canonical(request: HttpRequest, opening: list[Post]) -> str:
    """Return the address of the topic in which the first message was written first, without the message's anchor."""
    return canonical_url(opening[0], live_posts(), request).partition("#")[0] if opening else ""


def _template(request: HttpRequest) -> dict[str, str]:
    """What the form of a new topic begins with: the message of `?like=`."""
    like = request.GET.get("like", "")
    post = live_posts().filter(pk=like).first() if like.isdecimal() else None
    return {"title": post.topic.title, "text": own_words(post.text)} if post else {}


def _readable(request: HttpRequest) -> QuerySet[Topic]:
    return Topic.objects.all() if request.user.has_perm("forum.view_post") else live_topics()


def _replied(request: HttpRequest, form: ReplyForm) -> HttpResponse:
    """To the reply or, where it is not shown yet, to its topic, with the reason."""
    post = form.save()
    if not post.published:
        messages.info(request, form.neardup.message)
    return redirect(post if post.published else post.topic)


def _counted(topics: QuerySet[Topic]) -> QuerySet[Topic]:
    size = Count("posts", filter=Q(posts__published=True))
    return topics.select_related("author").annotate(size=size).filter(size__gt=0).order_by("-created", "-pk")


def _quoted(topic: Topic, pk: str) -> str:
    post = live_posts().filter(topic=topic, pk=pk).first() if pk.isdecimal() else None
    return quotation(str(post.author or "?"), own_words(post.text)) if post else ""
