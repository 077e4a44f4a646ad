"""Names of the widgets and session values of the page Settings: each starts with `settings.`."""
