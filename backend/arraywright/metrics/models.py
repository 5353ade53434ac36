"""Figures over time, in buckets."""

from uuid import UUID

from sqlalchemy import Float, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from arraywright.kit.database import Base


class MetricPoint(Base):
    """One bucket of one series: `value` is its last sample, or the mean of finer buckets."""

    __tablename__ = "metric_point"
    __table_args__ = (Index("ix_metric_point_step_at", "step_s", "at_s"),)

    object_id: Mapped[UUID] = mapped_column(primary_key=True)
    series: Mapped[str] = mapped_column(String(32), primary_key=True)
    step_s: Mapped[int] = mapped_column(primary_key=True)
    at_s: Mapped[int] = mapped_column(primary_key=True)
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"), index=True)
    low: Mapped[float] = mapped_column(Float(53))
    value: Mapped[float] = mapped_column(Float(53))
    high: Mapped[float] = mapped_column(Float(53))
