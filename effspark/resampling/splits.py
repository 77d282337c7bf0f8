"""Which models are held out, and which instances make a small suite? Keyed orders, cut at a size.

    pool split r:     the pool sorted by (word_r, key); the first floor(n / 2) models are the reference
    nested subset r:  in each cell the instances sorted by (word_r, key); the first max(1, a tenth) are drawn

Source: definitions.md sections 5 to 7 (purposes 3 and 4), paper appendices B.3 and G.3. Splits are data: they are kept
with a report and can be given to the audits again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from effspark.resampling.words import Purpose, model_keys, words

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

SPLITS = 200
SUBSETS = 1000
"""Draws of the paper."""


def pool_splits(model_ids: tuple[str, ...], *, seed: int, count: int = SPLITS) -> Bools:
    """Which models of a pool are the reference in each split; the others are evaluated.

    Parameters
    ----------
    model_ids
        The pool, in any order.

    Returns
    -------
    Bools
        Shape (count, models), each row with floor(models / 2) true.

    >>> pool_splits(("a", "b", "c"), seed=0, count=4).astype(int).tolist()
    [[0, 0, 1], [0, 0, 1], [1, 0, 0], [1, 0, 0]]
    """
    of = model_keys(model_ids)
    drawn = words(of, np.arange(count), seed=seed, purpose=Purpose.POOL_SPLITS)
    reference = np.zeros(drawn.shape, np.bool_)
    for row, word in zip(reference, drawn, strict=True):
        row[np.lexsort((of, word))[: len(model_ids) // 2]] = True
    return reference


def nested_subsets(
    instance_keys: Words, cells: Ints, *, seed: int, count: int = SUBSETS, one_in: int = 10
) -> Bools:
    """Which instances each small suite holds, the same number of each cell.

    Parameters
    ----------
    instance_keys, cells
        Key and code of the cell of every instance, shape (instances,).
    one_in
        A cell of this many instances gives one; a smaller one gives one too.

    Returns
    -------
    Bools
        Shape (count, instances).

    >>> of = np.arange(6, dtype=np.uint64)
    >>> nested_subsets(of, np.array([0, 0, 0, 0, 1, 1]), seed=0, count=3, one_in=2).sum(axis=1)
    array([3, 3, 3])
    """
    drawn = np.zeros((count, len(instance_keys)), np.bool_)
    sizes = np.bincount(cells)
    begins = np.cumsum(sizes) - sizes
    takes = np.maximum(1, sizes // one_in)
    in_order = np.sort(cells)
    taken = np.arange(len(cells)) - begins[in_order] < takes[in_order]
    for draw, row in enumerate(drawn):
        word = words(instance_keys, np.array([draw]), seed=seed, purpose=Purpose.NESTED_SUBSETS)[0]
        row[np.lexsort((instance_keys, word, cells))[taken]] = True
    return drawn
