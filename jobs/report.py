"""Moments become a report: the efficiency tables of a lake."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Annotated

import typer

from effspark import commands, lakes, settings


def report(
    lake: commands.Lake = None,
    name: Annotated[str, typer.Option(help="Name under which people ask for the report.")] = "default",
    conf: commands.Conf = None,
    overrides: commands.Overrides = None,
    as_json: commands.AsJson = False,
) -> int:
    """Bring the moments up to date, write the efficiency tables and print them."""
    from effspark import show, show_load
    from effspark.messages import working
    from effspark.spark import lock, session, store
    from effspark.spark.measure import measure
    from effspark.spark.report import report as write_report

    settled = settings.load(conf, overrides or ())
    where = lakes.named(lake)
    lakes.check_there(where)
    with lock.one_writer(where):
        opened = store.Store(session.session(), where)
        with working(f"measure: runs of {where} become moments"):
            found = measure(opened, settled, look=True)
        with working("report: moments become estimates"):
            written = write_report(opened, settled, name=name, now=datetime.now(timezone.utc))
    show_load.print_odd(found.unmatched, found.duplicates)
    show.print_report(written.report, as_json=as_json)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the job."""
    return commands.run(commands.single(report), argv)


if __name__ == "__main__":
    sys.exit(main())
