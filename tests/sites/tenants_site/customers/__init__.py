"""The customers of the site. All schemas share their table."""
