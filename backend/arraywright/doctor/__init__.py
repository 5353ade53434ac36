"""Looks at an installed server from outside and says what is wrong and what to do."""
