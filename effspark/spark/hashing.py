"""What is the hash of a large file? Its chunks are hashed in tasks, so that no process reads it whole.

    file -> ranges of chunks -> mapInArrow(hashes of the chunks) -> hash of these

The same hash as `Log.sha256`. Source: architecture.md section 5.7.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from effspark.readers.files import CHUNK_BYTES, LARGE_BYTES, Log

CHUNKS_A_TASK = 4
_DIGESTS = pa.schema([pa.field("start", pa.int64()), pa.field("digests", pa.binary())])


def sha256(spark: SparkSession, log: Log) -> str:
    """Hash of the content of a file; one of up to 64 MiB is hashed here."""
    if log.size <= LARGE_BYTES:
        return log.sha256()
    step = CHUNKS_A_TASK * CHUNK_BYTES
    starts = range(0, log.size, step)
    work = spark.createDataFrame(pa.table({"start": pa.array(starts, pa.int64())}))

    def digests(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for start in batch.column("start").to_pylist():
                found = log.digests(start, start + step)
                yield pa.RecordBatch.from_pydict({"start": [start], "digests": [found]}, schema=_DIGESTS)

    spread = work.repartitionByRange(len(starts), "start")
    rows = spread.mapInArrow(digests, from_arrow_schema(_DIGESTS)).collect()
    found = sorted((row["start"], bytes(row["digests"])) for row in rows)
    return hashlib.sha256(b"".join(part for _, part in found)).hexdigest()
