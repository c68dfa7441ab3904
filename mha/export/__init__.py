"""Files that leave the page, each with where its numbers come from."""
