"""The command line, `lookup-knowledge`. Its start is light: commands import what they need."""

from retrieval.cli.program import cli, main

__all__ = ["cli", "main"]
