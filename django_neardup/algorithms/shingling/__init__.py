"""Shingles of words or letters, and the algorithms that choose among them."""
