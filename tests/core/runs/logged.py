"""One logged run and the log it stands in, for tests of what becomes of them."""

from __future__ import annotations

from datetime import datetime, timezone

from effspark.runs.build import Provenance
from effspark.runs.record import Configuration, LoggedRun
from effspark.runs.tokens import Usage

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
MODEL = Configuration(request_model="acme/one", output_budget_tokens=1000)
RUN = LoggedRun(
    configuration=MODEL, benchmark_id="gsm8k", instance_id="0", attempt="1", usage=Usage(output=330)
)
LOG = Provenance(
    source_format="mapper",
    reader_version=1,
    mapping_version=0,
    source_uri="a.jsonl",
    source_sha256="ab",
    file_time=NOON,
    team="a",
)
