import django_neardup as neardup
from tests.testapp.models import Ad, Article, Reply, ScopedPost, SlugPost, Topic, UuidPost
from tests.testapp.zoo import Notice


@neardup.register(Ad)
class AdNeardup(neardup.Adapter):
    fields = ["title", "text"]
    heads = []
    contacts = ["phone"]
    identity = ["sku"]
    watch = ["published"]

    def live(self):
        return Ad.objects.filter(published=True)

    def compared(self):
        return Ad.objects.all()

    def author(self, ad):
        return ad.author_id

    def view_count(self, ad):
        return ad.hits

    def hide(self, ad):
        ad.published = False
        ad.save(update_fields=["published"])

    def show(self, ad):
        ad.published = True
        ad.save(update_fields=["published"])


class NoticeNeardup(AdNeardup):
    """Registered by the tests that want it."""

    fields = ["text"]
    contacts, identity, scope = [], [], ["city"]

    def live(self):
        return Notice.objects.filter(published=True)

    def compared(self):
        return Notice.objects.all()

    def author(self, notice):
        return None

    def view_count(self, notice):
        return 0


@neardup.register(UuidPost)
class UuidPostNeardup(neardup.Adapter):
    fields = ["text"]


@neardup.register(SlugPost)
class SlugPostNeardup(neardup.Adapter):
    fields = ["text"]


@neardup.register(ScopedPost)
class ScopedPostNeardup(neardup.Adapter):
    fields = ["text"]
    scope = ["site"]


@neardup.register(Topic)
class TopicNeardup(neardup.Adapter):
    fields = ["text"]
    compare_with = [Reply]


@neardup.register(Reply)
class ReplyNeardup(neardup.Adapter):
    fields = ["text"]
    quotes = "drop"


@neardup.register(Article)
class ArticleNeardup(neardup.Adapter):
    fields = ["text"]
