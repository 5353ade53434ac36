"""What a host measures and counts, asked for when somebody looks."""

from typing import Annotated, Self

from pydantic import Field

from arraywright.kit.schema import ApiModel, Timestamp, moment
from arraywright.link.protocol import BadBlocksAnswer, LatencyAnswer


class LatencyBucket(ApiModel):
    below_us: int
    count: int


class LatencySummary(ApiModel):
    """How long one kind of request took; all zero if there was none."""

    count: int
    mean_us: int
    p50_us: int
    p99_us: int
    p999_us: int
    max_us: int
    buckets: Annotated[list[LatencyBucket], Field(description="ascending; empty ones are left out")]


class Latency(ApiModel):
    since: Annotated[Timestamp, Field(description="when the counters were reset last")]
    read: LatencySummary
    write: LatencySummary
    flush: LatencySummary

    @classmethod
    def of(cls, answer: LatencyAnswer) -> Self:
        return cls.model_validate({**answer.model_dump(), "since": moment(answer.since_us)})


class BadBlock(ApiModel):
    lba: Annotated[int, Field(description="first block")]
    count: int
    found_at: Timestamp | None


class BadBlocks(ApiModel):
    """The bad-block table, from behind `after_lba` on."""

    block_bytes: int
    total: Annotated[int, Field(description="entries in all")]
    more: bool
    blocks: list[BadBlock]

    @classmethod
    def of(cls, answer: BadBlocksAnswer) -> Self:
        blocks = [
            {"lba": item.lba, "count": item.count, "found_at": moment(item.found_us)}
            for item in answer.blocks
        ]
        return cls.model_validate({**answer.model_dump(), "blocks": blocks})
