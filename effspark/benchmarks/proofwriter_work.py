"""ProofWriter: how deep is the proof?

    W_depth = depth + 1

A statement that is a fact has depth 0 and still takes one look, so W is 1 and no item is lost. Source: paper appendix
B.1, definitions.md section 4. Depth is a field of the item; it is not read from the proof.

>>> WORK.measure(Item(fields={"depth": 5}))
Measured(work={'W_depth': 6}, axes={'depth': 5.0})
"""

from __future__ import annotations

from effspark.benchmarks.work import Item, Measured, uncountable

FIELDS = ("depth", "QDep")
"""Names under which items hold the depth; the first that is there counts."""


class ProofWriterWork:
    """Native work of ProofWriter (module docstring)."""

    name = "proofwriter"
    scales = ("W_depth",)

    def measure(self, item: Item) -> Measured:
        """Work of a statement from its proof's depth; axis: depth.

        Raises
        ------
        LogError
            The item has no depth, or one that is no whole number from 0.

        >>> WORK.measure(Item(fields={"QDep": 0})).work
        {'W_depth': 1}
        """
        depth = next((item.fields[name] for name in FIELDS if name in item.fields), None)
        if depth is None or not depth >= 0 or depth != depth // 1:
            raise uncountable(
                self.name, found=depth, allowed=f"a whole number from 0 in one of {', '.join(FIELDS)}"
            )
        return Measured({"W_depth": int(depth) + 1}, {"depth": float(depth)})


WORK = ProofWriterWork()
