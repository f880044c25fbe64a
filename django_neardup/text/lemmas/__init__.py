"""Lemmas of words."""
