"""Toolbox: knows nothing of hosts, drives or users."""
