"""Clusters in the database: memberships, leaders, sizes and scores."""
