"""Posts with tags."""

import uuid

from django.conf import settings
from django.db import models

if "taggit" in settings.PACKAGES:
    from taggit.managers import TaggableManager
    from taggit.models import GenericUUIDTaggedItemBase, ItemBase, TagBase, TaggedItemBase

    class TaggedPost(models.Model):
        title = models.CharField(max_length=100)
        tags = TaggableManager()

        def __str__(self):
            return self.title

    class UuidTaggedItem(GenericUUIDTaggedItemBase, TaggedItemBase):
        class Meta:
            constraints = [
                models.UniqueConstraint(fields=["content_type", "object_id", "tag"], name="app_uuid_tag_once")
            ]

    class UuidTaggedPost(models.Model):
        id = models.UUIDField(primary_key=True, default=uuid.uuid4)
        title = models.CharField(max_length=100)
        tags = TaggableManager(through=UuidTaggedItem)

        def __str__(self):
            return self.title

    class OwnTag(TagBase):
        """A tag of the site's own."""

    class OwnTaggedItem(ItemBase):
        """A table with a foreign key, and without a rule of the database against equal rows."""

        content_object = models.ForeignKey("DirectlyTaggedPost", models.CASCADE)
        tag = models.ForeignKey(OwnTag, models.CASCADE, related_name="items")
        weight = models.IntegerField(default=0)

    class DirectlyTaggedPost(models.Model):
        title = models.CharField(max_length=100)
        tags = TaggableManager(through=OwnTaggedItem)

        def __str__(self):
            return self.title
