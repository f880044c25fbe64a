"""The version of canonicalization. Increase it with every change that gives a text other tokens."""

CANONICALIZATION_VERSION = "3"
