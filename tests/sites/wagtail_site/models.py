"""Pages with a stream of blocks, tags, links in lines of their own, and a snippet."""

from django.db import models
from modelcluster.contrib.taggit import ClusterTaggableManager
from modelcluster.fields import ParentalKey
from taggit.models import TaggedItemBase
from wagtail import blocks
from wagtail.fields import RichTextField, StreamField
from wagtail.images.blocks import ImageChooserBlock
from wagtail.models import Orderable, Page
from wagtail.search import index
from wagtail.snippets.models import register_snippet


@register_snippet
class Topic(models.Model):
    name = models.CharField(max_length=100)

    def __str__(self):
        return self.name


class ArticleTag(TaggedItemBase):
    content_object = ParentalKey("Article", on_delete=models.CASCADE, related_name="tagged_items")


class Section(Page):
    """A page that holds articles."""


class Article(Page):
    lead = RichTextField(blank=True)
    body = StreamField(
        [
            ("heading", blocks.CharBlock()),
            ("text", blocks.RichTextBlock()),
            ("page", blocks.PageChooserBlock()),
            ("image", ImageChooserBlock()),
        ],
        blank=True,
    )
    topic = models.ForeignKey(Topic, models.SET_NULL, null=True, blank=True)
    tags = ClusterTaggableManager(through=ArticleTag, blank=True)

    search_fields = [*Page.search_fields, index.SearchField("body")]


class ArticleLink(Orderable):
    """A line of "see also" below an article."""

    article = ParentalKey(Article, on_delete=models.CASCADE, related_name="links")
    page = models.ForeignKey(Page, models.CASCADE, null=True, related_name="+")
    label = models.CharField(max_length=100)
