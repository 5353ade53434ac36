"""Thousands of agents in one process, for measuring the backend. See `fleetsim/__main__.py`."""
