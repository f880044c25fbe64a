"""Posts built on the packages that are installed."""

from django.conf import settings
from django.db import models


class Post(models.Model):
    title = models.CharField(max_length=100)

    def __str__(self):
        return self.title


if "treebeard" in settings.PACKAGES:
    from treebeard.al_tree import AL_Node
    from treebeard.mp_tree import MP_Node
    from treebeard.ns_tree import NS_Node

    class PathPage(MP_Node):
        """A page as those of Wagtail: its place is a path."""

        title = models.CharField(max_length=100)
        node_order_by = ()

        def __str__(self):
            return self.title

    class SetPage(NS_Node):
        title = models.CharField(max_length=100)
        node_order_by = ()

        def __str__(self):
            return self.title

    class ListPage(AL_Node):
        title = models.CharField(max_length=100)
        parent = models.ForeignKey(
            "self", models.CASCADE, null=True, related_name="children_set", db_index=True
        )
        sib_order = models.PositiveIntegerField()

        def __str__(self):
            return self.title


if "mptt" in settings.PACKAGES:
    from mptt.models import MPTTModel, TreeForeignKey

    class Section(MPTTModel):
        title = models.CharField(max_length=100)
        parent = TreeForeignKey("self", models.CASCADE, null=True, blank=True, related_name="children")

        def __str__(self):
            return self.title


if "reversion" in settings.PACKAGES:
    import reversion

    reversion.register(Post)


from tests.sites.packages.app import (  # noqa: E402, F401
    audited,
    cached,
    kept_history,
    kinds,
    listed_by_api,
    soft,
    tagged,
    translated,
)
