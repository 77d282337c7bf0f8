"""A file hashed in tasks has the hash that one process gives it."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from effspark.readers.files import LARGE_BYTES, Log
from effspark.spark import hashing

DAY = datetime(2026, 1, 1, tzinfo=timezone.utc)
MIB = 1 << 20


@pytest.mark.parametrize("size", [7, LARGE_BYTES, LARGE_BYTES + 1, LARGE_BYTES + 20 * MIB])
def test_chunks_hashed_in_tasks_give_the_hash_of_the_file(
    spark: SparkSession, tmp_path: Path, size: int
) -> None:
    path = tmp_path / "large.jsonl"
    some = random.Random(size).randbytes(MIB + 1)
    path.write_bytes((some * (size // MIB + 1))[:size])
    log = Log(str(path), size, DAY)
    assert hashing.sha256(spark, log) == log.sha256()
