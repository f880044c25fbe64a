"""The example's public pages with and without hidden posts: nobody can tell the difference."""
