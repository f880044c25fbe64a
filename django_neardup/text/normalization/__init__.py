"""Normalization: markup removed, look-alike characters folded, offsets in the raw text kept."""
