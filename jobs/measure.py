"""Runs become moments: bring a lake's names, verdicts and sums up to date."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from effspark import commands, lakes, settings


def measure(
    lake: commands.Lake = None, conf: commands.Conf = None, overrides: commands.Overrides = None
) -> int:
    """Bring the moments of a lake up to date."""
    from effspark import show_load
    from effspark.messages import working
    from effspark.spark import lock, session, store
    from effspark.spark.measure import measure as bring_up_to_date

    settled = settings.load(conf, overrides or ())
    where = lakes.named(lake)
    lakes.check_there(where)
    with lock.one_writer(where), working(f"measure: runs of {where} become moments"):
        found = bring_up_to_date(store.Store(session.session(), where), settled, look=True)
    show_load.print_odd(found.unmatched, found.duplicates)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the job."""
    return commands.run(commands.single(measure), argv)


if __name__ == "__main__":
    sys.exit(main())
