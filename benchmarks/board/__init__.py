"""A board of posts, the site that the rows of a million posts measure."""
