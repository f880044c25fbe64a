"""The shop has no thumbnails."""

from oscar.core.thumbnails import AbstractThumbnailer


class NoThumbnails(AbstractThumbnailer):
    def generate_thumbnail(self, source, **options):
        return source

    def delete_thumbnails(self, source):
        pass
