"""The version of canonicalization. Increase it with every change that gives a text other tokens or other keys."""

CANONICALIZATION_VERSION = "6"
