"""Names of all widgets and session values, one module a page: a name is spelled nowhere else."""
