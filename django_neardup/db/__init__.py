"""SQL helpers for all databases."""
