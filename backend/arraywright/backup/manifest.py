"""What a backup says about itself."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

FORMAT = 1


class Manifest(BaseModel):
    format: Annotated[int, Field(description="of the file; a higher one is not read")] = FORMAT
    version: Annotated[str, Field(description="of Arraywright that made it")]
    revision: Annotated[str, Field(description="of the database's schema")]
    engine: Literal["sqlite", "postgresql"]
    made_at: datetime
    member: Annotated[str, Field(description="name of the database in the file")]
    size_bytes: int
    sha256: str
