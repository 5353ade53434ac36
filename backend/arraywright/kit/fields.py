"""Lists whose caller says which fields of each item it wants."""

from typing import Annotated, Any

from fastapi import Response
from pydantic import BaseModel, Field

from arraywright.kit.paging import PageQuery
from arraywright.kit.problems import InvalidError
from arraywright.kit.schema import Page


class FieldQuery(PageQuery):
    fields: Annotated[
        str | None,
        Field(
            max_length=1000,
            pattern="^[a-z_]+(,[a-z_]+)*$",
            description="names of fields, separated by commas: items have these and `id` only",
        ),
    ] = None


def chosen(query: FieldQuery, model: type[BaseModel]) -> frozenset[str] | None:
    """The fields that are wanted; None: all."""
    if query.fields is None:
        return None
    wanted = frozenset(query.fields.split(","))
    unknown = sorted(wanted - model.model_fields.keys())
    if unknown:
        raise InvalidError(
            f"Items of this list have no field {unknown[0]}.",
            errors=[("fields", f"no field is called {unknown[0]}")],
        )
    return wanted | {"id"}


def answer(page: Page[Any], fields: frozenset[str] | None) -> Response:
    """Its items have been checked one by one: not once more as a whole."""
    include: Any = None
    if fields is not None:
        include = {"items": {"__all__": set(fields)}, "next_cursor": True, "total": True}
    return Response(
        page.model_dump_json(by_alias=True, include=include), media_type="application/json"
    )
