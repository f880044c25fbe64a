"""JSON views for programs, and for the script that checks a text while an author types."""

from .views import check, open_check, similar

__all__ = ["check", "open_check", "similar"]
