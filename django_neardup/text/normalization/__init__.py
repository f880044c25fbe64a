"""A raw post as folded plain text: markup removed, look-alike characters folded, offsets kept."""
