"""For search engines: the canonical address of a cluster, and redirects from old addresses."""
