"""Algorithms A0 to A12 of the comparison by Zelenkov and Segalovich (RCDL 2007)."""
