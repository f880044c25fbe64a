"""The posts of a customer."""
