"""The version of canonisation: it goes up with every change that makes other tokens of a text."""

CANONICALIZATION_VERSION = "2"
