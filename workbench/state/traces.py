"""Names of the widgets and session values of the page Traces: each starts with `traces.`."""
