r"""GSM8K: how many steps and operations does the gold solution take?

    W_step      = non-empty lines before `####`
    W_op_clean  = binary operators + - * / left of `=` inside <<...>>, at least 1
    W_op        = characters + - * / x X inside <<...>>, in the whole solution where it has none, at least 1
    W_mix       = W_step + W_op

W_op is the count that gives the paper's number of distinct values; it also counts signs, and the letter x of words
where a solution has no annotation. W_op_clean counts what an operation is. Source: paper appendices B.1 and B.6,
definitions.md section 4. The solution comes from the benchmark's items: logs show only the final number.

>>> WORK.measure(Item(solution="3 bags of 4 are 3*4=<<3*4=12>>12.\n12-2=<<12-2=10>>10 are left.\n#### 10")).work
{'W_step': 2, 'W_op_clean': 2, 'W_op': 2, 'W_mix': 4}
"""

from __future__ import annotations

import re

from effspark.benchmarks.work import Item, Measured, uncountable

_ANNOTATION = re.compile(r"<<(.*?)>>", re.S)
_BINARY = re.compile(r"(?<=[\w.)%])\s*[-+*/]")
_OPERATOR = re.compile(r"[-+*/xX]")
_MARK = "####"


class Gsm8kWork:
    """Native work of GSM8K (module docstring)."""

    name = "gsm8k"
    scales = ("W_step", "W_op_clean", "W_op", "W_mix")

    def measure(self, item: Item) -> Measured:
        r"""Work of a gold solution on every scale; no axes.

        Raises
        ------
        LogError
            The item has no gold solution, only its number, or no step before the number.

        >>> WORK.measure(Item(solution="(2+3)*4=$<<(2+3)*4=20>>20 in all.\n#### 20")).work["W_op_clean"]
        2
        """
        solution = item.solution or ""
        steps, mark, _ = solution.partition(_MARK)
        count = sum(bool(line.strip()) for line in steps.splitlines())
        if not mark or not count:
            raise uncountable(
                self.name, found=item.solution, allowed=f"a gold solution whose steps end in {_MARK}"
            )
        inside = _ANNOTATION.findall(solution)
        clean = sum(len(_BINARY.findall(one.partition("=")[0])) for one in inside)
        characters = sum(len(_OPERATOR.findall(one)) for one in inside or [solution])
        operations = max(1, characters)
        return Measured(
            {"W_step": count, "W_op_clean": max(1, clean), "W_op": operations, "W_mix": count + operations},
            {},
        )


WORK = Gsm8kWork()
