"""Names of what stands around the pages, and values that pages hand to each other."""

PAGE = "shell.page"
"""Session value: the page that the last run drew."""
SESSION = "shell.session"
"""Session value: an id of this browser session, recorded with its lookups."""
BUILD_INDEX = "shell.build_index"
INDEX_BUILT = "shell.index_built"
"""Session value: what the last build of the index changed, to be said once."""
