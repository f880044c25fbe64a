from django.db import models


class Tag(models.Model):
    name = models.CharField(max_length=100)


class Post(models.Model):
    text = models.TextField()
    city = models.CharField(max_length=50, blank=True, default="")
    tags = models.ManyToManyField(Tag)

    def __str__(self):
        return self.text[:40]


class Comment(models.Model):
    post = models.ForeignKey(Post, models.CASCADE)
    text = models.TextField()


class Rating(models.Model):
    """A post has one."""

    post = models.OneToOneField(Post, models.CASCADE)
    stars = models.IntegerField()
