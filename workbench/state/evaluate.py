"""Names of the widgets and session values of the page Evaluate: each starts with `evaluate.`."""
