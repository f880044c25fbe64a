"""Erasure of deleted posts and of their authors: what the app keeps of them, and how it is taken away."""
