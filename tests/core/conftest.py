"""Random examples are the same ones every time, and slow machines are no failure."""

from __future__ import annotations

import hypothesis

hypothesis.settings.register_profile("pinned", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("pinned")
