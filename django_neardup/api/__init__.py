"""JSON for programs and for the script that asks while somebody types."""

from .views import check, open_check, similar

__all__ = ["check", "open_check", "similar"]
