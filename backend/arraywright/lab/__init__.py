"""Predictions: what an array would do, asked of the program arraysim."""
