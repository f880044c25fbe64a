"""The default scheme: passages as keys, a bag of words for screening, an alignment for the verdict."""
