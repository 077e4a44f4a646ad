"""Names of the widgets and session values of the page Knowledge: each starts with `knowledge.`."""
