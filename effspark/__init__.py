"""effspark: how efficiently language models reason, and why, from the logs of their evaluations."""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["__version__"]
