"""Types of columns that SQLite and PostgreSQL store alike."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import BigInteger, BindParameter, ColumnElement, DateTime, Dialect, Integer, TypeDecorator, type_coerce


class Instant(TypeDecorator[datetime]):
    """An aware time in UTC; SQLite alone would drop the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=value.tzinfo or UTC)


class Identity(TypeDecorator[int]):
    """A number that the database assigns, comparable with numbers beyond the range of INTEGER."""

    impl = Integer
    cache_ok = True

    def bind_expression(self, bindvalue: BindParameter[int]) -> ColumnElement[int]:
        return type_coerce(bindvalue, BigInteger)


class Span(TypeDecorator[timedelta]):
    """A duration, exact to the microsecond."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: timedelta | None, dialect: Dialect) -> int | None:
        return None if value is None else value // timedelta(microseconds=1)

    def process_result_value(self, value: int | None, dialect: Dialect) -> timedelta | None:
        return None if value is None else timedelta(microseconds=value)
