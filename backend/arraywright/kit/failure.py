"""The failure that ends a start."""


class StartError(Exception):
    """The server or a command cannot start; the text says why and what to do."""
