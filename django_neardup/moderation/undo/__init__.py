"""Undo of a merge, a hide or a delete: the plan of what it would restore, and the restoration."""
