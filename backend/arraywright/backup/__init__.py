"""Backups of the database: one file with a manifest, made while the server runs."""
