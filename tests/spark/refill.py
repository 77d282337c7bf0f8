"""Fill a lake from a simulated world with everything changed at once: order, batches, partitions, and the session.

python -m tests.spark.refill WORLD LAKE
"""

from __future__ import annotations

import sys
from pathlib import Path

from effspark.spark import session
from tests.spark.world import World, batches, fill

PARTITIONS = 7
BATCHES = 10


def main(world: str, lake: str) -> None:
    made = World(Path(world))
    spark = session.session("refill")
    spark.conf.set("spark.sql.shuffle.partitions", str(PARTITIONS))
    turned = [request._replace(logs=list(reversed(request.logs))) for request in reversed(made.requests())]
    fill(spark, Path(lake), made, batches(turned, BATCHES))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
