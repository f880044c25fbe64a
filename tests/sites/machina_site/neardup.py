"""What neardup knows of topics and posts of the forum."""

from machina.apps.forum_conversation.models import Post, Topic

import django_neardup as neardup


@neardup.register(Topic)
class TopicNeardup(neardup.Adapter):
    sum_fields = ["views_count"]
    fixed_fields = ["last_post_on"]
    watch = ["subject", "approved"]

    def text(self, topic):
        return f"{topic.subject}\n{topic.first_post.content if topic.first_post else ''}"

    def live(self):
        return Topic.objects.filter(approved=True)

    def compared(self):
        return Topic.objects.all()

    def recount(self, topics):
        """Count the posts of topics that are left, and of their forums."""
        for topic in Topic.objects.filter(pk__in=[topic.pk for topic in topics]):
            topic.update_trackers()


@neardup.register(Post)
class PostNeardup(neardup.Adapter):
    fields = ["subject", "content"]
    watch = ["approved"]

    def live(self):
        return Post.objects.filter(approved=True)

    def compared(self):
        return Post.objects.all()

    def hide(self, post):
        post.approved = False
        post.save()

    def show(self, post):
        post.approved = True
        post.save()

    def recount(self, posts):
        """Count the posts of their topics, and of the forums of these."""
        for topic in Topic.objects.filter(pk__in=[post.topic_id for post in posts]):
            topic.update_trackers()
