"""What authors learn: a letter about a merge, and the list of their merged, hidden and deleted posts."""

from .fates import FATES_LIMIT, Fate, Fates, fates
from .messages import Message, mail_merged, merged_message

__all__ = ["FATES_LIMIT", "Fate", "Fates", "Message", "fates", "mail_merged", "merged_message"]
