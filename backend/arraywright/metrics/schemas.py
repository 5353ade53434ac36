"""The history of an object's figures."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from arraywright.kit.schema import ApiModel, Timestamp


class MetricPointView(ApiModel):
    """One bucket, named by its beginning."""

    at: Timestamp
    low: float
    value: Annotated[float, Field(description="its last sample, or the mean of coarser buckets")]
    high: float


class MetricSeries(ApiModel):
    name: Annotated[str, Field(description="charge_percent, dirty_bytes …")]
    unit: Annotated[str, Field(description="percent, celsius, bytes …")]
    points: list[MetricPointView]


class MetricHistory(ApiModel):
    """Time without a point: nothing was known, for the host was offline."""

    object_id: UUID
    since: Timestamp
    until: Timestamp
    step_s: Annotated[int, Field(description="length of a bucket")]
    series: list[MetricSeries]
