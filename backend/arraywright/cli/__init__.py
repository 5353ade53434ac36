"""The command line `arraywright`."""

from arraywright.cli.root import main

__all__ = ["main"]
