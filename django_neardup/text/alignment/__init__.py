"""Alignment of two token lists, and the differences that it shows."""
