"""Both engines have what a report needs; the one of pyarrow is tested in test_arrow_engine.py, Spark's with reports."""

from __future__ import annotations

import inspect

from effspark.arrow_engine import Laptop
from effspark.gold.engine import Engine


def test_the_laptop_has_every_part_with_the_same_parameters() -> None:
    parts = [name for name in vars(Engine) if not name.startswith("_")]
    assert parts == ["frame", "kept", "least", "blocks"]
    for name in parts:
        wanted, found = (inspect.signature(getattr(kind, name)).parameters for kind in (Engine, Laptop))
        assert list(found) == list(wanted)
