"""How do values of many rows become the Arrow columns of a table?

    name -> an array, the value of each row, or one value for all rows   ->   columns of the types of the schema

Knows nothing of runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import pyarrow as pa

from effspark import tables

Columns = dict[str, Any]
"""Columns by name: an array, a list or tuple with the value of each row, or one value for all rows."""


def gathered(items: Sequence[Any], paths: Mapping[str, str]) -> Columns:
    """Columns of values that items hold; the path of a value is its attribute, or attributes of attributes.

    >>> gathered([1 + 2j, 3j], {"part": "imag", "whole": "real.real"})
    {'part': [2.0, 3.0], 'whole': [1.0, 0.0]}
    """
    return {name: list(map(attrgetter(path), items)) for name, path in paths.items()}


def arrays(table: str, columns: Mapping[str, Any], count: int) -> Columns:
    """Columns of a table, or some of them, as arrays of its types.

    >>> arrays("configurations", {"config_id": ["a", "b"], "provider_name": "p"}, 2)["provider_name"].to_pylist()
    ['p', 'p']
    """
    schema = tables.schema(table)
    return {name: _array(column, schema.field(name).type, count) for name, column in columns.items()}


def taken(columns: Mapping[str, pa.Array], rows: Sequence[int]) -> Columns:
    """Some rows of columns.

    >>> taken({"a": pa.array(["x", "y"])}, [1, 1])["a"].to_pylist()
    ['y', 'y']
    """
    places = pa.array(rows, pa.int64())
    return {name: column.take(places) for name, column in columns.items()}


def batch(table: str, columns: Mapping[str, Any], count: int) -> pa.RecordBatch:
    """Rows of a table from its columns, among others.

    Raises
    ------
    KeyError
        A column of the table is missing.
    """
    schema = tables.schema(table)
    found = arrays(table, {name: columns[name] for name in schema.names}, count)
    return pa.RecordBatch.from_arrays([found[name] for name in schema.names], schema=schema)


def _array(column: Any, kind: pa.DataType, count: int) -> pa.Array:
    if isinstance(column, pa.Array):
        return column
    if isinstance(column, (list, tuple)):
        return pa.array(column, kind)
    return pa.repeat(pa.scalar(column, kind), count)
