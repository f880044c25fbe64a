"""What authors are told: that a post was merged into another, and what became of those that are there no more."""

from .fates import MOST, Fate, Fates, fates
from .messages import Message, mail_merged, merged_message

__all__ = ["MOST", "Fate", "Fates", "Message", "fates", "mail_merged", "merged_message"]
