"""The doors through which agents ask: one function, and adapters that return the same answer."""
