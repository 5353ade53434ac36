"""What a check found."""

from pydantic import BaseModel


class Finding(BaseModel):
    code: str
    found: str
    consequence: str
    next_step: str
    """A command to paste."""
