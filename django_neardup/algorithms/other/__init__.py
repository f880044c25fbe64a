"""Algorithms that are not shingling, not MinHash, and not part of the RCDL-2007 comparison."""
